/** Sums of at most so many parts are enumerated whole. */
const maxExact = 16

const rotate = (x: number, by: number): number => (x << by) | (x >>> (32 - by))

/** xoshiro128** by Blackman and Vigna: 32 random bits at a time. The same seed gives the same bits. */
export const openXoshiro = (seed: number): (() => number) => {
  let [a, b, c, d] = [seed >>> 0, 0x9e3779b9 ^ seed, 0x243f6a88, 0xb7e15162]
  const next = () => {
    const bits = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotate(d, 11)
    return bits
  }
  for (let nth = 0; nth < 16; nth++) next()
  return next
}

/** All 256 signed sums of each eight parts, one after the other: a byte of random bits is then one addition. */
const byteSums = (parts: Float64Array): Float64Array => {
  const bytes = Math.ceil(parts.length / 8)
  const sums = new Float64Array(bytes * 256)
  for (let byte = 0; byte < bytes; byte++) {
    const at = byte * 256
    let negative = 0
    for (let bit = 0; bit < 8; bit++) negative -= parts[byte * 8 + bit] ?? 0
    sums[at] = negative
    for (let mask = 1; mask < 256; mask++) {
      const lowest = 31 - Math.clz32(mask & -mask)
      sums[at + mask] = (sums[at + (mask & (mask - 1))] ?? 0) + 2 * (parts[byte * 8 + lowest] ?? 0)
    }
  }
  return sums
}

/** Sums that differ by rounding alone are the same. */
const tolerance = 1e-12

const total = (parts: Float64Array) => {
  let [sum, absolute] = [0, 0]
  for (const part of parts) {
    sum += part
    absolute += Math.abs(part)
  }
  return { sum, floor: sum - absolute * tolerance }
}

/** The share of all sign flips whose sum is at least the observed one. */
const exactP = (parts: Float64Array): number => {
  const { sum, floor } = total(parts)
  const flips = 2 ** parts.length
  let [reached, flipped] = [1, sum]
  // Gray code: each step turns one sign.
  for (let nth = 1; nth < flips; nth++) {
    const turned = 31 - Math.clz32(nth & -nth)
    const gray = nth ^ (nth >>> 1)
    const isNegative = ((gray >>> turned) & 1) === 1
    flipped += (isNegative ? -2 : 2) * (parts[turned] ?? 0)
    if (flipped >= floor) reached++
  }
  return reached / flips
}

/** (1 + flips that reach the observed sum) / (1 + flips), after Phipson and Smyth 2010. */
export const sampledP = (parts: Float64Array, permutations: number, seed: number): number => {
  const sums = byteSums(parts)
  const bytes = Math.ceil(parts.length / 8)
  const { floor } = total(parts)
  const random = openXoshiro(seed)
  let reached = 0
  for (let nth = 0; nth < permutations; nth++) {
    let sum = 0
    let byte = 0
    for (; byte + 4 <= bytes; byte += 4) {
      const bits = random()
      const at = byte << 8
      sum +=
        (sums[at + (bits & 255)] as number) +
        (sums[at + 256 + ((bits >>> 8) & 255)] as number) +
        (sums[at + 512 + ((bits >>> 16) & 255)] as number) +
        (sums[at + 768 + (bits >>> 24)] as number)
    }
    if (byte < bytes) {
      let bits = random()
      for (; byte < bytes; byte++) {
        sum += sums[(byte << 8) + (bits & 255)] as number
        bits >>>= 8
      }
    }
    if (sum >= floor) reached++
  }
  return (1 + reached) / (1 + permutations)
}

const blockSums = (returns: Float64Array, length: number): Float64Array => {
  const sums = new Float64Array(Math.ceil(returns.length / length))
  returns.forEach((value, nth) => {
    const block = Math.floor(nth / length)
    sums[block] = (sums[block] ?? 0) + value
  })
  return sums
}

export type SignFlip = {
  p: number
  exact: boolean
  permutations: number
  /** Returns that are flipped together. */
  block: number
}

/**
 * The probability that returns of no direction add up to what these do. Returns that hang together are flipped in blocks of
 * the cube root of their number; few parts are enumerated, many are sampled by the seed.
 */
export const signFlip = (
  returns: Float64Array,
  { permutations, seed, dependent }: { permutations: number; seed: number; dependent: boolean },
): SignFlip => {
  const block = dependent ? Math.ceil(Math.cbrt(returns.length)) : 1
  const parts = block === 1 ? returns : blockSums(returns, block)
  if (parts.length <= maxExact)
    return { p: exactP(parts), exact: true, permutations: 2 ** parts.length, block }
  return { p: sampledP(parts, permutations, seed), exact: false, permutations, block }
}
