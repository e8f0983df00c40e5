/** Repeatable randomness: the same seed, the same run. */
export type Random = {
  /** 0 to below `limit`. */
  below(limit: number): number
  chance(share: number): boolean
  pick<T>(from: readonly T[]): T
}

/** mulberry32. */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let bits = Math.imul(state ^ (state >>> 15), state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return { below, chance: share => next() < share, pick: from => from[below(from.length)] as never }
}

/** Runs `work` with a seed of its own and names the seed when it fails; STORE_SEED repeats one. */
export const withSeed = async (seed: number, work: (random: Random) => Promise<void>): Promise<void> => {
  try {
    await work(randomFrom(seed))
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`with STORE_SEED=${seed}: ${message}`, { cause })
  }
}

/** Where the seeds of a test begin. */
export const firstSeed = (): number => Number(process.env.STORE_SEED ?? Date.now() % 1e9)
