import { ToolError } from '../../../kernel/error.ts'
import type { Evm, EvmChain } from '../../../ports/evm/port.ts'
import type { Note } from '../meta.ts'
import { type CallChain, openCallChain } from './chain.ts'
import { chainNames } from './chains.ts'

/** Milliseconds that one chain of several has. */
const deadlineMs = 3_000

type ChainResult<T> = { name: EvmChain; sources: string[] } & ({ value: T } | { error: string })

/** Answers of several chains; those that did not answer in time take nothing from the others. */
export type ChainAnswers<T> = {
  ok: T[]
  failed: EvmChain[]
  sources: string[]
  warnings: Note[]
  /** By chain, what it told, or the error in a sentence. */
  by<R>(show: (value: T) => R): Record<EvmChain, R | { error: string }>
}

const withDeadline = async <T>(
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  const watch = new AbortController()
  const stop = () => watch.abort(signal.reason)
  const late = new ToolError('upstream', `No answer in ${deadlineMs / 1000} s.`)
  const timer = setTimeout(() => watch.abort(late), deadlineMs)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await work(watch.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** Asks all chains at once, three seconds each. Throws a retryable `upstream` when none of them answers. */
export const askEachChain = async <T>(
  evm: Evm,
  signal: AbortSignal,
  ask: (chain: CallChain) => Promise<T>,
): Promise<ChainAnswers<T>> => {
  const results = await Promise.all(
    chainNames.map(async (name): Promise<ChainResult<T>> => {
      const askChain = async (limit: AbortSignal) => {
        const chain = openCallChain(evm, name, { signal: limit, deadlineMs })
        return { name, value: await ask(chain), sources: chain.sources() }
      }
      try {
        return await withDeadline(askChain, signal)
      } catch (error) {
        if (signal.aborted || !(error instanceof ToolError)) throw error
        return { name, error: error.message, sources: [] }
      }
    }),
  )
  const failed = results.flatMap(({ name, ...rest }) => ('error' in rest ? [name] : []))
  if (failed.length === results.length)
    throw new ToolError('upstream', 'None of the five chains answers just now.', {
      hint: 'Repeat the call in a few seconds.',
      retryAfter: 5,
    })
  return {
    ok: results.flatMap(each => ('value' in each ? [each.value] : [])),
    failed,
    sources: results.flatMap(({ sources }) => sources),
    warnings: failed.map(name => ({
      code: 'chain_unknown',
      message: `${name} did not answer; nothing is known of it.`,
    })),
    by: show =>
      Object.fromEntries(
        results.map(each => [each.name, 'value' in each ? show(each.value) : { error: each.error }]),
      ) as never,
  }
}
