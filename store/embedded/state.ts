import { type Entry, type Index, StoreFailure } from '../index.ts'
import { fieldsOrdering } from './fields-ordering.ts'
import type { Document, Ordering } from './ordering.ts'
import type { Target } from './record.ts'
import { emptyRows, type Rows } from './rows.ts'
import { wordsOrdering } from './words-ordering.ts'

/** One collection: its documents as JSON text by id, and its indexes once they are declared. */
export type Table = {
  name: string
  rows: Rows
  declared: readonly Index[] | undefined
  orderings: Map<string, Ordering>
}

/** One log. `entries[n - 1]` is entry n as JSON text of its time and payload; the first `durable` may be shown. */
export type Topic = {
  name: string
  entries: string[]
  durable: number
  listeners: Set<(entry: Entry) => void>
}

/** All that the store holds. `lsn` is the last commit that a checkpoint of it may leave out of the journals. */
export type State = {
  lsn: number
  tables: Map<string, Table>
  claims: Map<string, number>
  topics: Map<string, Topic>
}

/** The state of a store that nobody has written to. */
export const emptyState = (): State => ({ lsn: 0, tables: new Map(), claims: new Map(), topics: new Map() })

/** The collection of this name, made when it is new. */
export const tableOf = (state: State, name: string): Table => {
  const known = state.tables.get(name)
  if (known) return known
  const table: Table = { name, rows: emptyRows(), declared: undefined, orderings: new Map() }
  state.tables.set(name, table)
  return table
}

/** The log of this name, made when it is new. */
export const topicOf = (state: State, name: string): Topic => {
  const known = state.topics.get(name)
  if (known) return known
  const topic: Topic = { name, entries: [], durable: 0, listeners: new Set() }
  state.topics.set(name, topic)
  return topic
}

/** Where recovery puts what it reads; no index is declared then. Throws a StoreFailure when a log has a gap. */
export const restoreInto = (state: State): Target => ({
  put: (collection, id, text) => tableOf(state, collection).rows.set(id, text),
  delete: (collection, id) => tableOf(state, collection).rows.delete(id),
  claim: (key, until) => state.claims.set(key, until),
  append: (name, at, text) => {
    const topic = topicOf(state, name)
    if (at > topic.entries.length + 1) throw new StoreFailure(`topic "${name}" jumps to ${at}`)
    topic.entries[at - 1] = text
    topic.durable = topic.entries.length
  },
})

/** Builds declared indexes over what is stored. Throws when a stored document does not fit one. */
export const declareIndexes = (table: Table, indexes: readonly Index[]): void => {
  if (table.declared === indexes) return
  const buildings = indexes.map(index =>
    index.words ? wordsOrdering(index) : fieldsOrdering(table.name, index),
  )
  for (const [id, text] of buildings.length > 0 ? table.rows : []) {
    const row: Document = JSON.parse(text)
    for (const building of buildings) building.gather(id, row)
  }
  table.orderings = new Map(buildings.map(building => building.build()).map(made => [made.index.name, made]))
  table.declared = indexes
}

/** Writes or, without `row`, deletes a document in memory, with its index entries. */
export const setRow = (
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
  }
  if (row) table.rows.set(id, row.text)
  else table.rows.delete(id)
}
