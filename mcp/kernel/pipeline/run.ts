import { inSpan } from '../../lib/trace/span.ts'
import type { Paid, Used } from '../../payment/charge.ts'
import type { Ports } from '../../ports/ports.ts'
import { BadCursor, type Store, type Tx } from '../../ports/store/port.ts'
import { ToolError, toToolError } from '../error.ts'
import type { AnyTool, Call, Context, Price } from '../tool.ts'
import { type Abort, abortRun, type DisconnectSignal, onAbort } from './abort.ts'
import { checkOutput } from './check.ts'
import { running, toOriginStore } from './context.ts'
import { countRegistration } from './daily.ts'
import type { Claim } from './idempotency.ts'
import { endWatch, watch } from './watch.ts'

type Output = Record<string, unknown>

/** One run of a handler: its context, the clock over it, and the records its answer is sealed with. */
export type Run = {
  tool: AnyTool
  context: Context<keyof Ports>
  store: Store | undefined
  input: Output
  abort: Abort
  /** Tells when the client has gone. */
  client: DisconnectSignal | undefined
  /** Network address of the client. */
  address: string
  now: () => Date
  claimed: Claim | undefined
  /** Set when the handler starts; from then on the run itself answers for the claimed key. */
  begun: boolean
  /** Price of the call, once that is known. */
  price?: Price
}

export const defaultTimeoutMs = 30_000

const tooSlow = ({ name, timeoutMs = defaultTimeoutMs }: AnyTool): ToolError =>
  new ToolError('timeout', `${name} did not finish in ${timeoutMs / 1000} s; nothing was written.`)

const clientGoneError = (): ToolError =>
  new ToolError('timeout', 'The client went away before the answer was there.')

/** A cursor that a caller made up is the caller's mistake, wherever a tool passes it on. */
const toReadable = (error: unknown): unknown => {
  if (!(error instanceof BadCursor)) return error
  return new ToolError('invalid_input', 'after: not a cursor of this list.', {
    issues: [{ path: 'after', message: 'not a cursor of this list' }],
    hint: 'Send the "next" of the page before unchanged, or leave it out.',
  })
}

const reissue = async (
  tool: AnyTool,
  ctx: Context<keyof Ports>,
  input: Output,
  { refused }: NonNullable<Paid['again']>,
): Promise<object> => {
  if (!tool.reissue) throw new Error(`${tool.name} has secrets that it cannot make anew`)
  return tool.reissue(ctx, input, refused)
}

/** Tells the service of a paid call of a caller it knows. A payment that is not sure yet, or was answered before, is not told. */
const reportPaid = async (tx: Tx, { tool, context, price = tool.price, now }: Run, payment: Paid) => {
  const { service, caller } = context
  const { receipt, again } = payment
  if (caller && receipt && !again) await service.onPaid?.(tx, { tool, caller, receipt, price, at: now() })
}

/** An amount in units so small that none has a part of one. */
const toScaled = ({ amount }: Price): bigint => {
  const [whole = '', rest = ''] = amount.split('.')
  return BigInt(whole + rest.padEnd(18, '0'))
}

/** A price as a part of the one that was quoted. Throws where it is more, or of another unit. */
const toUsed = (used: Price, quoted: Price): Used => {
  const [part, of] = [toScaled(used), toScaled(quoted)]
  if (used.unit !== quoted.unit || part <= 0n || part > of)
    throw new Error(`${used.amount} ${used.unit} is no part of ${quoted.amount} ${quoted.unit}`)
  return { part, of }
}

/** Runs the handler to a checked answer that is sealed with its records, in the handler's own transaction if it commits. */
const perform = async (run: Run, payment: Paid | undefined) => {
  const { tool, context, store, input, abort, address, now, claimed: claim } = run
  let used: { price: Price; part: Used } | undefined
  let sealed: { answer: object; output: Output } | undefined
  const seal = async (tx: Tx, output: Output) => {
    await claim?.seal(tx, output, payment !== undefined)
    if (payment) await reportPaid(tx, used ? { ...run, price: used.price } : run, payment)
    await payment?.seal(tx, output, used?.part)
  }
  const transaction: Store['transaction'] = work => {
    if (store) return toOriginStore(store, context).transaction(work)
    throw new ToolError('unavailable', `${tool.name} needs "store", which is not configured here.`)
  }
  const commit: Call['commit'] = async work => {
    await payment?.collect?.()
    return transaction(async tx => {
      const answer = await work(tx)
      const output = checkOutput(tool.output, answer)
      if (tool.registers) await countRegistration(tx, tool, output, address, now())
      await seal(tx, output)
      if (abort.aborted) throw abort.reason
      sealed = { answer, output }
      return answer
    })
  }
  const decline: Call['decline'] = async work => {
    if (!payment) throw new Error('only a call that was paid for can be declined')
    throw await transaction(async tx => {
      const { refusal, secret = false } = await work(tx)
      await payment.decline(tx, refusal, secret)
      return refusal
    })
  }
  const spend: Call['spend'] = price => {
    if (!payment?.isHeld) return false
    const part = toUsed(price, run.price ?? tool.price)
    used = { price, part }
    return true
  }
  const ctx = running(context, { commit, decline, spend }, payment)
  let answer: object
  try {
    answer = await (payment?.again ? reissue(tool, ctx, input, payment.again) : tool.run(ctx, input))
  } catch (error) {
    throw toReadable(error)
  }
  if (sealed && sealed.answer !== answer) throw new Error('a handler must answer with what it committed')
  if (sealed) return sealed.output
  if (tool.registers) throw new Error(`${tool.name} registers, so it must answer with commit`)
  const output = checkOutput(tool.output, answer)
  await payment?.collect?.()
  if (claim || payment) await transaction(tx => seal(tx, output))
  return output
}

/**
 * Runs a handler under its time limit. A time-out or a client that went away aborts the signal and stops a later
 * `commit`; a paid handler is stopped by neither.
 */
export const runTool = (run: Run, payment?: Paid): Promise<Output> => {
  const { asker } = run.context
  const { span: parent } = asker
  if (!parent) return runNow(run, payment)
  return inSpan(parent, ['run', 'internal'], async span => {
    asker.span = span
    try {
      return await runNow(run, payment)
    } finally {
      asker.span = parent
    }
  })
}

const runNow = (run: Run, payment?: Paid): Promise<Output> => {
  const { tool, abort, client, claimed: claim } = run
  run.begun = true
  const work = claim ? failing(perform(run, payment), claim, payment) : perform(run, payment)
  if (payment) return work
  if (client?.aborted) abortRun(abort, clientGoneError())
  const watched = watch(abort, client, tool.timeoutMs ?? defaultTimeoutMs, {
    tooSlow: () => tooSlow(tool),
    gone: clientGoneError,
  })
  // The answer, or the reason of an abort that comes first; what the other one does then is nobody's concern.
  return new Promise((resolve, reject) => {
    const refuse = (reason: unknown) => {
      endWatch(watched)
      reject(reason)
    }
    onAbort(abort, refuse)
    work.then(output => {
      endWatch(watched)
      resolve(output)
    }, refuse)
  })
}

const failing = <R>(work: Promise<R>, claim: Claim, payment: Paid | undefined): Promise<R> =>
  work.catch(async error => {
    // A paid call may be tried again with the same payment, so its failure is never kept.
    await claim.fail(payment ? new ToolError('internal', 'paid, not done') : toToolError(error))
    throw error
  })
