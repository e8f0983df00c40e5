import { type Bench, type Exchange, incomingOf } from './exchange.ts'
import { type Desk, findForMessage, remember } from './tasks/desk.ts'
import { paymentIn } from './tasks/payment.ts'
import { awaitsConfirmation, change, isOver, stamped, type TaskRow, taskOf } from './tasks/row.ts'
import { answerAgain, deadlineOf, inBackground, work } from './tasks/work.ts'
import type { Sending } from './wire/decode.ts'
import { A2aError } from './wire/failure.ts'
import { type Message, say, type Task } from './wire/message.ts'

const reject = async (desk: Desk, row: TaskRow, asked: Message): Promise<Task> => {
  const metadata = { 'x402.payment.status': 'payment-rejected' }
  const message = say(
    { contextId: row.contextId, taskId: row.id },
    'The payment was declined.',
    undefined,
    metadata,
  )
  const { row: after } = await change(
    desk.store,
    row.id,
    ({ state }) => state === 'input-required',
    before => ({ ...grown(desk, before, asked), ...stamped(desk.now()), state: 'canceled', message }),
  )
  return taskOf(after ?? row)
}

const grown = ({ world }: Desk, row: TaskRow, asked: Message): TaskRow => ({
  ...row,
  history: remember(world, [...row.history, ...(row.message ? [row.message] : [])], asked, row),
})

/** Goes on with a task that waits for its payment: the same tool, the stored input. */
export const goOn = async (
  { world, desk }: Bench,
  exchange: Exchange,
  { message, later }: Sending,
): Promise<Task> => {
  const { evidence, who } = exchange
  const { payment, pays, rejected } = paymentIn(world, message, evidence)
  const row = await findForMessage(desk, message, who.caller, pays)
  if (row.state === 'working' && !pays)
    throw new A2aError('taskOver', 'The task is being worked on; it takes no message before it is done.')
  const tool = who.service.tools.find(({ name }) => name === row.tool)
  if (desk && tool && isOver(row))
    return taskOf(
      await answerAgain(desk, who.service, row, tool, incomingOf(exchange, tool, row.input, payment, row.id)),
    )
  const confirming = awaitsConfirmation(row)
  if (!desk || !tool || (row.state === 'working' && !confirming)) return taskOf(row)
  if (rejected && !confirming) return reject(desk, row, message)
  if (!pays) return taskOf(row)

  const { row: claimed = row, won } = await change(
    desk.store,
    row.id,
    before => before.state === 'input-required' || awaitsConfirmation(before),
    before => ({
      ...grown(desk, before, message),
      ...stamped(desk.now()),
      state: 'working',
      message: null,
      paying: true,
      confirm: null,
      deadline: deadlineOf(tool, true, desk.now()),
    }),
  )
  if (!won) return taskOf(claimed)
  const running = work(
    desk,
    who.service,
    claimed,
    tool,
    incomingOf(exchange, tool, claimed.input, payment, claimed.id),
  )
  if (!later) return taskOf(await running)
  inBackground(desk, claimed, running)
  return taskOf(claimed)
}
