/** How often values fell into buckets, by the number of the bucket. */
export type Histogram = Readonly<Record<string, number>>

/** Eight buckets to a doubling: what is read back is off by 5 per cent at most. */
const perDoubling = 8

const bucketOf = (value: number): number => (value < 1 ? -1 : Math.floor(Math.log2(value) * perDoubling))

/** The middle of a bucket. */
const middleOf = (bucket: number): number => (bucket < 0 ? 0 : 2 ** ((bucket + 0.5) / perDoubling))

export const withValue = (histogram: Histogram, value: number): Histogram => {
  const bucket = bucketOf(value)
  return { ...histogram, [bucket]: (histogram[bucket] ?? 0) + 1 }
}

export const mergeHistograms = (histograms: readonly Histogram[]): Histogram => {
  const sum: Record<string, number> = {}
  for (const histogram of histograms)
    for (const [bucket, count] of Object.entries(histogram)) sum[bucket] = (sum[bucket] ?? 0) + count
  return sum
}

/** The value that `part` (0 to 1) of all values do not pass; null where there is none. */
export const quantile = (histogram: Histogram, part: number): number | null => {
  const buckets = Object.entries(histogram)
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .sort(([one], [other]) => one - other)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return null
  let sum = 0
  for (const [bucket, count] of buckets) {
    sum += count
    if (sum >= part * total) return middleOf(bucket)
  }
  return null
}
