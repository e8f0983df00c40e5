/** A connection that is kept open. */
export type KeptSocket = {
  /** True when it is open now. */
  isOpen(): boolean
  /** Ends it for good. */
  close(): void
}

/** WebSockets to addresses of the operator's; callers never name one. */
export type Sockets = {
  /**
   * Keeps a connection open until it is closed: opens it anew, with growing pauses, when it breaks or says nothing for `silenceMs`.
   * `onOpen` says hello each time; `send` reaches the connection that called.
   */
  keep(
    url: string,
    on: {
      onOpen(send: (text: string) => void): void
      onMessage(text: string, send: (text: string) => void): void
      silenceMs?: number
    },
  ): KeptSocket
}
