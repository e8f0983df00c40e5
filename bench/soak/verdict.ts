/** What the server held at one moment, after its collector ran: bytes of heap and of the whole process, and open descriptors. */
export type Sample = { requests: number; heap: number; resident: number; descriptors: number }

/** Bytes of heap that a request may leave behind. */
export const maxBytesPerRequest = 50
/** Growth of the heap that says nothing: code is still compiled, and windows of limits fill and empty. */
const settling = 2 << 20
/** Descriptors that a program may hold more of when everybody has left: a file of the store, a worker's pipe. */
export const maxMoreDescriptors = 8
/** How much the whole process may grow after the warm-up, as a part of what it held then. */
export const maxGrowth = 0.1

export type Verdict = {
  bytesPerRequest: number
  growth: number
  moreDescriptors: number
  /** What is wrong, in words; empty when all is well. */
  faults: string[]
}

/** Slope of the heap over the requests, by least squares: single samples swing with caches that fill and empty. */
const slope = (samples: readonly Sample[]): number => {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const x = mean(({ requests }) => requests)
  const y = mean(({ heap }) => heap)
  const spread = samples.reduce((sum, { requests }) => sum + (requests - x) ** 2, 0)
  if (spread === 0) return 0
  return samples.reduce((sum, { requests, heap }) => sum + (requests - x) * (heap - y), 0) / spread
}

/**
 * Judges the samples that were taken under load after the warm-up, in order, and the one after everybody left. `before` are the
 * descriptors of the server that nobody had called yet.
 */
export const judge = (before: number, warm: readonly Sample[], atRest: Sample, broken: number): Verdict => {
  const bytesPerRequest = slope(warm)
  const grown = bytesPerRequest * ((warm.at(-1)?.requests ?? 0) - (warm[0]?.requests ?? 0))
  const first = warm[0]?.resident ?? Number.NaN
  const last = warm.at(-1)?.resident ?? Number.NaN
  const growth = last / first - 1
  const moreDescriptors = atRest.descriptors - before
  const faults = [
    !(bytesPerRequest <= maxBytesPerRequest || grown <= settling) &&
      `${bytesPerRequest.toFixed(0)} bytes of heap stay per request`,
    !(growth <= maxGrowth) && `the process grew by ${(growth * 100).toFixed(0)} %`,
    moreDescriptors > maxMoreDescriptors && `${moreDescriptors} descriptors stayed open`,
    broken > 0 && `${broken} answers were broken or 500`,
  ].filter(fault => fault !== false)
  return { bytesPerRequest, growth, moreDescriptors, faults }
}
