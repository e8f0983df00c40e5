import { ToolError } from '../mcp/kernel/error.ts'
import { begin } from './begin.ts'
import type { A2aDeps, Exchange } from './exchange.ts'
import { goOn } from './go-on.ts'
import { listTasks } from './tasks/list.ts'
import { findRecord } from './tasks/record.ts'
import { change, isOver, settleTask, type TaskRow, toTask, toTimestamps } from './tasks/row.ts'
import { findTask, type TaskStore } from './tasks/store.ts'
import { readCount, readId, readSending } from './wire/decode.ts'
import { encodeSent, encodeTask } from './wire/encode.ts'
import { A2aError, invalidParam } from './wire/failure.ts'
import { type Fields, field } from './wire/fields.ts'
import type { Operation } from './wire/methods.ts'
import { refuseSecrets } from './wire/secret.ts'

/** `message/send` and `SendMessage`: a Message for what is done at once, a Task where the protocol needs one. */
export const sendMessage = async (deps: A2aDeps, exchange: Exchange): Promise<object> => {
  const sending = readSending(exchange.params)
  refuseSecrets(sending.message)
  const callTool = sending.message.taskId === undefined ? begin : goOn
  const reply = await (deps.agent ?? callTool)(deps, exchange, sending)
  return encodeSent(exchange.version, reply, sending.historyLength)
}

const notCancelable = (row: TaskRow | undefined) => {
  const reason = row?.paying ? 'is being paid for and' : `is ${row?.state ?? 'gone'}; it`
  return new A2aError('taskNotCancelable', `The task ${reason} cannot be canceled.`, {
    ...(row && { info: { taskId: row.id } }),
  })
}

/**
 * Cancels a task atomically: its run, here or in another process, cannot complete it any more. A canceled task stays as
 * it is. Throws -32002 when it is over or being paid for.
 */
const cancelTask = async (taskStore: TaskStore, id: string): Promise<TaskRow> => {
  const { row, won } = await change(
    taskStore.store,
    id,
    before => !isOver(settleTask(before, taskStore.now())) && !before.paying,
    before => ({
      ...before,
      ...toTimestamps(taskStore.now()),
      state: 'canceled',
      deadline: null,
      message: null,
    }),
  )
  if (won) taskStore.running.get(id)?.abort()
  if (!row || (!won && row.state !== 'canceled')) throw notCancelable(row)
  return row
}

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
