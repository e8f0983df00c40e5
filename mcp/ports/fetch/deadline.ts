import { ToolError } from '../../kernel/error.ts'
import { startCountdown } from '../countdown.ts'

/** The caller's own signal ended the call. */
export const toStopError = (signal: AbortSignal): ToolError =>
  signal.reason instanceof ToolError
    ? signal.reason
    : new ToolError('timeout', 'The call was stopped before the answer arrived.', { cause: signal.reason })

/**
 * Runs `work` under a signal that aborts after `ms` with the error `late` makes, or when the caller's signal does.
 * The countdown ends with the work.
 */
export const withDeadline = async <T>(
  { ms, signal, late }: { ms: number; signal?: AbortSignal | undefined; late: () => ToolError },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  if (signal?.aborted) throw toStopError(signal)
  const watch = new AbortController()
  const stop = () => signal && watch.abort(toStopError(signal))
  const stopCountdown = startCountdown(ms, () => watch.abort(late()))
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await work(watch.signal)
  } finally {
    stopCountdown()
    signal?.removeEventListener('abort', stop)
  }
}
