import { awaitsInput, tellInput } from './ask-input.ts'
import { type A2aDeps, type Exchange, toIncoming } from './exchange.ts'
import { paymentIn } from './tasks/payment.ts'
import { awaitsConfirmation, change, isOver, type TaskRow, toTask, toTimestamps } from './tasks/row.ts'
import { findForMessage, remember, type TaskStore } from './tasks/store.ts'
import { answerAgain, computeDeadline, inBackground, work } from './tasks/work.ts'
import type { SendParams } from './wire/decode.ts'
import { A2aError } from './wire/failure.ts'
import { type A2aTask, type Message, toAgentMessage } from './wire/message.ts'

const reject = async (taskStore: TaskStore, row: TaskRow, userMessage: Message): Promise<A2aTask> => {
  const metadata = { 'x402.payment.status': 'payment-rejected' }
  const message = toAgentMessage(
    { contextId: row.contextId, taskId: row.id },
    'The payment was declined.',
    undefined,
    metadata,
  )
  const { row: after } = await change(
    taskStore.store,
    row.id,
    ({ state }) => state === 'input-required',
    before => ({
      ...withMessage(taskStore, before, userMessage),
      ...toTimestamps(taskStore.now()),
      state: 'canceled',
      message,
    }),
  )
  return toTask(after ?? row)
}

const withMessage = ({ world }: TaskStore, row: TaskRow, userMessage: Message): TaskRow => ({
  ...row,
  history: remember(world, [...row.history, ...(row.message ? [row.message] : [])], userMessage, row),
})

/** Goes on with a task that waits for its payment: the same tool, the stored input. */
export const goOn = async (
  { world, taskStore }: A2aDeps,
  exchange: Exchange,
  { message, later }: SendParams,
): Promise<A2aTask> => {
  const { evidence, identity } = exchange
  const { payment, pays, rejected } = paymentIn(world, message, evidence)
  const row = await findForMessage(taskStore, message, identity.caller, pays)
  if (row.state === 'working' && !pays)
    throw new A2aError('taskOver', 'The task is being worked on; it takes no message before it is done.')
  const tool = identity.service.tools.find(({ name }) => name === row.tool)
  if (taskStore && tool && isOver(row))
    return toTask(
      await answerAgain(
        taskStore,
        identity.service,
        row,
        tool,
        toIncoming(exchange, tool, row.input, payment, row.id),
      ),
    )
  const confirming = awaitsConfirmation(row)
  if (!taskStore || !tool || (row.state === 'working' && !confirming)) return toTask(row)
  if (awaitsInput(row)) return tellInput({ taskStore, row, tool }, exchange, { message, later })
  if (rejected && !confirming) return reject(taskStore, row, message)
  if (!pays) return toTask(row)

  const { row: claimedRow = row, won } = await change(
    taskStore.store,
    row.id,
    before => before.state === 'input-required' || awaitsConfirmation(before),
    before => ({
      ...withMessage(taskStore, before, message),
      ...toTimestamps(taskStore.now()),
      state: 'working',
      message: null,
      paying: true,
      confirm: null,
      deadline: computeDeadline(tool, true, taskStore.now()),
    }),
  )
  if (!won) return toTask(claimedRow)
  const running = work(
    taskStore,
    identity.service,
    claimedRow,
    tool,
    toIncoming(exchange, tool, claimedRow.input, payment, claimedRow.id),
  )
  if (!later) return toTask(await running)
  inBackground(taskStore, claimedRow, running)
  return toTask(claimedRow)
}
