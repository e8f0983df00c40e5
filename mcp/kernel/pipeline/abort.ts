/** Tells that a client has gone; an AbortSignal is one. */
export type DisconnectSignal = {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Early end of a run. Plain data: what hangs on an object with getters of its own outlives its call by far. */
export type Abort = {
  aborted: boolean
  reason: unknown
  controller: AbortController | undefined
  listener: ((reason: unknown) => void) | undefined
}

export const openAbort = (): Abort => ({
  aborted: false,
  reason: undefined,
  controller: undefined,
  listener: undefined,
})

/** The signal of a run, made when it is first asked for: most handlers never look, and an AbortSignal is dear. */
export const signalOf = (abort: Abort): AbortSignal => {
  abort.controller ??= new AbortController()
  if (abort.aborted) abort.controller.abort(abort.reason)
  return abort.controller.signal
}

/** Ends a run; the first reason counts. */
export const abortRun = (abort: Abort, reason: unknown): void => {
  if (abort.aborted) return
  abort.aborted = true
  abort.reason = reason
  abort.controller?.abort(reason)
  abort.listener?.(reason)
}

/** Calls once, at once if it is too late. */
export const onAbort = (abort: Abort, listener: (reason: unknown) => void): void => {
  abort.listener = listener
  if (abort.aborted) listener(abort.reason)
}
