import { type Cell, type Score, type StandingForecast, score, scoreQuestion } from '../scoring.ts'
import { type Content, type Entry, isOwnMethod, type Resolver } from './entry.ts'

type Item = { readonly at: number; readonly id: string }

/** Ids in the order of their times: what is due is taken in logarithmic time, however many wait (a binary heap). */
const openCloseQueue = () => {
  const heap: Item[] = []

  const swap = (one: number, other: number) => {
    const [a, b] = [heap[one], heap[other]]
    if (a && b) [heap[one], heap[other]] = [b, a]
  }
  const timeAt = (index: number) => heap[index]?.at ?? Number.POSITIVE_INFINITY

  return {
    add(item: Item): void {
      let index = heap.push(item) - 1
      while (index > 0) {
        const parent = (index - 1) >> 1
        if (timeAt(parent) <= item.at) return
        swap(parent, index)
        index = parent
      }
    },
    /** The id whose time comes first, if that is not after `at`; it is then gone from here. */
    take(at: number): string | undefined {
      const first = heap[0]
      if (!first || first.at > at) return undefined
      swap(0, heap.length - 1)
      heap.pop()
      for (let index = 0; ; ) {
        const [left, right] = [2 * index + 1, 2 * index + 2]
        const smaller = timeAt(right) < timeAt(left) ? right : left
        if (timeAt(smaller) >= timeAt(index)) return first.id
        swap(smaller, index)
        index = smaller
      }
    },
  }
}

/**
 * Forecasts counted by probability, in rising order. A probability has four decimals, so that there are at most ten thousand and one
 * cells, however many forecasts; scores are reckoned when they are asked for, and kept until something changes.
 */
const openCounts = () => {
  const cells: Cell[] = []
  let scored: { result: Score | null } | undefined

  /** Place of a probability, or where it would have to be. */
  const findPlace = (probability: number): number => {
    let [low, high] = [0, cells.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((cells[middle]?.probability ?? 1) < probability) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    add(probability: number, outcome: 0 | 1, by: 1 | -1): void {
      const at = findPlace(probability)
      const there = cells[at]
      const isThere = there?.probability === probability
      const { yes, no } = isThere ? there : { yes: 0, no: 0 }
      const cell = { probability, yes: yes + (outcome === 1 ? by : 0), no: no + (outcome === 0 ? by : 0) }
      const next = cell.yes === 0 && cell.no === 0 ? [] : [cell]
      if (isThere && next.length === 1) cells[at] = cell
      else cells.splice(at, isThere ? 1 : 0, ...next)
      scored = undefined
    },
    isEmpty: () => cells.length === 0,
    cells: (): readonly Cell[] => cells,
    score(): Score | null {
      scored ??= { result: score(cells) }
      return scored.result
    },
  }
}

type Counts = ReturnType<typeof openCounts>

/** The domains that are always told of; callers may name others. */
const domains = ['infrastructure', 'social', 'calibration', 'methodology'] as const

/** Sums of whole numbers do not depend on their order: a record that was read from the beginning adds up to the same. */
const unit = 1e9
const toUnits = (score: number | undefined): number | undefined =>
  score === undefined ? undefined : Math.round(score * unit)

type Scored = { content: Content; outcome: 0 | 1; by: Resolver }

/**
 * What a source says at one place on one day: however many thresholds and wordings are asked of it, it is one thing that came out one
 * way, and counts once.
 */
const toDatum = ({ source, closes_at, question }: Content): string =>
  source ? JSON.stringify([source.url, source.pointer, closes_at.slice(0, 10)]) : question

/** The forecast of a datum that was registered first. */
const findFirst = (group: ReadonlyMap<string, Scored>): Scored | undefined => {
  let first: Scored | undefined
  for (const scored of group.values())
    if (!first || scored.content.prediction < first.content.prediction) first = scored
  return first
}

const toStandingForecast = ({ content, outcome }: Scored): StandingForecast => ({
  question: content.question,
  probability: content.probability,
  outcome,
  at: Date.parse(content.created_at),
  closesAt: Date.parse(content.closes_at),
})

/** Score over time of the question that was asked first of a datum. */
const scoreDatum = (group: ReadonlyMap<string, Scored>): number | undefined => {
  const question = findFirst(group)?.content.question
  return scoreQuestion(
    [...group.values()].filter(({ content }) => content.question === question).map(toStandingForecast),
  )
}

/**
 * What a record adds up to, entry by entry. A resolved prediction counts from its close date on, however early it was resolved: what
 * comes true is known sooner than what does not, and would be counted too often.
 */
export const openTally = () => {
  let [registered, resolved, annulled, size] = [0, 0, 0, 0]
  const open = new Set<string>()
  /** Open although their close date is past. */
  const overdue = new Set<string>()
  const closing = openCloseQueue()
  let now = Number.NEGATIVE_INFINITY
  /** Own forecasts that a source of the operator's resolved, one for each datum: all scores but three follow from these. */
  const all = openCounts()
  /** Resolved by the word of a buyer, or of a source that a buyer chose: both may have a reason to say so. */
  const byOthers = { asker: openCounts(), declared: openCounts() }
  const byDomain = new Map<string, Counts>()
  const byMethod = new Map<string, Counts>()
  const ownByMethod = new Map<string, Counts>()
  const domainTotals = new Map<string, { registered: number; resolved: number; annulled: number }>()
  const resolvedByOthers = new Map<string, Exclude<Resolver, 'source'>>()
  /** Resolved before their close date. */
  const waiting = new Map<string, Scored>()
  const data = new Map<string, Map<string, Scored>>()
  let [questionSum, questionCount] = [0, 0]
  let changes = 0

  const domainTotal = (domain: string) => {
    const total = domainTotals.get(domain) ?? { registered: 0, resolved: 0, annulled: 0 }
    domainTotals.set(domain, total)
    return total
  }

  const countsIn = (groups: Map<string, Counts>, name: string): Counts => {
    const counts = groups.get(name) ?? openCounts()
    groups.set(name, counts)
    return counts
  }

  const countOwn = ({ content, outcome }: Scored, by: 1 | -1) => {
    for (const counts of [all, countsIn(byDomain, content.domain), countsIn(ownByMethod, content.method)])
      counts.add(content.probability, outcome, by)
  }

  const countDatum = (scored: Scored, by: 1 | -1) => {
    const datum = toDatum(scored.content)
    const group = data.get(datum) ?? new Map<string, Scored>()
    const [first, before] = [findFirst(group), toUnits(scoreDatum(group))]
    if (by === 1) group.set(scored.content.prediction, scored)
    else group.delete(scored.content.prediction)
    if (group.size > 0) data.set(datum, group)
    else data.delete(datum)
    const [next, after] = [findFirst(group), toUnits(scoreDatum(group))]
    if (first !== next) {
      if (first) countOwn(first, -1)
      if (next) countOwn(next, 1)
    }
    questionSum += (after ?? 0) - (before ?? 0)
    questionCount += (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1)
  }

  const count = (scored: Scored, by: 1 | -1) => {
    const { content, outcome } = scored
    changes++
    if (scored.by !== 'source') return byOthers[scored.by].add(content.probability, outcome, by)
    countsIn(byMethod, content.method).add(content.probability, outcome, by)
    if (isOwnMethod(content.method)) countDatum(scored, by)
  }

  return {
    /** Takes the next entry. */
    add(entry: Entry): void {
      size++
      if (entry.kind === 'registered') {
        registered++
        domainTotal(entry.domain).registered++
        open.add(entry.prediction)
        closing.add({ at: Date.parse(entry.closes_at), id: entry.prediction })
        return
      }
      const { content } = entry
      open.delete(entry.prediction)
      overdue.delete(entry.prediction)
      if (entry.kind === 'resolved') {
        resolved++
        domainTotal(content.domain).resolved++
        const scored = { content, outcome: entry.outcome, by: entry.by }
        if (entry.by !== 'source') resolvedByOthers.set(entry.prediction, entry.by)
        if (Date.parse(content.closes_at) <= now) count(scored, 1)
        else waiting.set(entry.prediction, scored)
        return
      }
      annulled++
      domainTotal(content.domain).annulled++
      if (entry.outcome === null) return
      resolved--
      domainTotal(content.domain).resolved--
      const wasBy = resolvedByOthers.get(entry.prediction) ?? 'source'
      resolvedByOthers.delete(entry.prediction)
      if (!waiting.delete(entry.prediction)) count({ content, outcome: entry.outcome, by: wasBy }, -1)
    },
    /** Passes over an entry that is not to be counted. */
    skip(): void {
      size++
    },
    /** Counts what has closed by `at`. It never goes back. */
    advance(at: Date): void {
      now = Math.max(now, at.getTime())
      for (let id = closing.take(now); id !== undefined; id = closing.take(now)) {
        if (open.has(id)) overdue.add(id)
        const scored = waiting.get(id)
        if (scored) count(scored, 1)
        waiting.delete(id)
      }
    },
    size: () => size,
    /** Rises whenever the scores do change. */
    changes: () => changes,
    totals: () => ({
      registered,
      resolved,
      annulled,
      open: open.size,
      overdue: overdue.size,
      early: waiting.size,
    }),
    score: () => all.score(),
    otherScore: (by: keyof typeof byOthers) => byOthers[by].score(),
    domains: () => [...new Set([...domains, ...domainTotals.keys()])].sort(),
    domainTotals: (domain: string) => domainTotals.get(domain) ?? { registered: 0, resolved: 0, annulled: 0 },
    domainScore: (domain: string) => byDomain.get(domain)?.score() ?? null,
    methods: () => [...byMethod].flatMap(([method, counts]) => (counts.isEmpty() ? [] : [method])).sort(),
    methodScore: (method: string) => byMethod.get(method)?.score() ?? null,
    /** Own forecasts of a method, one for each datum: what a slope is learned on, so that asking a thing often teaches nothing. */
    methodCells: (method: string): readonly Cell[] => ownByMethod.get(method)?.cells() ?? [],
    timeWeightedBrier: () => (questionCount === 0 ? null : questionSum / unit / questionCount),
    questions: () => questionCount,
  }
}

export type Tally = ReturnType<typeof openTally>
