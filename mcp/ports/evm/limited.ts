import { setMaxListeners } from 'node:events'
import { startCountdown } from '../countdown.ts'
import { type RpcReply, rests } from './reply.ts'

/** Limits of one request. `whole`: it is as long as any; a shorter one says nothing against the endpoint. */
export type RequestLimit = { ms: number; whole: boolean; signal: AbortSignal | undefined }

/** Runs `work` under a signal that ends with its time or with the caller, and makes a failure of what it stops. */
export const withTargetLimit = async (
  { ms, whole, signal }: RequestLimit,
  work: (signal: AbortSignal) => Promise<RpcReply>,
): Promise<RpcReply> => {
  const watch = new AbortController()
  const stop = () => watch.abort()
  const stopCountdown = startCountdown(ms, stop)
  // One call of a skill asks a dozen questions at once under the same signal.
  if (signal) setMaxListeners(0, signal)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  try {
    return await work(watch.signal)
  } catch (error) {
    if (!watch.signal.aborted) throw error
    return { kind: 'failed', why: `no answer in ${ms / 1000} s`, restMs: whole ? rests.fault : 0 }
  } finally {
    stopCountdown()
    signal?.removeEventListener('abort', stop)
  }
}

/** Result of `promise`; throws when the signal ends first. */
export const unlessAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject)
  })
