import { type ArchivePolicy, type Index, StoreFailure } from '../index.ts'
import { type Archive, isArchived, openArchive } from './archive.ts'
import { type Arena, type HeldLine, openArena } from './arena.ts'
import { type LogFiles, openLogFiles } from './log-files.ts'
import { claimBytes, entryBytes, logBytes, type Memory, perRun } from './memory.ts'
import type { Document, Ordering } from './ordering.ts'
import type { ReplayTarget } from './record.ts'
import { emptyRows, type Rows } from './rows.ts'
import { endOf, type Run, type Topic } from './topics.ts'

/** One collection: its documents by id, and its indexes. */
export type Table = {
  name: string
  rows: Rows
  /** Indexes this process declared. */
  declared: readonly Index[] | undefined
  /** The indexes in force: declared by this process, or by an earlier one and not yet by this. */
  indexes: readonly Index[]
  /** Replaced as a whole when indexes change. */
  orderings: Map<string, Ordering>
  /** Set while indexes are being built: nothing is read or written then. */
  building: Promise<void> | undefined
  /** When its documents go to the archive; undefined where they stay in memory. */
  archive: ArchivePolicy | undefined
  /** Memory of its documents that are not archived, as an estimate. */
  heldBytes: number
  /** Memory of the entries of its indexes, as an estimate. */
  indexBytes: number
}

/** All that the store holds. `lsn` is the last commit that a checkpoint of it may leave out of the journals. */
export type State = {
  lsn: number
  /** Memory runs out: the next checkpoint archives all that may be archived, however new. */
  inNeed: boolean
  memory: Memory
  arena: Arena
  archive: Archive
  logs: LogFiles
  /** Memory of log entries, as an estimate. */
  heldLogBytes: number
  tables: Map<string, Table>
  claims: Map<string, number>
  topics: Map<string, Topic>
}

/** The state of a store that nobody has written to. */
export const emptyState = (): State => ({
  lsn: 0,
  inNeed: false,
  memory: { documents: 0, bytes: 0, archived: { documents: 0, bytes: 0 } },
  arena: openArena(),
  archive: openArchive(),
  logs: openLogFiles(),
  heldLogBytes: 0,
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
    rows: emptyRows(state.arena, name, state.archive),
    declared: undefined,
    indexes: [],
    orderings: new Map(),
    building: undefined,
    archive: undefined,
    heldBytes: 0,
    indexBytes: 0,
  }
  state.tables.set(name, table)
  return table
}

/** The log of this name, made when it is new. */
export const ensureTopic = (state: State, name: string): Topic => {
  const existing = state.topics.get(name)
  if (existing) return existing
  const topic: Topic = {
    name,
    runs: [],
    base: 0,
    entries: [],
    heldBytes: 0,
    durable: 0,
    listeners: new Set(),
  }
  state.topics.set(name, topic)
  return topic
}

/** Makes what lies at `place` the document of a key, or with 0 none; what the arena holds of the old one is forgotten. */
const setPlace = (state: State, table: Table, key: string, place: number): void => {
  const before = table.rows.point(key, place)
  count(state, table, before, -1)
  count(state, table, place, 1)
}

/** Counts what lies at a place in or out; 0 is no document. */
const count = ({ memory }: State, table: Table, place: number, sign: 1 | -1): void => {
  if (place === 0) return
  const bytes = sign * table.rows.weight(place)
  memory.bytes += bytes
  if (isArchived(place)) {
    memory.archived.documents += sign
    memory.archived.bytes += sign * table.rows.length(place)
    return
  }
  memory.documents += sign
  table.heldBytes += bytes
}

/** Brings a row that lies in the file of the archive: only that is noted. */
export const bringArchived = (
  state: State,
  collection: string,
  key: string,
  { offset, length, checksum }: { offset: number; length: number; checksum: number },
): void => {
  const table = ensureTable(state, collection)
  setPlace(state, table, key, state.archive.add(table.rows.table, offset, length, checksum))
  state.archive.tidy(0, 0)
}

/** Size of documents and log entries in memory that a checkpoint might leave on disk. */
export const archivableBytes = ({ tables, heldLogBytes }: State): number => {
  let bytes = heldLogBytes
  for (const { archive, heldBytes } of tables.values()) if (archive) bytes += heldBytes
  return bytes
}

/** True when a line may go to the archive: its collection says so, and it has not been written for as long; in need it is not waited for. */
export const mayArchive = (
  { arena, inNeed }: State,
  { archive, building }: Table,
  { hour }: Pick<HeldLine, 'hour'>,
  now: number,
): boolean => {
  if (!archive || building) return false
  // The hour of writing may be nearly over: only behind it so many have passed.
  return inNeed || archive.afterHours === 0 || arena.hourAt(now) - hour > archive.afterHours
}

/** Makes the file of the archive the home of a line in the arena, which holds the same bytes. */
export const moveToArchive = (
  state: State,
  table: Table,
  { hash, place }: Pick<HeldLine, 'hash' | 'place'>,
  { offset, length, checksum }: { offset: number; length: number; checksum: number },
): void => {
  const number = state.archive.add(table.rows.table, offset, length, checksum)
  count(state, table, place, -1)
  state.arena.leave(table.rows.table, hash, place, number)
  count(state, table, number, 1)
}

/** Notes a claim, or with undefined forgets it. */
export const setClaim = ({ memory, claims }: State, key: string, until: number | undefined): void => {
  if (claims.has(key)) memory.bytes -= claimBytes(key)
  if (until === undefined) return void claims.delete(key)
  claims.set(key, until)
  memory.bytes += claimBytes(key)
}

/** Counts memory of the entries of a log in or out. */
const hold = (state: State, topic: Topic, bytes: number): void => {
  topic.heldBytes += bytes
  state.heldLogBytes += bytes
  state.memory.bytes += bytes
}

/** Adds an entry at the end of a log. */
export const addEntry = (state: State, topic: Topic, text: string): void => {
  topic.entries.push(text)
  hold(state, topic, logBytes(text))
}

/** Takes the last entry of a log away again. */
export const dropEntry = (state: State, topic: Topic): void => {
  const text = topic.entries.pop()
  if (text !== undefined) hold(state, topic, -logBytes(text))
}

/** Makes runs in log files the home of the entries up to number `base`. */
export const moveToRuns = (state: State, topic: Topic, runs: Run[], base: number): void => {
  state.memory.bytes += (runs.length - topic.runs.length) * perRun
  topic.entries = topic.entries.slice(base - topic.base)
  topic.base = base
  topic.runs = runs
  const held = topic.entries.reduce((sum, text) => sum + logBytes(text), 0)
  hold(state, topic, held - topic.heldBytes)
}

/** Target for what recovery reads; no index is built then. Throws a StoreFailure when a log has a gap. */
export const restoreInto = (state: State): ReplayTarget => ({
  put: (collection, key, line) => {
    const table = ensureTable(state, collection)
    setPlace(state, table, key, table.rows.bring(key, line))
    state.arena.tidy(0, 0)
    state.archive.tidy(0, 0)
  },
  delete: (collection, key) => setPlace(state, ensureTable(state, collection), key, 0),
  claim: (key, until) => setClaim(state, key, until),
  append: (name, at, text) => {
    const topic = ensureTopic(state, name)
    if (at > endOf(topic) + 1) throw new StoreFailure(`topic "${name}" jumps to ${at}`)
    // A text that is read twice is the same.
    if (at > endOf(topic)) addEntry(state, topic, text)
    topic.durable = endOf(topic)
  },
  run: (name, run) => {
    const topic = ensureTopic(state, name)
    if (topic.entries.length > 0 || run.from !== topic.base + 1)
      throw new StoreFailure(`topic "${name}" jumps to ${run.from}`)
    topic.runs.push(run)
    topic.base += run.count
    topic.durable = topic.base
    state.memory.bytes += perRun
  },
  skip: (name, upTo) => {
    const topic = ensureTopic(state, name)
    while (endOf(topic) < upTo) addEntry(state, topic, '')
    topic.durable = endOf(topic)
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

/** A document to be written: it lies at `place`, where 0 deletes it; `before` is where the one lies that it replaces, and `old` what that said. */
export type NewRow = {
  key: string
  id: string
  place: number
  document: Document | undefined
  before: number
  old: Document | undefined
}

/** Document at a place, 0 for nothing, as the indexes of its table need it. Throws where it is archived and cannot be read. */
export const oldDocument = ({ rows, orderings }: Table, before: number): Document | undefined =>
  before === 0 || orderings.size === 0 ? undefined : JSON.parse(rows.text(before))

/** Makes a row the document, with its index entries. As long as the commit is not durable, it may be taken back. */
export const setRow = (state: State, table: Table, { key, id, place, document, old }: NewRow): void => {
  if (table.orderings.size > 0) reindex(state, table, id, old, document)
  setPlace(state, table, key, place)
}

/** Takes a `setRow` back; `old` is needed where that document is archived, since nothing may fail here. */
export const restoreRow = (
  state: State,
  table: Table,
  { key, id, before, old }: Pick<NewRow, 'key' | 'id' | 'before' | 'old'>,
): void => {
  const { rows, orderings } = table
  const now = rows.place(key)
  const parse = (at: number): Document | undefined => (at === 0 ? undefined : JSON.parse(rows.text(at)))
  if (orderings.size > 0) reindex(state, table, id, parse(now), old ?? parse(before))
  count(state, table, now, -1)
  count(state, table, before, 1)
  rows.restore(key, before)
}
