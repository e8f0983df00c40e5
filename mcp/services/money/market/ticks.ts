import type { Tick } from './twap-source.ts'

/** How far back ticks are kept in memory. */
const keptMs = 20 * 60_000

/** A tick from further ahead than clocks differ is not believed. */
const maxAheadMs = 10_000

/** The newest ticks of each asset, in order of their stamps, whatever the order in which they come. */
export const openTicks = (now: () => number) => {
  const all = new Map<string, Tick[]>()
  return {
    /** False for a tick that was there, or is not believed. */
    add(asset: string, tick: Tick): boolean {
      if (tick.at > now() + maxAheadMs || tick.at < now() - keptMs) return false
      const ticks = all.get(asset) ?? []
      all.set(asset, ticks)
      let index = ticks.length
      while (index > 0 && (ticks[index - 1]?.at ?? 0) > tick.at) index--
      // The first word counts: a source that corrects itself later does not move what was sold.
      if (ticks[index - 1]?.at === tick.at) return false
      ticks.splice(index, 0, tick)
      while ((ticks[0]?.at ?? now()) < now() - keptMs) ticks.shift()
      return true
    },
    of: (asset: string): readonly Tick[] => all.get(asset) ?? [],
  }
}
