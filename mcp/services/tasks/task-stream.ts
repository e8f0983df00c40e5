import { z } from 'zod'
import { endpoint, type StreamEvent } from '../../kernel/endpoint.ts'
import { ToolError } from '../../kernel/error.ts'
import { lastEventNumber, topicEvents } from '../../kernel/topic-events.ts'
import { parseRecord } from '../../lib/json.ts'
import type { Json, Store } from '../../ports/store/port.ts'
import { tasksSettings } from './config.ts'
import { taskEvents } from './event.ts'
import { checkVisible, loadTask, toPublicTask } from './public-task.ts'
import { a2aStates, type Status } from './task.ts'

const Params = z.object({
  task_id: z.string().min(1).max(64),
  last_event_id: z.union([z.string(), z.number()]).optional(),
})

/** Reads what to stream: plain JSON, or JSON-RPC params, where A2A calls the task `id`. */
const readRequest = (bytes: Uint8Array) => {
  const body = parseRecord(Buffer.from(bytes).toString('utf8'))
  if (!body) throw new ToolError('malformed', 'The body is not a JSON object.')
  const { id, params } = body
  const fields = typeof params === 'object' && params !== null ? { ...params } : { ...body }
  const { data } = Params.safeParse({ task_id: (fields as { id?: unknown }).id, ...fields })
  if (!data)
    throw new ToolError('invalid_input', 'task_id: the id of the task is needed.', {
      issues: [{ path: 'task_id', message: 'the id of the task' }],
      hint: 'Send {"task_id": "task_…"}, or the same as params of a JSON-RPC call.',
    })
  const rpcId = typeof id === 'string' || typeof id === 'number' ? id : null
  return { taskId: data.task_id, rpcId, lastEventId: data.last_event_id }
}

type Happened = { kind: string; task_id: string; status: Status; seq: number; final: boolean; at: string }

/** An event as A2A tells of a task that moved. */
const toUpdate = (payload: Json, rpcId: string | number | null): { event: string; data: Json } => {
  const { kind, task_id, status, seq, final, at, ...more } = payload as unknown as Happened & {
    [field: string]: Json
  }
  const result = {
    kind: 'status-update',
    taskId: task_id,
    contextId: task_id,
    status: { state: a2aStates[status], timestamp: at },
    final,
    metadata: { ...more, service_status: status, seq },
  }
  return { event: kind, data: { jsonrpc: '2.0', id: rpcId, result } }
}

/** True when an entry of the log has this number: what the client says that it has is believed only then. */
const isInLog = async (store: Store, topic: string, at: number): Promise<boolean> =>
  at === 0 || (await store.read(topic, at - 1, 1))[0]?.at === at

/** The number of the last entry of a log that holds some dozens. */
const findLast = async (store: Store, topic: string): Promise<number> => {
  let last = 0
  for (;;) {
    const entries = await store.read(topic, last, 100)
    const end = entries.at(-1)
    if (!end) return last
    last = end.at
  }
}

export default endpoint({
  name: 'task_stream',
  title: 'Follow a task',
  description:
    'Streams what happens to a task as server-sent events, from its beginning or after Last-Event-ID, until it is over. Free.',
  method: 'POST',
  path: '/a2a/v1/stream',
  body: 'raw',
  maxBytes: 65_536,
  accepts: ['application/json'],
  answers: ['text/event-stream'],
  needs: ['store', tasksSettings.arbiters],
  auth: ['erc8128', 'apiKey', 'public'],
  limits: [{ perMinute: 60, per: 'client' }],
}).run(async ({ store, caller, arbiters }, { bytes, headers, signal }) => {
  const { taskId, rpcId, lastEventId } = readRequest(bytes)
  const topic = taskEvents.toName(taskId)
  /** Whoever may not read the task any more is told nothing more of it: an open task is everybody's, not what follows. */
  const load = async () => {
    const task = await loadTask(store, taskId)
    checkVisible(task, caller?.id, arbiters)
    return task
  }
  // The task itself is not kept: a stream may be open for weeks.
  const { ended } = await load()
  const claimed = lastEventNumber(
    headers['last-event-id'] ?? (lastEventId === undefined ? undefined : String(lastEventId)),
  )

  async function* events(): AsyncGenerator<StreamEvent> {
    const end = { event: 'stream.end', data: { task_id: taskId } }
    let after = claimed
    if (!(await isInLog(store, topic, claimed))) {
      after = await findLast(store, topic)
      yield {
        id: String(after),
        event: 'reset',
        data: { task: toPublicTask(await load()) as unknown as Json },
      }
    }
    if (ended && (await store.read(topic, after, 1)).length === 0) {
      yield end
      return
    }
    const toEvent = (payload: Json) => toUpdate(payload, rpcId)
    for await (const event of topicEvents(store, topic, { after, signal, toEvent })) {
      try {
        await load()
      } catch {
        yield end
        return
      }
      yield event
      const { result } = event.data as { result: { final: boolean } }
      if (result.final) {
        yield end
        return
      }
    }
  }
  return { kind: 'events', events: events() }
})
