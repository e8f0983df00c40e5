/** How long the event loop kept a timer waiting. */
export type Gaps = {
  /** The longest wait in milliseconds that overlapped the span, by `performance.now()`. */
  maxWithin(from: number, to: number): number
  stop(): void
}

const everyMs = 1

/** Watches the event loop with a timer of one millisecond, and remembers each wait of more than one more. */
export const watchGaps = (): Gaps => {
  const gaps: { at: number; ms: number }[] = []
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const ms = now - last - everyMs
    if (ms > everyMs) gaps.push({ at: now, ms })
    last = now
  }, everyMs)
  return {
    maxWithin: (from, to) =>
      gaps.filter(({ at, ms }) => at > from && at - ms < to).reduce((max, { ms }) => Math.max(max, ms), 0),
    stop: () => clearInterval(timer),
  }
}
