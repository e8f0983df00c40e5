/** A stream of numbers from 0 to 1 that follows from its seed (mulberry32), so that every reader draws the same. */
export const openRandom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** A number of the normal law with mean 0 and deviation 1 (Box and Muller). */
export const drawNormal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** How many of `n` succeed with probability `p`: counted by inversion where few do, else by the normal law, which is close then. */
export const drawBinomial = (random: () => number, n: number, p: number): number => {
  if (n <= 0 || p <= 0) return 0
  if (p >= 1) return n
  if (p > 0.5) return n - drawBinomial(random, n, 1 - p)
  const mean = n * p
  if (mean > 30) {
    const draw = Math.round(mean + Math.sqrt(mean * (1 - p)) * drawNormal(random))
    return Math.min(n, Math.max(0, draw))
  }
  const ratio = p / (1 - p)
  let term = Math.exp(n * Math.log1p(-p))
  let left = random()
  let count = 0
  while (left > term && count < n) {
    left -= term
    count++
    term *= (ratio * (n - count + 1)) / count
  }
  return count
}
