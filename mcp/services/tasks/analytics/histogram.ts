/** How often values fell into buckets, by the number of the bucket; or how often each was there, by the value. */
export type Histogram = Readonly<Record<string, number>>

/** Values that were counted: each by itself while few differ, in buckets afterwards. */
export type Distribution = { histogram: Histogram; values?: Histogram }

/** How many different values are kept as they are. */
const maxValues = 64

/** Eight buckets to a doubling: what is read back is off by 5 per cent at most. */
const perDoubling = 8

const bucketOf = (value: number): number => (value < 1 ? -1 : Math.floor(Math.log2(value) * perDoubling))

/** The middle of a bucket. */
const middleOf = (bucket: number): number => (bucket < 0 ? 0 : 2 ** ((bucket + 0.5) / perDoubling))

const increment = (counts: Histogram, key: number, by = 1): Histogram => ({
  ...counts,
  [key]: (counts[key] ?? 0) + by,
})

/** The distribution with a whole number more. */
export const withValue = ({ histogram, values }: Distribution, value: number): Distribution => {
  if (!values && Object.keys(histogram).length > 0)
    return { histogram: increment(histogram, bucketOf(value)) }
  const counted = increment(values ?? {}, value)
  if (Object.keys(counted).length <= maxValues) return { histogram, values: counted }
  return {
    histogram: Object.entries(counted).reduce<Histogram>(
      (buckets, [each, count]) => increment(buckets, bucketOf(Number(each)), count),
      {},
    ),
  }
}

/** True where a quantile of these is within 5 per cent, and not exact. */
export const isApproximate = (distributions: readonly Distribution[]): boolean =>
  distributions.some(({ histogram }) => Object.keys(histogram).length > 0)

/**
 * The value that `part` (0 to 1) of all values do not pass, between the two that it falls between in equal parts; null where there
 * is none.
 */
export const quantile = (distributions: readonly Distribution[], part: number): number | null => {
  const points = distributions
    .flatMap(({ histogram, values = {} }) => [
      ...Object.entries(histogram).map(([bucket, count]) => [middleOf(Number(bucket)), count] as const),
      ...Object.entries(values).map(([value, count]) => [Number(value), count] as const),
    ])
    .sort(([one], [other]) => one - other)
  const rank = part * points.reduce((sum, [, count]) => sum + count, 0)
  let sum = 0
  for (const [at, [value, count]] of points.entries()) {
    sum += count
    if (sum > rank) return value
    if (sum === rank) return (value + (points[at + 1]?.[0] ?? value)) / 2
  }
  return null
}
