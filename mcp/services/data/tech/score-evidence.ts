import { catalogue, type TechCategory } from './catalogue.ts'
import type { EvidenceKind, TechEvidence } from './evidence.ts'

export type Technology = {
  name: string
  category: TechCategory
  version: string | null
  /** 0 to 100. */
  confidence: number
  evidence: string[]
}

/** How sure a strong hint of each kind makes. */
const weights: Readonly<Record<EvidenceKind, number>> = {
  address: 0.8,
  alias: 0.9,
  attribute: 0.9,
  cookie: 0.85,
  file: 0.85,
  generator: 0.95,
  header: 0.9,
  host: 0.9,
  markup: 0.8,
  meta: 0.85,
  'name server': 0.6,
  path: 0.8,
  script: 0.8,
}

const weak = 0.35

/** Least that is told; one weak hint stays below. */
const minConfidence = 0.5

/** How much of the certainty of one technology passes to what it implies. */
const impliedShare = 0.9

const maxEvidence = 6

type Tally = { doubt: number; version: string | null; versionWeight: number; evidence: Set<string> }

const evidenceWeight = ({ weak: isWeak, kind }: TechEvidence): number => (isWeak ? weak : weights[kind])

const gather = (all: readonly TechEvidence[]): Map<string, Tally> => {
  const tallies = new Map<string, Tally>()
  for (const one of [...all].sort((a, b) => evidenceWeight(b) - evidenceWeight(a))) {
    const tally = tallies.get(one.name) ?? { doubt: 1, version: null, versionWeight: 0, evidence: new Set() }
    tallies.set(one.name, tally)
    if (tally.evidence.has(one.text)) continue
    tally.evidence.add(one.text)
    const weight = evidenceWeight(one)
    tally.doubt *= 1 - weight
    if (one.version !== null && weight > tally.versionWeight) {
      tally.version = one.version
      tally.versionWeight = weight
    }
  }
  return tallies
}

/** Adds what is implied, from what is known to what follows, each once. */
const imply = (tallies: Map<string, Tally>): void => {
  const queue = [...tallies].filter(([, { doubt }]) => 1 - doubt >= minConfidence).map(([name]) => name)
  const visitedNames = new Set<string>()
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (visitedNames.has(name)) continue
    visitedNames.add(name)
    const sure = 1 - (tallies.get(name)?.doubt ?? 1)
    for (const impliedName of catalogue().byName.get(name)?.implies ?? []) {
      const tally = tallies.get(impliedName) ?? {
        doubt: 1,
        version: null,
        versionWeight: 0,
        evidence: new Set(),
      }
      tally.doubt *= 1 - sure * impliedShare
      tally.evidence.add(`implied by ${name}`)
      tallies.set(impliedName, tally)
      queue.push(impliedName)
    }
  }
}

/** Weighs all evidence. Hints add up as independent ones do; what is not more likely than not is left out. */
export const weighEvidence = (all: readonly TechEvidence[]): Technology[] => {
  const tallies = gather(all)
  imply(tallies)
  return [...tallies]
    .flatMap(([name, { doubt, version, evidence }]) => {
      const entry = catalogue().byName.get(name)
      if (!entry || 1 - doubt < minConfidence) return []
      const confidence = Math.min(100, Math.round((1 - doubt) * 100))
      return [
        {
          name,
          category: entry.category,
          version,
          confidence,
          evidence: [...evidence].slice(0, maxEvidence),
        },
      ]
    })
    .sort((a, b) => b.confidence - a.confidence || (a.name < b.name ? -1 : 1))
}
