/** Answers that are kept for a while, and work that is shared by those who ask for the same at once. One per replica. */
export type Cache = {
  /**
   * What is kept under `key`, else what `make` gives, kept for `seconds`. A failure is kept by nobody. Who brings a signal
   * leaves when it aborts; the one that `make` is given aborts when the last one has left.
   */
  take<T>(
    key: string,
    make: (signal: AbortSignal) => Promise<{ value: T; seconds: number }>,
    waiter?: { readonly signal: AbortSignal },
  ): Promise<{ value: T; cached: boolean; ageSec: number }>
}
