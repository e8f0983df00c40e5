import { ToolError } from '../mcp/kernel/error.ts'
import type { A2aDeps, Exchange } from './exchange.ts'
import { sendMessage } from './send.ts'
import { cancelTask } from './tasks/cancel.ts'
import { listTasks } from './tasks/list.ts'
import { findRecord } from './tasks/record.ts'
import { isOver, toTask } from './tasks/row.ts'
import { findTask } from './tasks/store.ts'
import { readCount, readId } from './wire/decode.ts'
import { encodeTask } from './wire/encode.ts'
import { A2aError, invalidParam } from './wire/failure.ts'
import { type Fields, field } from './wire/fields.ts'
import type { Operation } from './wire/methods.ts'

type Run = (deps: A2aDeps, exchange: Exchange) => Promise<object>

const readTaskId = (params: Fields): string => {
  const id = readId('id', params.id)
  if (id === undefined) throw invalidParam('id', 'is required')
  return id
}

/** Counts a read of tasks like a call. */
const takeLimit = async ({ world }: A2aDeps, { evidence }: Exchange): Promise<void> => {
  const standing = await world.limits.take(evidence.client, world.perMinute)
  if (standing.ok) return
  throw new ToolError('too_many_requests', `This server allows ${standing.quota} calls a minute.`, {
    retryAfter: standing.resetSeconds,
  })
}

const get: Run = async (deps, exchange) => {
  const { params, version, identity } = exchange
  const historyLength = readCount('historyLength', field(params, 'historyLength'))
  await takeLimit(deps, exchange)
  const id = readTaskId(params)
  const record = await findRecord(deps, exchange, id)
  const task = record ?? toTask(await findTask(deps.taskStore, id, identity.caller))
  return encodeTask(version, task, { historyLength, artifacts: true })
}

const cancel: Run = async (deps, exchange) => {
  const { params, version, identity } = exchange
  await takeLimit(deps, exchange)
  const task = await findTask(deps.taskStore, readTaskId(params), identity.caller)
  const row = deps.taskStore && !isOver(task) ? await cancelTask(deps.taskStore, task.id) : task
  if (row.state !== 'canceled')
    throw new A2aError('taskNotCancelable', `The task is ${row.state}; it cannot be canceled.`, {
      info: { taskId: row.id },
    })
  return encodeTask(version, toTask(row), { historyLength: undefined, artifacts: true })
}

const list: Run = async (deps, exchange) => {
  await takeLimit(deps, exchange)
  return listTasks(deps.taskStore, exchange.version, exchange.params, await exchange.identity.caller())
}

const refuse =
  (kind: 'notOffered' | 'pushNotSupported', detail: string, hint: string): Run =>
  () =>
    Promise.reject(new A2aError(kind, detail, { hint }))

/** Handlers by operation. Streaming, push and the extended card are declared off (spec §1, §6). */
export const operationHandlers: Readonly<Record<Operation, Run>> = {
  send: sendMessage,
  get,
  list,
  cancel,
  stream: refuse('notOffered', 'Streaming is not offered.', 'Use message/send or SendMessage.'),
  push: refuse(
    'pushNotSupported',
    'Push notifications are not offered.',
    'Ask for the task with tasks/get or GetTask.',
  ),
  extendedCard: refuse('notOffered', 'There is no extended card.', 'The public card is all there is.'),
}
