import { ToolError, toToolError } from '../error.ts'
import type { Paid } from '../payment/index.ts'
import type { Ports, Tx } from '../ports/index.ts'
import type { AnyTool, Call, Context } from '../tool.ts'
import { checkOutput } from './check.ts'
import type { Claimed } from './idempotency.ts'

type Output = Record<string, unknown>

/** One run of a handler: its context, the clock over it, and the records its answer is sealed with. */
export type Run = {
  tool: AnyTool
  context: Context<keyof Ports>
  input: Output
  /** Aborts the context's signal. */
  controller: AbortController
  /** The client's own signal. */
  client: AbortSignal | undefined
  claimed: Claimed | undefined
  /** Set when the handler starts; from then on the run itself answers for the claimed key. */
  begun: boolean
}

export const defaultTimeoutMs = 30_000

const tooSlow = ({ name, timeoutMs = defaultTimeoutMs }: AnyTool): ToolError =>
  new ToolError('timeout', `${name} did not finish in ${timeoutMs / 1000} s; nothing was written.`)

const gone = (): ToolError => new ToolError('timeout', 'The client went away before the answer was there.')

/** Runs the handler to a checked answer that is sealed with its records, in the handler's own transaction if it commits. */
const perform = async ({ tool, context, input, controller, claimed }: Run, paid: Paid | undefined) => {
  let sealed: { answer: object; output: Output } | undefined
  const seal = async (tx: Tx, output: Output) => {
    await claimed?.seal(tx, output)
    await paid?.seal(tx, output)
  }
  const commit: Call['commit'] = work =>
    context.store.transaction(async tx => {
      const answer = await work(tx)
      const output = checkOutput(tool.output, answer)
      await seal(tx, output)
      if (controller.signal.aborted) throw controller.signal.reason
      sealed = { answer, output }
      return answer
    })
  const answer = await tool.run({ ...context, commit, receipt: paid?.receipt }, input)
  if (sealed && sealed.answer !== answer) throw new Error('a handler must answer with what it committed')
  if (sealed) return sealed.output
  const output = checkOutput(tool.output, answer)
  if (claimed || paid) await context.store.transaction(tx => seal(tx, output))
  return output
}

/**
 * Runs a handler under its time limit. A time-out or a client that went away aborts the signal and stops a later
 * `commit`; a paid handler is stopped by neither.
 */
export const runTool = async (run: Run, paid?: Paid): Promise<Output> => {
  const { tool, controller, client, claimed } = run
  run.begun = true
  const work = perform(run, paid).catch(async thrown => {
    await claimed?.fail(toToolError(thrown))
    throw thrown
  })
  if (paid) return work
  if (client?.aborted) controller.abort(gone())
  const leave = () => controller.abort(gone())
  const timer = setTimeout(() => controller.abort(tooSlow(tool)), tool.timeoutMs ?? defaultTimeoutMs)
  client?.addEventListener('abort', leave)
  const { signal } = controller
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    clearTimeout(timer)
    client?.removeEventListener('abort', leave)
    work.catch(() => {})
    aborted.catch(() => {})
  }
}
