import { call } from '../mcp/kernel/call.ts'
import { PaymentPending, PaymentRequired, ToolError } from '../mcp/kernel/error.ts'
import { checkToolInput } from '../mcp/kernel/pipeline/check.ts'
import { askInput, findAsking, tellInput } from './ask-input.ts'
import { type A2aDeps, type Exchange, toIncoming } from './exchange.ts'
import { type Choice, choose } from './skills/choose.ts'
import { paymentIn } from './tasks/payment.ts'
import { isKeepable, toTask } from './tasks/row.ts'
import { addTask, type TaskStore } from './tasks/store.ts'
import {
  computeDeadline,
  confirming,
  inBackground,
  tooLargeToPay,
  toPaymentRequest,
  work,
} from './tasks/work.ts'
import type { SendParams } from './wire/decode.ts'
import { type A2aTask, type Message, toAgentMessage } from './wire/message.ts'

/** Answers with a task at once; the work goes on behind it. An input that the skill does not take starts none. */
const startTask = async (
  taskStore: TaskStore,
  exchange: Exchange,
  { message }: SendParams,
  choice: Choice,
): Promise<A2aTask> => {
  const { tool, input } = choice
  checkToolInput(tool, input)
  const { payment, pays: paying } = paymentIn(taskStore.world, message, exchange.evidence)
  const row = await addTask(taskStore, {
    userMessage: message,
    owner: await exchange.identity.caller(),
    client: exchange.evidence.client,
    state: 'working',
    tool: tool.name,
    input,
    deadline: computeDeadline(tool, paying, taskStore.now()),
    paying,
    offer: null,
    toAnswer: () => null,
  })
  const incoming = toIncoming(exchange, tool, input, payment, row.id)
  inBackground(taskStore, row, work(taskStore, exchange.identity.service, row, tool, incoming))
  return toTask(row)
}

/** A task that waits for its payment. */
const askPayment = async (
  { taskStore }: { taskStore: TaskStore },
  { evidence, identity }: Exchange,
  message: Message,
  { tool, input }: Choice,
  error: PaymentRequired,
): Promise<A2aTask> => {
  const owner = await identity.caller()
  if (!isKeepable({ owner: owner?.id ?? null }, input))
    throw new ToolError('too_large', `${error.message} ${tooLargeToPay(taskStore, tool.name)}`)
  const { text, data, metadata } = toPaymentRequest(error, taskStore, tool.name)
  const row = await addTask(taskStore, {
    userMessage: message,
    owner,
    client: evidence.client,
    state: 'input-required',
    tool: tool.name,
    input,
    deadline: null,
    paying: false,
    offer: data,
    toAnswer: place => toAgentMessage(place, text, data, metadata),
  })
  return toTask(row)
}

/** A task whose payment is being confirmed. Where none can be kept, the message itself may be sent again. */
const awaitConfirmation = async (
  taskStore: TaskStore,
  { evidence, identity }: Exchange,
  message: Message,
  { tool, input }: Choice,
  error: PaymentPending,
): Promise<A2aTask> => {
  const owner = await identity.caller()
  if (!isKeepable({ owner: owner?.id ?? null }, input)) throw error
  const { text, metadata, ...more } = confirming(taskStore, error)
  const row = await addTask(taskStore, {
    userMessage: message,
    owner,
    client: evidence.client,
    state: 'working',
    tool: tool.name,
    input,
    deadline: null,
    paying: true,
    offer: null,
    ...more,
    toAnswer: place => toAgentMessage(place, text, undefined, metadata),
  }).catch(() => {
    throw error
  })
  return toTask(row)
}

/** Answers a message that starts something: with a Message, or with a Task that waits for payment or works on. */
export const begin = async (
  deps: A2aDeps,
  exchange: Exchange,
  sending: SendParams,
): Promise<Message | A2aTask> => {
  const { world, skills, taskStore } = deps
  const { message, metadata, configuration, later } = sending
  const choice = choose(skills, message, [message.metadata ?? {}, metadata, configuration])
  // Only the context of a message names what waits for it.
  const asking =
    message.contextId === undefined ? undefined : await findAsking(deps, exchange, message, choice)
  if (asking) return tellInput(asking, exchange, sending)
  if (choice.refusal) throw choice.refusal
  if (later && choice.chosen && !choice.prose && taskStore)
    return startTask(taskStore, exchange, sending, choice)
  const { tool, input } = choice
  const { payment } = paymentIn(world, message, exchange.evidence)
  try {
    const incoming = toIncoming(exchange, tool, input, payment)
    incoming.signal = exchange.gone()
    const { text, output, parts } = await call(world, exchange.identity.service, tool, incoming)
    const contextId = message.contextId ?? deps.contexts.make()
    return toAgentMessage({ contextId }, text, output, parts?.a2a)
  } catch (cause) {
    if (cause instanceof PaymentPending && taskStore)
      return awaitConfirmation(taskStore, exchange, message, choice, cause)
    if (choice.prose && taskStore && cause instanceof ToolError && cause.code === 'invalid_input')
      return askInput(taskStore, exchange, message, choice, cause)
    if (!(cause instanceof PaymentRequired) || !taskStore) throw cause
    return askPayment({ ...deps, taskStore }, exchange, message, choice, cause)
  }
}
