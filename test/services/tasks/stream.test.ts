import { expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { fromSomewhere } from '../../contract/scenario.ts'
import { opened } from '../../opened.ts'
import { tasksScenarios } from './scenarios.ts'

const app = opened(() => startApp({ TRUST_PROXY: '1' }))

type Headers = Record<string, string>
type Event = {
  id?: string
  event?: string
  data: { result: { final: boolean; status: { state: string }; metadata: object } }
}

const person = () => tasksScenarios.credentials?.(app) ?? Promise.reject(new Error('no credentials'))

const ask = async (headers: Headers, name: string, input: object) => {
  const response = await fetch(`${app.url}/tasks/tools/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...fromSomewhere(), ...headers },
    body: JSON.stringify(input),
  })
  return (await response.json()) as { task_id: string }
}

const open = (headers: Headers, body: object) =>
  fetch(`${app.url}/tasks/a2a/v1/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...fromSomewhere(), ...headers },
    body: JSON.stringify(body),
  })

/** Reads events until one fits, or the stream ends. */
const readEvents = async (
  response: Response,
  isLast: (event: Event) => boolean = () => false,
): Promise<Event[]> => {
  const events: Event[] = []
  let text = ''
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const chunk = await reader?.read()
    if (!chunk || chunk.done) return events
    text += chunk.value
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const lines = block
        .split('\n')
        .flatMap(line => (line.startsWith(':') || !line.includes(': ') ? [] : [line.split(/: (.*)/s)]))
      const fields = Object.fromEntries(lines.map(([name, value]) => [name, value]))
      if (fields.data === undefined) continue
      const event = { ...fields, data: JSON.parse(fields.data) } as Event
      events.push(event)
      if (!isLast(event)) continue
      await reader?.cancel()
      return events
    }
  }
}

const newTask = {
  title: 'Is the bakery open?',
  instructions: 'Go there, look at the door, and say if it is open.',
  category: 'physical_presence',
  bounty_usd: '0.50',
  deadline_hours: 24,
  evidence_required: ['text_response'],
}

test('a task is followed from its beginning to its end, and the stream ends with it', async () => {
  const [publisher, worker] = await Promise.all([person(), person()])
  const { task_id } = await ask(publisher, 'publish_task', newTask)
  const response = await open(publisher, { jsonrpc: '2.0', id: 7, method: 'stream', params: { id: task_id } })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const following = readEvents(response)
  await ask(worker, 'register_worker', { kind: 'human', name: 'Ada' })
  await ask(worker, 'apply_to_task', { task_id })
  await ask(publisher, 'cancel_task', { task_id })
  const events = await following
  expect(events.map(({ event }) => event)).toEqual([
    'task.created',
    'application.received',
    'task.status',
    'stream.end',
  ])
  expect(events.slice(0, 3).map(({ data }) => data.result.status.state)).toEqual([
    'submitted',
    'submitted',
    'canceled',
  ])
  expect(events[2]?.data).toMatchObject({
    jsonrpc: '2.0',
    id: 7,
    result: { kind: 'status-update', taskId: task_id, final: true },
  })

  // Whoever was away goes on after what it has, without gap or repetition.
  const [first] = events
  const again = await readEvents(await open({ ...publisher, 'last-event-id': first?.id ?? '' }, { task_id }))
  expect(again).toEqual(events.slice(1).map(event => expect.objectContaining({ event: event.event })))
  const done = await readEvents(await open(publisher, { task_id, last_event_id: events[2]?.id }))
  expect(done.map(({ event }) => event)).toEqual(['stream.end'])
  const lost = await readEvents(await open(publisher, { task_id, last_event_id: 999_999 }))
  expect(lost.map(({ event }) => event)).toEqual(['reset', 'stream.end'])
  expect(lost[0]?.data).toMatchObject({ task: { status: 'cancelled' } })
})

test('a stranger follows what is open, and nothing after it', async () => {
  const publisher = await person()
  const { task_id } = await ask(publisher, 'publish_task', newTask)
  const stranger = await open({}, { task_id })
  const following = readEvents(stranger)
  await ask(publisher, 'cancel_task', { task_id })
  const events = await following
  expect(events.at(-1)?.event).toBe('stream.end')
  expect(events.map(({ event }) => event)).not.toContain('task.status')
  expect((await open({}, { task_id })).status).toBe(410)
  expect((await open({}, { task_id: 'task_0' })).status).toBe(404)
  expect((await open({}, {})).status).toBe(422)
})
