/** Logarithm of the gamma function (Lanczos), good to 1e-13 for what is above zero. */
const logGamma = (x: number): number => {
  const coefficients = [
    76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 0.001208650973866179,
    -0.000005395239384953,
  ]
  const base = x + 5.5
  const log = base - (x + 0.5) * Math.log(base)
  const series = coefficients.reduce((sum, c, n) => sum + c / (x + 1 + n), 1.000000000190015)
  return -log + Math.log((2.5066282746310007 * series) / x)
}

/** The continued fraction of the incomplete beta function (Lentz). */
const fraction = (x: number, a: number, b: number): number => {
  const tiny = 1e-300
  let c = 1
  let d = 1 - ((a + b) * x) / (a + 1)
  d = 1 / (Math.abs(d) < tiny ? tiny : d)
  let result = d
  for (let m = 1; m <= 300; m++) {
    for (const term of [
      (m * (b - m) * x) / ((a - 1 + 2 * m) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 1 + 2 * m)),
    ]) {
      d = 1 + term * d
      d = 1 / (Math.abs(d) < tiny ? tiny : d)
      c = 1 + term / c
      if (Math.abs(c) < tiny) c = tiny
      result *= d * c
    }
    if (Math.abs(d * c - 1) < 1e-12) break
  }
  return result
}

/** The probability that a Beta(a, b) variable is at most `x`. */
const betaCdf = (x: number, a: number, b: number): number => {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x))
  return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b
}

/** The value below which a Beta(a, b) variable lies with probability `p`, by bisection. */
export const betaQuantile = (p: number, a: number, b: number): number => {
  let low = 0
  let high = 1
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (betaCdf(middle, a, b) < p) low = middle
    else high = middle
  }
  return (low + high) / 2
}
