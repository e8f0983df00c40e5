import { ToolError } from '../../kernel/error.ts'

/** The caller's own signal ended the call. */
export const stopped = (signal: AbortSignal): ToolError =>
  signal.reason instanceof ToolError
    ? signal.reason
    : new ToolError('timeout', 'The call was stopped before the answer arrived.', { cause: signal.reason })

/**
 * Runs `work` under a signal that aborts after `ms` with the error `late` makes, or when the caller's signal does.
 * The timer ends with the work.
 */
export const withDeadline = async <T>(
  { ms, signal, late }: { ms: number; signal?: AbortSignal | undefined; late: () => ToolError },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  if (signal?.aborted) throw stopped(signal)
  const watch = new AbortController()
  const stop = () => signal && watch.abort(stopped(signal))
  const timer = setTimeout(() => watch.abort(late()), ms)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await work(watch.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
