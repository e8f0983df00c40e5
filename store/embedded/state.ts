import { type Entry, type Index, StoreFailure } from '../index.ts'
import { type Arena, openArena } from './arena.ts'
import { claimBytes, entryBytes, logBytes, type Memory, rowBytes } from './memory.ts'
import type { Document, Ordering } from './ordering.ts'
import type { Target } from './record.ts'
import { emptyRows, type Rows } from './rows.ts'

/** One collection: its documents by id, and its indexes. */
export type Table = {
  name: string
  rows: Rows
  /** What this process declared. */
  declared: readonly Index[] | undefined
  /** The indexes in force: declared by this process, or by an earlier one and not yet by this. */
  indexes: readonly Index[]
  /** Replaced as a whole when indexes change. */
  orderings: Map<string, Ordering>
  /** Set while indexes are being built: nothing is read or written then. */
  building: Promise<void> | undefined
  /** What the entries of its indexes take in memory, as an estimate. */
  indexBytes: number
}

/**
 * One log. `entries[n - 1]` is entry n as JSON text of its time and payload, or '' where nothing has that number, as in logs that come
 * from PostgreSQL; the first `durable` may be shown.
 */
export type Topic = {
  name: string
  entries: string[]
  durable: number
  listeners: Set<(entry: Entry) => void>
}

/** All that the store holds. `lsn` is the last commit that a checkpoint of it may leave out of the journals. */
export type State = {
  lsn: number
  memory: Memory
  arena: Arena
  tables: Map<string, Table>
  claims: Map<string, number>
  topics: Map<string, Topic>
}

/** The state of a store that nobody has written to. */
export const emptyState = (): State => ({
  lsn: 0,
  memory: { documents: 0, bytes: 0 },
  arena: openArena(),
  tables: new Map(),
  claims: new Map(),
  topics: new Map(),
})

/** The collection of this name, made when it is new. */
export const ensureTable = (state: State, name: string): Table => {
  const existing = state.tables.get(name)
  if (existing) return existing
  const table: Table = {
    name,
    rows: emptyRows(state.arena, name),
    declared: undefined,
    indexes: [],
    orderings: new Map(),
    building: undefined,
    indexBytes: 0,
  }
  state.tables.set(name, table)
  return table
}

/** The log of this name, made when it is new. */
export const ensureTopic = (state: State, name: string): Topic => {
  const existing = state.topics.get(name)
  if (existing) return existing
  const topic: Topic = { name, entries: [], durable: 0, listeners: new Set() }
  state.topics.set(name, topic)
  return topic
}

/** Makes what lies at `place` the document of a key, or with 0 none; what the arena holds of the old one is forgotten. */
const setPlace = ({ memory }: State, { rows }: Table, key: string, place: number): void => {
  const length = place === 0 ? 0 : rows.length(place)
  const before = rows.point(key, place)
  count(memory, before === 0 ? 0 : rows.length(before), length)
}

/** Counts a document in memory whose line had `before` bytes and has `now`; 0 where it is none. */
const count = (memory: Memory, before: number, now: number): void => {
  memory.bytes += (now === 0 ? 0 : rowBytes(now)) - (before === 0 ? 0 : rowBytes(before))
  memory.documents += (now === 0 ? 0 : 1) - (before === 0 ? 0 : 1)
}

/** Notes a claim, or with undefined forgets it. */
export const setClaim = ({ memory, claims }: State, key: string, until: number | undefined): void => {
  if (claims.has(key)) memory.bytes -= claimBytes(key)
  if (until === undefined) return void claims.delete(key)
  claims.set(key, until)
  memory.bytes += claimBytes(key)
}

/** Adds an entry at the end of a log. */
export const addEntry = ({ memory }: State, { entries }: Topic, text: string): void => {
  entries.push(text)
  memory.bytes += logBytes(text)
}

/** Takes the last entry of a log away again. */
export const dropEntry = ({ memory }: State, { entries }: Topic): void => {
  const text = entries.pop()
  if (text !== undefined) memory.bytes -= logBytes(text)
}

/** Where recovery puts what it reads; no index is built then. Throws a StoreFailure when a log has a gap. */
export const restoreInto = (state: State): Target => ({
  put: (collection, key, line) => {
    const table = ensureTable(state, collection)
    setPlace(state, table, key, table.rows.bring(key, line))
    state.arena.tidy(0, 0)
  },
  delete: (collection, key) => setPlace(state, ensureTable(state, collection), key, 0),
  claim: (key, until) => setClaim(state, key, until),
  append: (name, at, text) => {
    const topic = ensureTopic(state, name)
    if (at > topic.entries.length + 1) throw new StoreFailure(`topic "${name}" jumps to ${at}`)
    // A text that is read twice is the same.
    if (at > topic.entries.length) addEntry(state, topic, text)
    topic.durable = topic.entries.length
  },
  skip: (name, upTo) => {
    const topic = ensureTopic(state, name)
    while (topic.entries.length < upTo) addEntry(state, topic, '')
    topic.durable = topic.entries.length
  },
  indexes: (collection, indexes) => {
    ensureTable(state, collection).indexes = indexes
  },
})

const reindex = (
  state: State,
  table: Table,
  id: string,
  old: Document | undefined,
  document: Document | undefined,
): void => {
  for (const ordering of table.orderings.values()) {
    if (old && document) ordering.replace(id, old, document)
    else if (old) ordering.remove(id, old)
    else if (document) ordering.add(id, document)
  }
  const growth =
    (document ? entryBytes(table.indexes, id, document) : 0) - (old ? entryBytes(table.indexes, id, old) : 0)
  table.indexBytes += growth
  state.memory.bytes += growth
}

/**
 * Makes what lies at `place` the document, or with 0 deletes it, with its index entries. Returns where it was: there it may
 * be restored from as long as the commit is not durable.
 */
export const setRow = (
  state: State,
  table: Table,
  { key, id, place, document }: { key: string; id: string; place: number; document: Document | undefined },
): number => {
  const { rows } = table
  const before = rows.place(key)
  if (table.orderings.size > 0)
    reindex(state, table, id, before === 0 ? undefined : JSON.parse(rows.text(before)), document)
  setPlace(state, table, key, place)
  return before
}

/** Takes a `setRow` back. */
export const restoreRow = (state: State, table: Table, key: string, id: string, place: number): void => {
  const { rows, orderings } = table
  const now = rows.place(key)
  const parse = (at: number): Document | undefined => (at === 0 ? undefined : JSON.parse(rows.text(at)))
  if (orderings.size > 0) reindex(state, table, id, parse(now), parse(place))
  const lengthOf = (at: number): number => (at === 0 ? 0 : rows.length(at))
  count(state.memory, lengthOf(now), lengthOf(place))
  rows.restore(key, place)
}
