import type { Document, Ordering, Reach } from './ordering.ts'
import type { State, Table } from './state.ts'

/** What one unit of work has written: a document, or undefined where it deleted it. */
export type OwnRow = { text: string; document: Document } | undefined

type ScanResult = { ids: string[]; until?: string }

/** The store as one unit of work sees it: what is committed, with its own writes on top. Nothing here waits. */
export type View = {
  text(table: Table, id: string): string | undefined
  write(table: Table, id: string, ownRow: OwnRow): void
  /** Ids in the order of the index; `until` is the last id that a scan came to which gave up early. */
  ids(table: Table, ordering: Ordering, reach: Reach, order: 'asc' | 'desc', limit: number): ScanResult
  count(table: Table, ordering: Ordering, reach: Reach): number
  countAll(table: Table): number
  claimedUntil(key: string): number | undefined
  claim(key: string, until: number): void
  append(topic: string, text: string): void
  /** Whether every read would give the same again: then the work might as well run in this instant. */
  isCurrent(): boolean
  writes: ReadonlyMap<Table, ReadonlyMap<string, OwnRow>>
  claims: ReadonlyMap<string, number>
  appends: readonly { topic: string; text: string }[]
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((entry, position) => entry === b[position])

/** A view of the state; without `watch` it forgets what it has read, for work that is over in the same instant. */
export const openView = (state: State, watch: boolean): View => {
  const writes = new Map<Table, Map<string, OwnRow>>()
  const claims = new Map<string, number>()
  const appends: { topic: string; text: string }[] = []
  const reads = new Map<Table, Map<string, string | undefined>>()
  const checks: (() => boolean)[] = []
  const orderings = new Map<Table, Table['orderings']>()

  /** Indexes that were put into force since would have judged otherwise what was read and written. */
  const use = (table: Table): void => {
    if (watch && !orderings.has(table)) orderings.set(table, table.orderings)
  }
  const saw = (table: Table, id: string, text: string | undefined): void => {
    if (!watch) return
    const rows = reads.get(table) ?? new Map<string, string | undefined>()
    reads.set(table, rows)
    if (!rows.has(id)) rows.set(id, text)
  }
  const check = (isSame: () => boolean): void => {
    if (watch) checks.push(isSame)
  }
  const committed = (table: Table, id: string): string | undefined => {
    const text = table.rows.get(id)
    saw(table, id, text)
    return text
  }
  const text = (table: Table, id: string): string | undefined => {
    use(table)
    const ownRows = writes.get(table)
    return ownRows?.has(id) ? ownRows.get(id)?.text : committed(table, id)
  }
  const ownEntries = (ordering: Ordering, reach: Reach, ownRows: ReadonlyMap<string, OwnRow>): string[] =>
    [...ownRows].flatMap(([id, row]) => (row ? (ordering.entryIn(reach, id, row.document) ?? []) : []))

  const ids = (
    table: Table,
    ordering: Ordering,
    reach: Reach,
    order: 'asc' | 'desc',
    limit: number,
  ): ScanResult => {
    use(table)
    const ownRows = writes.get(table)
    const scanLimit = limit + (ownRows?.size ?? 0)
    const { entries, until } = ordering.scan(reach, order, scanLimit)
    check(() => {
      const again = ordering.scan(reach, order, scanLimit)
      return again.until === until && same(entries, again.entries)
    })
    const early = until === undefined ? {} : { until: ordering.idOf(until) }
    if (!ownRows) return { ids: entries.map(ordering.idOf), ...early }
    const others = entries.filter(entry => !ownRows.has(ordering.idOf(entry)))
    const ownMatches = ownEntries(ordering, reach, ownRows).filter(
      entry => until === undefined || (order === 'asc' ? entry <= until : entry >= until),
    )
    const all = [...others, ...ownMatches].sort()
    if (order === 'desc') all.reverse()
    return { ids: all.slice(0, limit).map(ordering.idOf), ...early }
  }
  const count = (table: Table, ordering: Ordering, reach: Reach): number => {
    use(table)
    const entryCount = ordering.count(reach)
    check(() => ordering.count(reach) === entryCount)
    const ownRows = writes.get(table)
    if (!ownRows) return entryCount
    let covered = 0
    for (const id of ownRows.keys()) {
      const before = committed(table, id)
      if (before !== undefined && ordering.entryIn(reach, id, JSON.parse(before)) !== undefined) covered++
    }
    return entryCount - covered + ownEntries(ordering, reach, ownRows).length
  }
  const countAll = (table: Table): number => {
    use(table)
    const rowCount = table.rows.size()
    check(() => table.rows.size() === rowCount)
    let total = rowCount
    for (const [id, row] of writes.get(table) ?? []) {
      if (committed(table, id) !== undefined) total--
      if (row) total++
    }
    return total
  }
  const isCurrent = (): boolean => {
    for (const [table, before] of orderings) if (table.building || table.orderings !== before) return false
    for (const [table, rows] of reads)
      for (const [id, before] of rows) if (table.rows.get(id) !== before) return false
    return checks.every(isSame => isSame())
  }
  return {
    text,
    write: (table, id, ownRow) => {
      use(table)
      const rows = writes.get(table) ?? new Map<string, OwnRow>()
      rows.set(id, ownRow)
      writes.set(table, rows)
    },
    ids,
    count,
    countAll,
    claimedUntil: key => {
      const ownClaim = claims.get(key)
      if (ownClaim !== undefined) return ownClaim
      const until = state.claims.get(key)
      check(() => state.claims.get(key) === until)
      return until
    },
    claim: (key, until) => void claims.set(key, until),
    append: (topic, entry) => void appends.push({ topic, text: entry }),
    isCurrent,
    writes,
    claims,
    appends,
  }
}
