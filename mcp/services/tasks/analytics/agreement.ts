/** How far apart two values are: nominal ones are the same or not, of an interval scale the square of their difference. */
const distances = {
  nominal: (one: string, other: string) => (one === other ? 0 : 1),
  interval: (one: string, other: string) => (Number(one) - Number(other)) ** 2,
} as const

/**
 * Krippendorff's alpha of units, each with the values that its coders gave: 1 where all agree, 0 where they agree as by chance. Null
 * without two values of one unit, or where all values are the same. (K. Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011.)
 */
export const krippendorffAlpha = (
  units: readonly (readonly string[])[],
  scale: keyof typeof distances,
): number | null => {
  const distance = distances[scale]
  const pairable = units.filter(values => values.length > 1)
  const counts = new Map<string, number>()
  for (const value of pairable.flat()) counts.set(value, (counts.get(value) ?? 0) + 1)
  const n = pairable.reduce((sum, values) => sum + values.length, 0)
  let observed = 0
  for (const values of pairable)
    for (const one of values)
      for (const other of values) observed += distance(one, other) / (values.length - 1)
  let expected = 0
  for (const [one, times] of counts)
    for (const [other, otherTimes] of counts) expected += times * otherTimes * distance(one, other)
  return expected === 0 ? null : 1 - (observed * (n - 1)) / expected
}

/** The value that more gave than any other, and how many did; undefined where two are even. */
export const findMajority = (values: readonly string[]): { value: string; count: number } | undefined => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [first, second] = [...counts].sort(([, one], [, other]) => other - one)
  if (!first || first[1] === second?.[1]) return undefined
  return { value: first[0], count: first[1] }
}
