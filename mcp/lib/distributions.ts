/** z of the upper end of an 80 % interval of the normal law. */
export const z80 = 1.2815515655446004

const coefficients = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
]

/** Logarithm of the gamma function of a number above zero (Lanczos, g = 7). */
export const logGamma = (x: number): number => {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x)
  const at = x - 1
  const t = at + 7.5
  const sum = coefficients.reduce((total, value, n) => total + value / (at + n + 1), 0.9999999999998099)
  return 0.5 * Math.log(2 * Math.PI) + (at + 0.5) * Math.log(t) - t + Math.log(sum)
}

const maxTerms = 10_000

/** The continued fraction of the incomplete beta function (Lentz). */
const betaFraction = (x: number, a: number, b: number): number => {
  const tiny = 1e-300
  const away = (value: number): number => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let value = d
  for (let m = 1; m <= maxTerms; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    value *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    value *= d * c
    if (Math.abs(d * c - 1) < 1e-14) break
  }
  return value
}

/** The regularised incomplete beta function I_x(a, b): distribution function of the beta law. */
export const betaCdf = (x: number, a: number, b: number): number => {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b
}

/** Finds where a rising function reaches a value, by halves. */
const invert = (rising: (x: number) => number, value: number, from: number, to: number): number => {
  let [low, high] = [from, to]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (rising(middle) < value) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** The value below which a variable of the beta law lies with this probability. */
export const betaQuantile = (share: number, a: number, b: number): number =>
  invert(x => betaCdf(x, a, b), share, 0, 1)

/** Probability that a count of the negative binomial law with this mean and size is at most `count`. */
export const negativeBinomialCdf = (count: number, mean: number, size: number): number =>
  count < 0 ? 0 : betaCdf(size / (size + mean), size, Math.floor(count) + 1)

/** The lowest count that a share of the negative binomial law does not exceed. */
export const negativeBinomialQuantile = (share: number, mean: number, size: number): number => {
  let high = 1
  while (negativeBinomialCdf(high, mean, size) < share) high *= 2
  let low = -1
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (negativeBinomialCdf(middle, mean, size) < share) low = middle
    else high = middle
  }
  return high
}
