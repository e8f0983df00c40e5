import { isWithinShare, minShare } from './fair-share.ts'

/**
 * Counts what networks have of a stock of which all together may have so much. Where little is left, the network that has most is
 * refused first; none is ever refused what it must have (`minShare`).
 */
export const openShares = (all: number, toNetwork: (address: string) => string) => {
  const counts = new Map<string, number>()
  let used = 0
  const has = (address: string): boolean =>
    isWithinShare({ own: counts.get(toNetwork(address)) ?? 0, used, all }, minShare(all))
  return {
    /** True when `take` would take one. */
    has,
    /** Takes one for a network address. False where its network has its share. */
    take(address: string): boolean {
      if (!has(address)) return false
      const network = toNetwork(address)
      counts.set(network, (counts.get(network) ?? 0) + 1)
      used += 1
      return true
    },
    giveBack(address: string): void {
      const network = toNetwork(address)
      const own = counts.get(network)
      if (own === undefined) return
      if (own > 1) counts.set(network, own - 1)
      else counts.delete(network)
      used -= 1
    },
  }
}
