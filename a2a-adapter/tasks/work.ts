import { randomUUID } from 'node:crypto'
import { call, type Incoming, type Outcome } from '../../mcp/kernel/call.ts'
import { PaymentPending, PaymentRequired, type ToolError, toToolError } from '../../mcp/kernel/error.ts'
import type { Service } from '../../mcp/kernel/service.ts'
import { type AnyTool, isSecret } from '../../mcp/kernel/tool.ts'
import { say } from '../wire/message.ts'
import type { Desk } from './desk.ts'
import { refusedMetadata } from './payment.ts'
import { change, stamped, type TaskRow } from './row.ts'

const margin = 30_000
const paidWork = 3600_000

/** When a run that starts now counts as interrupted; a paid one is not bound by the tool's time limit. */
export const deadlineOf = ({ timeoutMs = 30_000 }: AnyTool, paying: boolean, now: Date): string =>
  new Date(now.getTime() + (paying ? paidWork : timeoutMs + margin)).toISOString()

type Ending = Partial<Pick<TaskRow, 'state' | 'message' | 'artifacts' | 'offer' | 'paying'>>

const completed = ({ id, contextId, tool }: TaskRow, { text, output, parts }: Outcome): Ending => {
  const message = say({ contextId, taskId: id }, text, undefined, parts?.a2a)
  const artifacts = [{ artifactId: randomUUID(), name: tool, parts: [{ text }, { data: output }] }]
  return { state: 'completed', message, artifacts }
}

/** What asks for a payment: the quote for clients with the x402 extension, and for all others in words and data. */
export const paymentAsked = (error: PaymentRequired, base: string, tool: string) => ({
  text: `${error.message} Send the payment with this taskId, or pay over REST: POST ${base}/tools/${tool}`,
  data: error.parts.structured ?? error.toProblem(),
  metadata: error.parts.a2a,
})

/** What tells that a payment is being confirmed, and how to go on. */
export const confirming = (error: PaymentPending) => ({
  text: `${error.message} Send the same payment with this taskId again in a few seconds.`,
  metadata: error.extra.parts?.a2a,
})

const failed = (desk: Desk, row: TaskRow, error: ToolError): Ending => {
  const place = { contextId: row.contextId, taskId: row.id }
  if (error instanceof PaymentPending) {
    const { text, metadata } = confirming(error)
    return { state: 'working', paying: true, message: say(place, text, undefined, metadata) }
  }
  if (error instanceof PaymentRequired && !row.paying) {
    const { text, data, metadata } = paymentAsked(error, desk.world.base(desk.service), row.tool)
    return { state: 'input-required', offer: data, message: say(place, text, data, metadata) }
  }
  const metadata = row.paying ? refusedMetadata(error) : undefined
  const again = row.paying && !metadata ? ' Sending the same payment again does not pay twice.' : ''
  const message = say(place, `${error.message}${again}`, error.toProblem(), metadata)
  return { state: 'failed', message }
}

/** Stores how a task ended. What holds a secret is told this once and not stored. */
const end = async (desk: Desk, row: TaskRow, ending: Ending, secret = false): Promise<TaskRow> => {
  const { artifacts, ...kept } = ending
  const { row: after } = await change(
    desk.rows,
    row.id,
    ({ state }) => state === 'working',
    before => ({
      ...before,
      ...stamped(desk.now()),
      deadline: null,
      paying: false,
      ...(secret ? kept : ending),
    }),
  )
  return after && secret && artifacts ? { ...after, artifacts } : (after ?? row)
}

/**
 * Runs the tool of a task that is working and stores how it ends; a task that was canceled meanwhile stays so. Aborted
 * by a cancellation in this process. Throws only when the store fails.
 */
export const work = async (
  desk: Desk,
  service: Service,
  row: TaskRow,
  tool: AnyTool,
  incoming: Incoming,
): Promise<TaskRow> => {
  const controller = new AbortController()
  desk.running.set(row.id, controller)
  try {
    const outcome = await call(desk.world, service, tool, { ...incoming, signal: controller.signal })
    return await end(desk, row, completed(row, outcome), isSecret(tool, outcome.output))
  } catch (thrown) {
    return await end(desk, row, failed(desk, row, toToolError(thrown)))
  } finally {
    desk.running.delete(row.id)
  }
}

/** Lets work go on after its task was answered; only a store that fails ends it, and that is recorded. */
export const inBackground = ({ world, service }: Desk, row: TaskRow, running: Promise<unknown>): void => {
  running.catch((cause: unknown) =>
    world.record({
      service: service.slug,
      tool: row.tool,
      channel: 'a2a',
      caller: row.owner ?? undefined,
      price: undefined,
      receipt: undefined,
      ms: 0,
      code: 'internal',
      ref: row.id,
      cause,
    }),
  )
}
