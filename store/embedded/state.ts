import { type Entry, type Index, StoreFailure } from '../index.ts'
import { claimBytes, entryBytes, logBytes, type Memory, rowBytes } from './memory.ts'
import type { Document, Ordering } from './ordering.ts'
import type { Target } from './record.ts'
import { emptyRows, type Rows } from './rows.ts'

/** One collection: its documents as JSON text by id, and its indexes. */
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
  tables: Map<string, Table>
  claims: Map<string, number>
  topics: Map<string, Topic>
}

/** The state of a store that nobody has written to. */
export const emptyState = (): State => ({
  lsn: 0,
  memory: { documents: 0, bytes: 0 },
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
    rows: emptyRows(),
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

/** Makes `text` the stored text of a document, or with undefined deletes it, and leaves its index entries alone. */
const setText = ({ memory }: State, { rows }: Table, id: string, text: string | undefined): void => {
  const before = rows.get(id)
  if (before !== undefined) memory.bytes -= rowBytes(id, before)
  if (text === undefined) rows.delete(id)
  else rows.set(id, text)
  if (text !== undefined) memory.bytes += rowBytes(id, text)
  memory.documents += (text === undefined ? 0 : 1) - (before === undefined ? 0 : 1)
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
  put: (collection, id, text) => setText(state, ensureTable(state, collection), id, text),
  delete: (collection, id) => setText(state, ensureTable(state, collection), id, undefined),
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

/** Writes or, without `row`, deletes a document in memory, with its index entries. */
export const setRow = (
  state: State,
  table: Table,
  id: string,
  row: { text: string; document: Document } | undefined,
): void => {
  if (table.orderings.size > 0) {
    const before = table.rows.get(id)
    const old: Document | undefined = before === undefined ? undefined : JSON.parse(before)
    for (const ordering of table.orderings.values()) {
      if (old && row) ordering.replace(id, old, row.document)
      else if (old) ordering.remove(id, old)
      else if (row) ordering.add(id, row.document)
    }
    const growth =
      (row ? entryBytes(table.indexes, id, row.document) : 0) - (old ? entryBytes(table.indexes, id, old) : 0)
    table.indexBytes += growth
    state.memory.bytes += growth
  }
  setText(state, table, id, row?.text)
}
