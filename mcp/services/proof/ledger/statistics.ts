import { type Leaf, type LeafType, leafTypes } from './leaf.ts'

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
