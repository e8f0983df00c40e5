import { ToolError, toToolError } from '../mcp/kernel/error.ts'
import { checkToolInput } from '../mcp/kernel/pipeline/check.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import { type A2aDeps, type Exchange, toIncoming } from './exchange.ts'
import { type Choice, joinText, mergeData, readToolArguments } from './skills/choose.ts'
import { readAnswer } from './skills/words.ts'
import { paymentIn } from './tasks/payment.ts'
import { change, type TaskRow, taskRows, toTask, toTimestamps } from './tasks/row.ts'
import { addTask, remember, type TaskStore } from './tasks/store.ts'
import { computeDeadline, inBackground, work } from './tasks/work.ts'
import type { SendParams } from './wire/decode.ts'
import type { Fields } from './wire/fields.ts'
import { type A2aTask, type Message, toAgentMessage } from './wire/message.ts'

/** A task that waits for what its first words did not say. */
export type WaitingTask = { taskStore: TaskStore; row: TaskRow; tool: AnyTool }

const selectors = ['skill', 'skillId', 'skill_id', 'operation']

/** True when a task waits for words, and not for a payment. */
export const awaitsInput = ({ state, offer, input }: TaskRow): boolean =>
  state === 'input-required' && offer === null && input !== null

/** Keeps fields that fit; wrong ones are asked for again. */
const dropWrong = (input: Fields, { extra: { issues = [] } }: ToolError): Fields => {
  const wrong = new Set(issues.map(({ path }) => path.split('.')[0]))
  return Object.fromEntries(Object.entries(input).filter(([name]) => !wrong.has(name)))
}

/** Missing fields, in words and as data. */
const toQuestion = (
  place: { contextId: string; taskId: string },
  { input: { shape } }: AnyTool,
  known: Fields,
  { extra: { issues = [] } }: ToolError,
): Message => {
  const missing = issues.map(({ path, message }) => {
    const field = shape[path.split('.')[0] ?? '']
    return { path, message, description: field?.description ?? '' }
  })
  const list = missing
    .map(({ path, description }) => (description ? `${path} (${description})` : path))
    .join('; ')
  const text = `Nothing was done yet. Still needed: ${list}. Send it with this taskId, in words or as data.`
  return toAgentMessage(place, text, { missing, known })
}

/** Answers words that say too little with a task that asks for the rest. */
export const askInput = async (
  taskStore: TaskStore,
  { evidence, identity }: Exchange,
  message: Message,
  { tool, input }: Choice,
  error: ToolError,
): Promise<A2aTask> => {
  const validInput = dropWrong(input, error)
  const row = await addTask(taskStore, {
    userMessage: message,
    owner: await identity.caller(),
    client: evidence.client,
    state: 'input-required',
    tool: tool.name,
    input: validInput,
    deadline: null,
    paying: false,
    offer: null,
    toAnswer: place => toQuestion(place, tool, validInput, error),
  })
  return toTask(row)
}

/** The task of the caller in the context of a message that waits for words; a message that chooses something else starts that. */
export const findAsking = async (
  { taskStore }: A2aDeps,
  { identity }: Exchange,
  { contextId, taskId }: Message,
  { tool, chosen, prose }: Choice,
): Promise<WaitingTask | undefined> => {
  if (!taskStore || contextId === undefined || taskId !== undefined) return undefined
  const service = identity.service.slug
  const isAnswer = prose || tool.a2a?.prose !== undefined
  if (chosen && !isAnswer) return undefined
  const owner = await identity.caller()
  if (!owner) return undefined
  const { rows } = await taskRows(taskStore.store).find({
    index: 'context-state',
    where: { service, owner: owner.id, contextId, state: 'input-required' },
    order: 'desc',
    limit: 10,
  })
  for (const row of rows) {
    const asking = identity.service.tools.find(({ name }) => name === row.tool)
    const isLive = row.expires >= taskStore.now().toISOString()
    if (asking && isLive && (!chosen || asking === tool) && awaitsInput(row))
      return { taskStore, row, tool: asking }
  }
  return undefined
}

const mergeInput = (tool: AnyTool, known: Fields, message: Message): Fields => {
  const text = joinText(message)
  const data = mergeData(message)
  const said =
    text === '' ? {} : (tool.a2a?.prose?.read(text.slice(0, 10_000), known) ?? readAnswer(tool, text, known))
  return { ...known, ...said, ...(data && readToolArguments(tool, data, selectors)) }
}

const findInputFault = (tool: AnyTool, input: Fields): ToolError | undefined => {
  try {
    checkToolInput(tool, input)
    return undefined
  } catch (error) {
    if (error instanceof ToolError) return error
    throw toToolError(error)
  }
}

/** Goes on with a task that asked for more: does the work once all is said, asks again otherwise. */
export const tellInput = async (
  { taskStore, row: { id }, tool }: WaitingTask,
  exchange: Exchange,
  { message, later }: Pick<SendParams, 'message' | 'later'>,
): Promise<A2aTask> => {
  const { row, won } = await change(taskStore.store, id, awaitsInput, before => {
    const input = mergeInput(tool, before.input ?? {}, message)
    const fault = findInputFault(tool, input)
    const place = { contextId: before.contextId, taskId: before.id }
    const spoken = [...before.history, ...(before.message ? [before.message] : [])]
    const answeredTask: TaskRow = {
      ...before,
      ...toTimestamps(taskStore.now()),
      history: remember(taskStore.world, spoken, message, before),
    }
    if (!fault)
      return {
        ...answeredTask,
        input,
        state: 'working',
        message: null,
        deadline: computeDeadline(tool, false, taskStore.now()),
      }
    const validInput = dropWrong(input, fault)
    return { ...answeredTask, input: validInput, message: toQuestion(place, tool, validInput, fault) }
  })
  if (!row) throw new Error('a task was dropped while it was told of')
  if (!won || row.state !== 'working') return toTask(row)
  const { payment } = paymentIn(taskStore.world, message, exchange.evidence)
  const incoming = toIncoming(exchange, tool, row.input, payment, row.id)
  const running = work(taskStore, exchange.identity.service, row, tool, incoming)
  if (!later) return toTask(await running)
  inBackground(taskStore, row, running)
  return toTask(row)
}
