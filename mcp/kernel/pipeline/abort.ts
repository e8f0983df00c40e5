/** Tells that a client has gone; an AbortSignal is one. */
export type DisconnectSignal = {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** What ends a run early. */
export type Abort = {
  readonly aborted: boolean
  readonly reason: unknown
  /** Made when it is first asked for: most handlers never look, and an AbortSignal is dear. */
  readonly signal: AbortSignal
  abort(reason: unknown): void
  /** Calls once, at once if it is too late. */
  onAbort(listener: (reason: unknown) => void): void
}

export const openAbort = (): Abort => {
  let controller: AbortController | undefined
  let listener: ((reason: unknown) => void) | undefined
  const state = { aborted: false, reason: undefined as unknown }
  return {
    get aborted() {
      return state.aborted
    },
    get reason() {
      return state.reason
    },
    get signal() {
      controller ??= new AbortController()
      if (state.aborted) controller.abort(state.reason)
      return controller.signal
    },
    abort(reason) {
      if (state.aborted) return
      state.aborted = true
      state.reason = reason
      controller?.abort(reason)
      listener?.(reason)
    },
    onAbort(onDisconnect) {
      listener = onDisconnect
      if (state.aborted) onDisconnect(state.reason)
    },
  }
}
