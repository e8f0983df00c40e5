import { uniqueReach } from './fields-ordering.ts'
import type { Document, Ordering, Reach } from './ordering.ts'
import type { State, Table } from './state.ts'

/** Row written by one unit of work: a document, or undefined where it deleted it. */
export type OwnRow = { text: string; document: Document } | undefined

/** The last that one unit of work has written under an id. */
export type Write = { readonly table: Table; readonly id: string; row: OwnRow }

type ScanResult = { ids: string[]; until?: string }

/** The store as one unit of work sees it: what is committed, with its own writes on top. Nothing here waits. */
export type View = {
  text(table: Table, id: string): string | undefined
  write(table: Table, id: string, ownRow: OwnRow): void
  /** Ids in the order of the index; `until` is the last id that a scan came to which gave up early. */
  ids(table: Table, ordering: Ordering, reach: Reach, order: 'asc' | 'desc', limit: number): ScanResult
  /** The id that has these values in a unique index. */
  holder(table: Table, ordering: Ordering, reach: Reach): string | undefined
  count(table: Table, ordering: Ordering, reach: Reach): number
  countAll(table: Table): number
  claimedUntil(key: string): number | undefined
  claim(key: string, until: number): void
  append(topic: string, text: string): void
  /** True when every read would give the same again: then the work might as well run in this instant. */
  isCurrent(): boolean
  /** One for each document, in the order in which they were first written. */
  writes: readonly Write[]
  claims: ReadonlyMap<string, number>
  appends: readonly { topic: string; text: string }[]
  /** Lets go of all that was written, for the next unit of work in a view that does not watch. What had it keeps it. */
  clear(): void
}

/** Members of its own that are plain: V8 keeps an object with getters of its own as a dictionary, and among the old ones. */
type Owned = View & {
  writes: Write[]
  claims: Map<string, number>
  appends: { topic: string; text: string }[]
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((entry, position) => entry === b[position])

/** Stays empty. */
const nothing = new Map<never, never>()

/** So many writes are looked through; more are found by their ids. */
const fewWrites = 8

/** A view of the state; without `watch` it forgets what it has read, for work that is over in the same instant. */
export const openView = (state: State, watch: boolean): View => {
  // Most views read or write one document: what they do not need is not made.
  let byId: Map<Table, Map<string, Write>> | undefined
  let reads: Map<Table, Map<string, string | undefined>> | undefined
  const checks: (() => boolean)[] = []
  /** Writes as they came, once there are more than few; and by the values that they had in a unique index, their ids. */
  let touched: Write[] = []
  let ownHolders: Map<Ordering, { upTo: number; ids: Map<string, string[]> }> | undefined
  let orderings: Map<Table, Table['orderings']> | undefined

  /** Indexes that were put into force since would have judged otherwise what was read and written. */
  const use = (table: Table): void => {
    if (!watch) return
    orderings ??= new Map()
    if (!orderings.has(table)) orderings.set(table, table.orderings)
  }
  const saw = (table: Table, id: string, text: string | undefined): void => {
    if (!watch) return
    reads ??= new Map()
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
  const note = (write: Write): void => {
    byId ??= new Map()
    const ofTable = byId.get(write.table) ?? new Map<string, Write>()
    byId.set(write.table, ofTable)
    ofTable.set(write.id, write)
    touched.push(write)
  }
  const own = (table: Table, id: string): Write | undefined => {
    const { writes } = view
    if (writes.length > fewWrites) return byId?.get(table)?.get(id)
    for (const write of writes) if (write.id === id && write.table === table) return write
    return undefined
  }
  const ownWrites = (table: Table): Write[] => view.writes.filter(write => write.table === table)
  const write = (table: Table, id: string, row: OwnRow): void => {
    use(table)
    const before = own(table, id)
    if (before) {
      before.row = row
      if (view.writes.length > fewWrites) touched.push(before)
      return
    }
    const length = view.writes.push({ table, id, row })
    if (length === fewWrites + 1) for (const one of view.writes) note(one)
    else if (length > fewWrites) note(view.writes[length - 1] as Write)
  }
  const text = (table: Table, id: string): string | undefined => {
    use(table)
    const ownWrite = own(table, id)
    return ownWrite ? ownWrite.row?.text : committed(table, id)
  }
  const ownEntries = (ordering: Ordering, reach: Reach, writes: readonly Write[]): string[] =>
    writes.flatMap(({ id, row }) => (row ? (ordering.entryIn(reach, id, row.document) ?? []) : []))

  const ids = (
    table: Table,
    ordering: Ordering,
    reach: Reach,
    order: 'asc' | 'desc',
    limit: number,
  ): ScanResult => {
    use(table)
    const writes = ownWrites(table)
    const scanLimit = limit + writes.length
    const { entries, until } = ordering.scan(reach, order, scanLimit)
    check(() => {
      const again = ordering.scan(reach, order, scanLimit)
      return again.until === until && same(entries, again.entries)
    })
    const early = until === undefined ? {} : { until: ordering.idOf(until) }
    if (writes.length === 0) return { ids: entries.map(ordering.idOf), ...early }
    const others = entries.filter(entry => !own(table, ordering.idOf(entry)))
    const ownMatches = ownEntries(ordering, reach, writes).filter(
      entry => until === undefined || (order === 'asc' ? entry <= until : entry >= until),
    )
    const all = [...others, ...ownMatches].sort()
    if (order === 'desc') all.reverse()
    return { ids: all.slice(0, limit).map(ordering.idOf), ...early }
  }
  /** Ids under which this unit of work has written these values, whether or not it has changed them since. */
  const writtenUnder = (table: Table, ordering: Ordering, reach: Reach): readonly string[] => {
    if (view.writes.length <= fewWrites) return ownWrites(table).map(({ id }) => id)
    ownHolders ??= new Map()
    const holders = ownHolders.get(ordering) ?? { upTo: 0, ids: new Map<string, string[]>() }
    ownHolders.set(ordering, holders)
    for (; holders.upTo < touched.length; holders.upTo++) {
      const { table: of, id, row } = touched[holders.upTo] as Write
      const values =
        of === table && row ? uniqueReach(table.name, ordering.index, row.document)?.from : undefined
      if (values === undefined) continue
      const ids = holders.ids.get(values) ?? []
      if (!ids.includes(id)) holders.ids.set(values, [...ids, id])
    }
    return holders.ids.get(reach.from) ?? []
  }
  const holder = (table: Table, ordering: Ordering, reach: Reach): string | undefined => {
    use(table)
    const { entries } = ordering.scan(reach, 'asc', 1)
    check(() => same(entries, ordering.scan(reach, 'asc', 1).entries))
    const [entry] = entries
    const committedId = entry === undefined ? undefined : ordering.idOf(entry)
    if (committedId !== undefined && !own(table, committedId)) return committedId
    return writtenUnder(table, ordering, reach).find(id => {
      const row = own(table, id)?.row
      return row && ordering.entryIn(reach, id, row.document) !== undefined
    })
  }
  const count = (table: Table, ordering: Ordering, reach: Reach): number => {
    use(table)
    const entryCount = ordering.count(reach)
    check(() => ordering.count(reach) === entryCount)
    const writes = ownWrites(table)
    let covered = 0
    for (const { id } of writes) {
      const before = committed(table, id)
      if (before !== undefined && ordering.entryIn(reach, id, JSON.parse(before)) !== undefined) covered++
    }
    return entryCount - covered + ownEntries(ordering, reach, writes).length
  }
  const countAll = (table: Table): number => {
    use(table)
    const rowCount = table.rows.size()
    check(() => table.rows.size() === rowCount)
    let total = rowCount
    for (const { id, row } of ownWrites(table)) {
      if (committed(table, id) !== undefined) total--
      if (row) total++
    }
    return total
  }
  const isCurrent = (): boolean => {
    for (const [table, before] of orderings ?? nothing)
      if (table.building || table.orderings !== before) return false
    for (const [table, rows] of reads ?? nothing)
      for (const [id, before] of rows) if (table.rows.get(id) !== before) return false
    return checks.every(isSame => isSame())
  }
  const view: Owned = {
    writes: [],
    claims: nothing,
    appends: [],
    text,
    write,
    ids,
    holder,
    count,
    countAll,
    claimedUntil: key => {
      const ownClaim = view.claims.get(key)
      if (ownClaim !== undefined) return ownClaim
      const until = state.claims.get(key)
      check(() => state.claims.get(key) === until)
      return until
    },
    claim: (key, until) => {
      const claims = view.claims === nothing ? new Map<string, number>() : view.claims
      view.claims = claims.set(key, until)
    },
    append: (topic, entry) => void view.appends.push({ topic, text: entry }),
    isCurrent,
    clear: () => {
      if (view.writes.length > 0) view.writes = []
      if (view.appends.length > 0) view.appends = []
      view.claims = nothing
      byId = undefined
      if (touched.length > 0) touched = []
      ownHolders = undefined
    },
  }
  return view
}
