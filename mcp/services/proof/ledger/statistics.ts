import { type Leaf, type LeafType, leafTypes } from './leaf.ts'

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

type Outcome = NonNullable<Leaf['outcome']>

/** Statistics on the leaves' verdicts; shares are null where nothing was reported. */
export type Statistics = {
  by_type: Record<LeafType, number>
  verdicts: Record<string, number>
  /** Verdicts with an outcome reported by somebody whose reports count; the last report of a verdict holds. */
  outcomes: { rejected: Record<Outcome, number>; approved: Record<Outcome, number> }
  /** Outcome leaves of everybody else. */
  uncounted_reports: number
  /** Of the rejected ones with an outcome, the share that was harmful. */
  reject_precision: number | null
  /** Of the approved ones with an outcome, the share that was harmful. */
  approve_miss_rate: number | null
}

const share = ({ harmful, harmless }: Record<Outcome, number>): number | null =>
  harmful + harmless === 0 ? null : harmful / (harmful + harmless)

/** Counts leaves in their order. `findLeaf` tells the number of a leaf by its hash. */
export const openStatistics = (
  counts: (publicKey: string) => boolean,
  findLeaf: (hash: string) => number | undefined,
) => {
  const byType = Object.fromEntries(leafTypes.map(type => [type, 0])) as Record<LeafType, number>
  const verdicts = new Map<number, string>()
  const verdictCounts: Record<string, number> = {}
  const outcomes = new Map<number, Outcome>()
  const rejected = { harmful: 0, harmless: 0 }
  const approved = { harmful: 0, harmless: 0 }
  let uncounted = 0

  const tallyFor = (verdict: string): Record<Outcome, number> | undefined => {
    if (verdict === 'reject') return rejected
    return verdict.startsWith('approve') ? approved : undefined
  }

  /** The last report of a verdict holds: an earlier one is taken out of the count. */
  const setOutcome = (index: number, outcome: Outcome): void => {
    const earlier = outcomes.get(index)
    outcomes.set(index, outcome)
    const tallied = tallyFor(verdicts.get(index) ?? '')
    if (!tallied) return
    if (earlier) tallied[earlier]--
    tallied[outcome]++
  }

  return {
    add(leaf: Leaf, index: number): void {
      byType[leaf.type]++
      if (leaf.verdict !== undefined) {
        verdicts.set(index, leaf.verdict)
        verdictCounts[leaf.verdict] = (verdictCounts[leaf.verdict] ?? 0) + 1
      }
      if (leaf.type !== 'outcome' || !leaf.outcome || leaf.cites === undefined) return
      const cited = findLeaf(leaf.cites)
      if (cited !== undefined && verdicts.has(cited) && counts(leaf.public_key ?? ''))
        setOutcome(cited, leaf.outcome)
      else uncounted++
    },
    /** The outcome of the verdict at leaf `index`, where somebody whose reports count has reported it. */
    outcome: (index: number): Outcome | undefined => outcomes.get(index),
    read(): Statistics {
      return {
        by_type: { ...byType },
        verdicts: { ...verdictCounts },
        outcomes: { rejected: { ...rejected }, approved: { ...approved } },
        uncounted_reports: uncounted,
        reject_precision: share(rejected),
        approve_miss_rate: share(approved),
      }
    },
  }
}
