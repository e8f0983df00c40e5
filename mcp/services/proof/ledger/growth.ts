/** How many leaves there were at a time. */
export type GrowthPoint = { at: string; size: number }

const toIso = (second: number): string => new Date(second * 1000).toISOString()

/**
 * When each leaf was entered: four bytes a leaf, so that the growth of a million is told without reading one of them. Clocks of
 * replicas differ by little, and the order of the log is not quite that of the times: a count never falls all the same.
 */
export const openGrowth = () => {
  let seconds = new Uint32Array(1024)
  let length = 0

  /** The leaves up to a second, found by halving. */
  const countUntil = (second: number): number => {
    let low = 0
    let high = length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((seconds[middle] ?? 0) <= second) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    add(committedAt: string): void {
      if (length === seconds.length) {
        const larger = new Uint32Array(length * 2)
        larger.set(seconds)
        seconds = larger
      }
      seconds[length++] = Math.floor(Date.parse(committedAt) / 1000)
    },
    /** The size at `count` times, equally far apart, from the first leaf to `now`; none before there is a leaf. */
    read(count: number, now: Date): GrowthPoint[] {
      if (length === 0) return []
      const first = seconds[0] ?? 0
      const last = Math.max(Math.floor(now.getTime() / 1000), seconds[length - 1] ?? 0, first + 1)
      let size = 0
      return Array.from({ length: count }, (_, n) => {
        const second = Math.floor(first + ((last - first) * n) / (count - 1))
        size = n === count - 1 ? length : Math.max(size, countUntil(second))
        return { at: toIso(second), size }
      })
    },
  }
}
