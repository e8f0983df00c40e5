import { randomUUID } from 'node:crypto'
import { call, type Incoming, type Outcome } from '../../mcp/kernel/call.ts'
import {
  isExplained,
  PaymentPending,
  PaymentRequired,
  type ToolError,
  toToolError,
} from '../../mcp/kernel/error.ts'
import type { Service } from '../../mcp/kernel/service.ts'
import { type AnyTool, isSecret } from '../../mcp/kernel/tool.ts'
import { toAgentMessage } from '../wire/message.ts'
import { refusedMetadata } from './payment.ts'
import { change, isKeepable, maxStoredBytes, type TaskRow, toTimestamps } from './row.ts'
import type { TaskStore } from './store.ts'

const margin = 30_000
const paidWork = 3600_000

/** When a run that starts now counts as interrupted; a paid one is not bound by the tool's time limit. */
export const computeDeadline = ({ timeoutMs = 30_000 }: AnyTool, paying: boolean, now: Date): string =>
  new Date(now.getTime() + (paying ? paidWork : timeoutMs + margin)).toISOString()

type Ending = Partial<
  Pick<TaskRow, 'state' | 'message' | 'artifacts' | 'offer' | 'paying' | 'paid' | 'confirm' | 'payment'>
>

const toCompletedEnding = (
  { id, contextId, tool }: TaskRow,
  { text, output, receipt, parts }: Outcome,
): Ending => {
  const message = toAgentMessage({ contextId, taskId: id }, text, undefined, parts?.a2a)
  const artifacts = [{ artifactId: randomUUID(), name: tool, parts: [{ text }, { data: output }] }]
  return { state: 'completed', message, artifacts, ...(receipt && { paid: true }) }
}

/**
 * What asks for a payment: the quote for clients with the x402 extension, and for all others in words and data. How else the
 * call can be had, such as for nothing in a moment, follows in words, and its facts in the metadata.
 */
export const toPaymentRequest = (error: PaymentRequired, { world, service }: TaskStore, tool: string) => {
  const { hint, params } = error.extra
  const pay = `Send the payment with this taskId, or pay over REST: POST ${world.base(service)}/tools/${tool}`
  const metadata = { ...params, ...error.parts.a2a }
  return {
    text: [error.message, pay, hint].filter(part => part !== undefined).join(' '),
    data: error.parts.structured ?? error.toProblem(world.site.url),
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
  }
}

/** How a call is paid whose input no task keeps. */
export const tooLargeToPay = ({ world, service }: TaskStore, tool: string): string =>
  `Its input is too large for a task to keep until it is paid: send the payment with the message, or pay over REST: POST ${world.base(service)}/tools/${tool}`

const maxPauseMs = 60_000

/** Milliseconds from one look at a payment to the next: it is mostly there within seconds. */
const pauseMs = (tries: number): number => Math.min(maxPauseMs, 3_000 * 1.5 ** tries)

/** Tells that a payment is being confirmed, how to go on, and when the work is tried again without the client. */
export const confirming = ({ now }: TaskStore, { message, extra, record }: PaymentPending, tries = 0) => ({
  text:
    record === undefined
      ? `${message} Send the same payment with this taskId again in a few seconds.`
      : `${message} The task goes on by itself; ask for it in a few seconds.`,
  metadata: extra.parts?.a2a,
  confirm: new Date(now().getTime() + pauseMs(tries)).toISOString(),
  payment: record === undefined ? null : { record, tries },
})

const toFailedEnding = (taskStore: TaskStore, row: TaskRow, error: ToolError): Ending => {
  const place = { contextId: row.contextId, taskId: row.id }
  if (error instanceof PaymentPending) {
    const { text, metadata, ...more } = confirming(taskStore, error, (row.payment?.tries ?? -1) + 1)
    return {
      state: 'working',
      paying: true,
      ...more,
      message: toAgentMessage(place, text, undefined, metadata),
    }
  }
  if (error instanceof PaymentRequired && !row.paying && row.input === null) {
    const { hint } = error.extra
    const text = [error.message, tooLargeToPay(taskStore, row.tool), hint]
      .filter(part => part !== undefined)
      .join(' ')
    return {
      state: 'failed',
      message: toAgentMessage(place, text, error.toProblem(taskStore.world.site.url)),
    }
  }
  if (error instanceof PaymentRequired && !row.paying) {
    const { text, data, metadata } = toPaymentRequest(error, taskStore, row.tool)
    return { state: 'input-required', offer: data, message: toAgentMessage(place, text, data, metadata) }
  }
  const metadata = row.paying ? refusedMetadata(error) : undefined
  const again = row.paying && !metadata ? ' Sending the same payment again does not pay twice.' : ''
  const message = toAgentMessage(
    place,
    `${error.message}${again}`,
    error.toProblem(taskStore.world.site.url),
    metadata,
  )
  const isPaid = error.extra.payment?.success === true
  return { state: 'failed', message, ...(isPaid && { paid: isPaid }) }
}

/** The ending as it is stored where its output is too large: the message says so. */
const withoutOutput = (row: TaskRow, { artifacts, ...ending }: Ending): Ending => {
  const bytes = Buffer.byteLength(JSON.stringify(artifacts))
  const maxBytes = maxStoredBytes({ ...row, ...ending })
  const again = ending.paid ? 'with the same payment ' : ''
  const text = `The answer was too large to keep: ${bytes} bytes, and a task of this caller keeps ${maxBytes}. Send the message again ${again}without asking for a task, and it comes at once.`
  const { message } = ending
  return { ...ending, ...(message && { message: { ...message, parts: [...message.parts, { text }] } }) }
}

/** Stores how a task ended. What holds a secret or is too large is told this once and not stored. */
const end = async (taskStore: TaskStore, row: TaskRow, ending: Ending, secret = false): Promise<TaskRow> => {
  const { artifacts, ...bare } = ending
  const isLarge = artifacts !== undefined && !isKeepable({ ...row, ...ending }, artifacts)
  const storedRow = isLarge && !secret ? withoutOutput(row, ending) : bare
  const isToldOnce = secret || isLarge
  const { row: after } = await change(
    taskStore.store,
    row.id,
    ({ state }) => state === 'working',
    before => ({
      ...before,
      ...toTimestamps(taskStore.now()),
      deadline: null,
      paying: false,
      confirm: null,
      payment: null,
      ...(isToldOnce ? storedRow : ending),
    }),
  )
  return after && isToldOnce && artifacts ? { ...after, artifacts } : (after ?? row)
}

/**
 * Answers a paid task that is over once more, for the payment that it was paid with: its answer was lost, and may hold what no task
 * keeps. Nothing is stored. Throws what the call throws.
 */
export const answerAgain = async (
  taskStore: TaskStore,
  service: Service,
  row: TaskRow,
  tool: AnyTool,
  incoming: Incoming,
): Promise<TaskRow> => ({
  ...row,
  ...toCompletedEnding(row, await call(taskStore.world, service, tool, incoming)),
})

/**
 * Runs the tool of a task that is working and stores how it ends; a task that was canceled meanwhile stays so. Aborted
 * by a cancellation in this process. Throws only when the store fails.
 */
export const work = async (
  taskStore: TaskStore,
  service: Service,
  row: TaskRow,
  tool: AnyTool,
  incoming: Incoming,
): Promise<TaskRow> => {
  const controller = new AbortController()
  taskStore.running.set(row.id, controller)
  try {
    const outcome = await call(taskStore.world, service, tool, { ...incoming, signal: controller.signal })
    return await end(taskStore, row, toCompletedEnding(row, outcome), isSecret(tool, outcome.output))
  } catch (failure) {
    return await end(taskStore, row, toFailedEnding(taskStore, row, toToolError(failure)))
  } finally {
    taskStore.running.delete(row.id)
  }
}

/** Lets work go on after its task was answered; only a store that fails ends it, and that is recorded. */
export const inBackground = (
  { world, service }: TaskStore,
  row: TaskRow,
  running: Promise<unknown>,
): void => {
  running.catch((cause: unknown) =>
    world.record({
      service: service.slug,
      tool: row.tool,
      channel: 'a2a',
      caller: row.owner ?? undefined,
      price: undefined,
      receipt: undefined,
      ms: 0,
      code: toToolError(cause).code,
      ...(!isExplained(cause) && { ref: row.id, cause }),
    }),
  )
}
