import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, callMcp } from '../../accounts/fixture.ts'
import { type Hall, hallTask, openHall, signInByHand } from './hall.ts'

let hall: Hall
beforeAll(async () => {
  hall = await openHall()
})
afterAll(() => hall?.stop())

type Event = { type: string; subject: string; data: Record<string, string> }

/** A model that has a key of its person and the tools of the marketplace and the inbox, and nothing else; `calls` counts them. */
const openModel = async (wallet: Parameters<typeof signInByHand>[1]) => {
  const origin = hall.site.replace('127.0.0.1', 'localhost')
  const cookie = await signInByHand(origin, wallet)
  const made = await fetch(`${origin}/auth/account/api-keys`, {
    method: 'POST',
    headers: { cookie, origin, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ name: 'A model', access: 'write', all_services: '1' }),
  })
  const key = /oct_[\w-]{43}/.exec(await made.text())?.[0] ?? ''
  let calls = 0
  const call = async (name: string, input: object = {}) => {
    calls += 1
    const url = `${hall.site}/mcp?services=tasks,account`
    const { body } = await callMcp(url, 'tools/call', { name, arguments: input }, bearer(key))
    const { isError, structuredContent, content } = body.result as {
      isError?: boolean
      structuredContent: Record<string, string> & { events: Event[] }
      content: { text: string }[]
    }
    if (isError) throw new Error(`${name}: ${content[0]?.text}`)
    return structuredContent
  }
  return { call, calls: () => calls }
}

test('over MCP alone a task is published, followed, assigned, looked at and paid by six calls', async () => {
  const [publisher, worker] = await Promise.all([hall.person(), hall.person()])
  await hall.fund(publisher.id, 20_000_000n)
  const model = await openModel(publisher.wallet)

  const { task_id = '' } = await model.call('tasks_publish_task', {
    ...hallTask,
    evidence_required: ['text_response'],
    deposit: 'now',
  })
  const applying = model.call('account_wait_events', { wait: 25, types: ['application.received'] })
  await worker.get('register_worker', { kind: 'human', name: 'Ada' })
  await worker.get('apply_to_task', { task_id })
  const { events: applied, next } = await applying
  const [application] = applied
  expect(application).toMatchObject({ subject: task_id, data: { executor_id: worker.id } })
  await model.call('tasks_assign_worker', { task_id, executor_id: application?.data.executor_id })

  const submitting = model.call('account_wait_events', {
    after: next,
    wait: 25,
    types: ['submission.received'],
  })
  await worker.get('start_work', { task_id })
  const evidence = [{ type: 'text_response', value: 'It is open until six.' }]
  await worker.get('submit_work', { task_id, evidence })
  const { events: submitted } = await submitting
  expect(submitted.map(({ type }) => type)).toEqual(['submission.received'])
  const submission_id = submitted[0]?.data.submission_id
  expect(await model.call('tasks_get_submission', { submission_id })).toMatchObject({ evidence })
  const { status } = await model.call('tasks_approve_submission', { submission_id })

  expect([status, model.calls()]).toEqual(['completed', 6])
  expect(await worker.get('get_balance')).toMatchObject({ available_usd: '5.00' })
})

test('who may not read an application does not learn from the stream of a task who applied', async () => {
  const [publisher, worker] = await Promise.all([hall.person(), hall.person()])
  const { task_id } = await publisher.get('publish_task', hallTask)
  await worker.get('register_worker', { kind: 'human', name: 'Ada' })
  await worker.get('apply_to_task', { task_id })
  const stop = new AbortController()
  const response = await fetch(`${hall.url}/a2a/v1/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ task_id }),
    signal: stop.signal,
  })
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += new TextDecoder().decode(bytes)
    if (text.includes('application.received')) break
  }
  expect(text).toContain('application_id')
  expect(text).not.toContain(worker.id)
  stop.abort()
})
