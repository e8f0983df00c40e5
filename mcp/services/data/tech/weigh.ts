import { byName } from './catalogue.ts'
import type { Evidence, Kind } from './evidence.ts'
import type { Category } from './fingerprint.ts'

export type Technology = {
  name: string
  category: Category
  version: string | null
  /** 0 to 100. */
  confidence: number
  evidence: string[]
}

/** How sure a strong hint of each kind makes. */
const weights: Readonly<Record<Kind, number>> = {
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

/** What is told; one weak hint stays below. */
const least = 0.5

/** How much of the certainty of one technology passes to what it implies. */
const passedOn = 0.9

const mostEvidence = 6

type Weighed = { doubt: number; version: string | null; versionWeight: number; evidence: Set<string> }

const weightOf = ({ weak: isWeak, kind }: Evidence): number => (isWeak ? weak : weights[kind])

const gather = (all: readonly Evidence[]): Map<string, Weighed> => {
  const found = new Map<string, Weighed>()
  for (const one of [...all].sort((a, b) => weightOf(b) - weightOf(a))) {
    const known = found.get(one.name) ?? { doubt: 1, version: null, versionWeight: 0, evidence: new Set() }
    found.set(one.name, known)
    if (known.evidence.has(one.text)) continue
    known.evidence.add(one.text)
    const weight = weightOf(one)
    known.doubt *= 1 - weight
    if (one.version !== null && weight > known.versionWeight) {
      known.version = one.version
      known.versionWeight = weight
    }
  }
  return found
}

/** Adds what is implied, from what is known to what follows, each once. */
const imply = (found: Map<string, Weighed>): void => {
  const queue = [...found].filter(([, { doubt }]) => 1 - doubt >= least).map(([name]) => name)
  const done = new Set<string>()
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (done.has(name)) continue
    done.add(name)
    const sure = 1 - (found.get(name)?.doubt ?? 1)
    for (const implied of byName.get(name)?.fingerprint.implies ?? []) {
      const known = found.get(implied) ?? { doubt: 1, version: null, versionWeight: 0, evidence: new Set() }
      known.doubt *= 1 - sure * passedOn
      known.evidence.add(`implied by ${name}`)
      found.set(implied, known)
      queue.push(implied)
    }
  }
}

/** Weighs all evidence. Hints add up as independent ones do; what is not more likely than not is left out. */
export const weigh = (all: readonly Evidence[]): Technology[] => {
  const found = gather(all)
  imply(found)
  return [...found]
    .flatMap(([name, { doubt, version, evidence }]) => {
      const known = byName.get(name)
      if (!known || 1 - doubt < least) return []
      const confidence = Math.min(100, Math.round((1 - doubt) * 100))
      return [
        {
          name,
          category: known.category,
          version,
          confidence,
          evidence: [...evidence].slice(0, mostEvidence),
        },
      ]
    })
    .sort((a, b) => b.confidence - a.confidence || (a.name < b.name ? -1 : 1))
}
