export type Interval = readonly [low: number, high: number]

const z95 = 1.959963984540054

/** Wilson's score interval of a rate, 95 % unless told. The whole range where nothing was counted. */
export const wilson = (successes: number, n: number, z = z95): Interval => {
  if (n === 0) return [0, 1]
  const rate = successes / n
  const denominator = 1 + (z * z) / n
  const middle = (rate + (z * z) / (2 * n)) / denominator
  const half = (z / denominator) * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n))
  // Rounding must not push the ends past what is possible, 0 successes of n among it.
  return [successes === 0 ? 0 : Math.max(0, middle - half), successes === n ? 1 : Math.min(1, middle + half)]
}
