const sqrtTwoPi = Math.sqrt(2 * Math.PI)

const horner = (coefficients: readonly number[], x: number): number =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0)

// Hart 1968, algorithm 5666, as West 2005 has it ("Better approximations to cumulative normal functions").
const above = [
  3.52624965998911e-2, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871,
  221.213596169931, 220.206867912376,
]
const below = [
  8.83883476483184e-2, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674,
  637.333633378831, 793.826512519948, 440.413735824752,
]

/** The standard normal distribution function, right to 1e-15. */
export const normalCdf = (x: number): number => {
  const z = Math.abs(x)
  if (z > 37) return x > 0 ? 1 : 0
  const density = Math.exp((-z * z) / 2)
  const tail =
    z < 7.07106781186547
      ? (density * horner(above, z)) / horner(below, z)
      : density / (z + 1 / (z + 2 / (z + 3 / (z + 4 / (z + 0.65))))) / sqrtTwoPi
  return x > 0 ? 1 - tail : tail
}

// Acklam's rational approximation of the quantile.
const middleAbove = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1,
  2.506628277459239,
]
const middleBelow = [
  -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1,
  1,
]
const tailAbove = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
]
const tailBelow = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1]

const roughQuantile = (p: number): number => {
  if (p > 0.97575) return -roughQuantile(1 - p)
  if (p < 0.02425) {
    const q = Math.sqrt(-2 * Math.log(p))
    return horner(tailAbove, q) / horner(tailBelow, q)
  }
  const q = p - 0.5
  return (q * horner(middleAbove, q * q)) / horner(middleBelow, q * q)
}

/** The standard normal quantile of a probability, right to 1e-10: Acklam's approximation and one step of Halley's. */
export const normalQuantile = (p: number): number => {
  if (p <= 0) return -Infinity
  if (p >= 1) return Infinity
  const x = roughQuantile(p)
  const error = p < 0.5 ? normalCdf(x) - p : 1 - p - normalCdf(-x)
  const step = error * sqrtTwoPi * Math.exp((x * x) / 2)
  return x - step / (1 + (x * step) / 2)
}
