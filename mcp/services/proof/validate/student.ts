const maxSteps = 300
const precision = 1e-15
const tiny = 1e-300

// Lanczos, g = 7.
const lanczos = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]

const logGamma = (x: number): number => {
  const base = x + 6.5
  const sum = lanczos.reduce((sum, weight, nth) => sum + weight / (x + nth), 0.99999999999980993)
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(sum)
}

/** Lentz's continued fraction of the incomplete beta function. */
const betaFraction = (a: number, b: number, x: number): number => {
  const away = (value: number) => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= maxSteps; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < precision) break
  }
  return fraction
}

/** The regularised incomplete beta function. */
const beta = (a: number, b: number, x: number): number => {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const weight = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x))
  return x < (a + 1) / (a + b + 2)
    ? (weight * betaFraction(a, b, x)) / a
    : 1 - (weight * betaFraction(b, a, 1 - x)) / b
}

/** The distribution function of Student's t with some degrees of freedom. */
export const studentCdf = (t: number, freedom: number): number => {
  const tail = beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2
  return t > 0 ? 1 - tail : tail
}
