import { type Leaf, type LeafType, leafTypes } from './leaf.ts'

type Outcome = NonNullable<Leaf['outcome']>

/** What the leaves say of the verdicts; shares are null where nothing was reported. */
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
  let uncounted = 0

  const tally = (isWanted: (verdict: string) => boolean): Record<Outcome, number> => {
    const tallied = { harmful: 0, harmless: 0 }
    for (const [index, outcome] of outcomes) if (isWanted(verdicts.get(index) ?? '')) tallied[outcome]++
    return tallied
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
        outcomes.set(cited, leaf.outcome)
      else uncounted++
    },
    read(): Statistics {
      const rejected = tally(verdict => verdict === 'reject')
      const approved = tally(verdict => verdict.startsWith('approve'))
      return {
        by_type: { ...byType },
        verdicts: { ...verdictCounts },
        outcomes: { rejected, approved },
        uncounted_reports: uncounted,
        reject_precision: share(rejected),
        approve_miss_rate: share(approved),
      }
    },
  }
}
