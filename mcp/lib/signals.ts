/** Change from one price to another: 0.01 is one percent. */
export const simpleReturn = (from: number, to: number): number => to / from - 1

/** Logarithmic returns between neighbours. */
export const logReturns = (prices: readonly number[]): number[] =>
  prices.slice(1).map((price, index) => Math.log(price / (prices[index] ?? price)))

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Standard deviation of a sample (n − 1). */
export const sampleDeviation = (values: readonly number[]): number => {
  const middle = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0)
  return Math.sqrt(squares / (values.length - 1))
}

/** Mean of the last `length` prices; undefined where there are fewer. */
export const movingAverage = (prices: readonly number[], length: number): number | undefined =>
  prices.length < length ? undefined : mean(prices.slice(-length))

/**
 * Relative strength index after Wilder (1978): the first average is plain, each later one keeps (length − 1) parts of the one before.
 * Undefined for fewer than length + 1 prices; 50 where nothing moves.
 */
export const wilderRsi = (prices: readonly number[], length = 14): number | undefined => {
  if (prices.length <= length) return undefined
  const changes = prices.slice(1).map((price, index) => price - (prices[index] ?? price))
  let gain = mean(changes.slice(0, length).map(change => Math.max(change, 0)))
  let loss = mean(changes.slice(0, length).map(change => Math.max(-change, 0)))
  for (const change of changes.slice(length)) {
    gain = (gain * (length - 1) + Math.max(change, 0)) / length
    loss = (loss * (length - 1) + Math.max(-change, 0)) / length
  }
  if (gain + loss === 0) return 50
  return (100 * gain) / (gain + loss)
}

/** Correlation of two series of one length (Pearson); 0 where one of them does not move. */
export const correlation = (one: readonly number[], other: readonly number[]): number => {
  const [a, b] = [mean(one), mean(other)]
  let [together, ofOne, ofOther] = [0, 0, 0]
  for (const [index, value] of one.entries()) {
    const [x, y] = [value - a, (other[index] ?? b) - b]
    together += x * y
    ofOne += x * x
    ofOther += y * y
  }
  const both = Math.sqrt(ofOne * ofOther)
  return both === 0 ? 0 : Math.max(-1, Math.min(1, together / both))
}

const whole = 10_000

/**
 * Parts of ten thousand in proportion to weights, by largest remainder: they always sum to ten thousand, and ties go to the earlier one.
 * Throws RangeError for weights that are negative, not finite, or all zero.
 */
export const toBps = (weights: readonly number[]): number[] => {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  if (weights.some(weight => weight < 0) || !Number.isFinite(sum) || sum <= 0)
    throw new RangeError('weights are above zero, and finite')
  const exact = weights.map(weight => (weight / sum) * whole)
  const parts = exact.map(Math.floor)
  const missing = whole - parts.reduce((total, part) => total + part, 0)
  const remainder = (index: number) => (exact[index] ?? 0) - Math.floor(exact[index] ?? 0)
  const order = [...parts.keys()].sort((a, b) => remainder(b) - remainder(a) || a - b)
  for (const index of order.slice(0, missing)) parts[index] = (parts[index] ?? 0) + 1
  return parts
}

/** Weights in inverse proportion to volatilities, in parts of ten thousand. Throws RangeError unless all are above zero. */
export const inverseVolatilityBps = (volatilities: readonly number[]): number[] => {
  if (volatilities.some(volatility => !(volatility > 0)))
    throw new RangeError('every volatility is above zero')
  return toBps(volatilities.map(volatility => 1 / volatility))
}
