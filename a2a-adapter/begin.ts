import { call } from '../mcp/kernel/call.ts'
import { PaymentPending, PaymentRequired, ToolError } from '../mcp/kernel/error.ts'
import { checkInput } from '../mcp/kernel/pipeline/check.ts'
import { type Bench, type Exchange, incomingOf } from './exchange.ts'
import { type Chosen, choose } from './skills/choose.ts'
import { isKeepable } from './tasks/bounds.ts'
import { addTask, type Desk } from './tasks/desk.ts'
import { paymentIn } from './tasks/payment.ts'
import { taskOf } from './tasks/row.ts'
import { confirming, deadlineOf, inBackground, paymentAsked, tooLargeToPay, work } from './tasks/work.ts'
import type { Sending } from './wire/decode.ts'
import { type Message, say, type Task } from './wire/message.ts'

/** Answers with a task at once; the work goes on behind it. An input that the skill does not take starts none. */
const startTask = async (
  desk: Desk,
  exchange: Exchange,
  { message }: Sending,
  chosen: Chosen,
): Promise<Task> => {
  const { tool, input } = chosen
  checkInput(tool.input, input)
  const { payment, pays: paying } = paymentIn(desk.world, message, exchange.evidence)
  const row = await addTask(desk, {
    asked: message,
    owner: await exchange.who.caller(),
    client: exchange.evidence.client,
    state: 'working',
    tool: tool.name,
    input,
    deadline: deadlineOf(tool, paying, desk.now()),
    paying,
    offer: null,
    say: () => null,
  })
  const incoming = incomingOf(exchange, tool, input, payment, row.id)
  inBackground(desk, row, work(desk, exchange.who.service, row, tool, incoming))
  return taskOf(row)
}

/** A task that waits for its payment. */
const askPayment = async (
  { desk }: { desk: Desk },
  { evidence, who }: Exchange,
  message: Message,
  { tool, input }: Chosen,
  error: PaymentRequired,
): Promise<Task> => {
  const owner = await who.caller()
  if (!isKeepable({ owner: owner?.id ?? null }, input))
    throw new ToolError('too_large', `${error.message} ${tooLargeToPay(desk, tool.name)}`)
  const { text, data, metadata } = paymentAsked(error, desk, tool.name)
  const row = await addTask(desk, {
    asked: message,
    owner,
    client: evidence.client,
    state: 'input-required',
    tool: tool.name,
    input,
    deadline: null,
    paying: false,
    offer: data,
    say: place => say(place, text, data, metadata),
  })
  return taskOf(row)
}

/** A task whose payment is being confirmed. Where none can be kept, the message itself may be sent again. */
const awaitConfirmation = async (
  desk: Desk,
  { evidence, who }: Exchange,
  message: Message,
  { tool, input }: Chosen,
  error: PaymentPending,
): Promise<Task> => {
  const owner = await who.caller()
  if (!isKeepable({ owner: owner?.id ?? null }, input)) throw error
  const { text, metadata, ...more } = confirming(desk, error)
  const row = await addTask(desk, {
    asked: message,
    owner,
    client: evidence.client,
    state: 'working',
    tool: tool.name,
    input,
    deadline: null,
    paying: true,
    offer: null,
    ...more,
    say: place => say(place, text, undefined, metadata),
  }).catch(() => {
    throw error
  })
  return taskOf(row)
}

/** Answers a message that starts something: with a Message, or with a Task that waits for payment or works on. */
export const begin = async (bench: Bench, exchange: Exchange, sending: Sending): Promise<Message | Task> => {
  const { world, skills, desk } = bench
  const { message, metadata, configuration, later } = sending
  const chosen = choose(skills, message, [message.metadata ?? {}, metadata, configuration])
  if (later && chosen.chosen && desk) return startTask(desk, exchange, sending, chosen)
  const { tool, input } = chosen
  const { payment } = paymentIn(world, message, exchange.evidence)
  try {
    const incoming = { ...incomingOf(exchange, tool, input, payment), signal: exchange.gone() }
    const { text, output, parts } = await call(world, exchange.who.service, tool, incoming)
    const contextId = message.contextId ?? bench.contexts.make()
    return say({ contextId }, text, output, parts?.a2a)
  } catch (thrown) {
    if (thrown instanceof PaymentPending && desk)
      return awaitConfirmation(desk, exchange, message, chosen, thrown)
    if (!(thrown instanceof PaymentRequired) || !desk) throw thrown
    return askPayment({ ...bench, desk }, exchange, message, chosen, thrown)
  }
}
