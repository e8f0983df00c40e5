import type { Journal, Records } from './journal.ts'
import { logBytes, rowBytes } from './memory.ts'
import type { Document } from './ordering.ts'
import { record } from './record.ts'
import { rowKey } from './rows.ts'
import {
  addEntry,
  dropEntry,
  ensureTopic,
  restoreRow,
  type State,
  setClaim,
  setRow,
  type Table,
} from './state.ts'
import { reveal } from './topics.ts'
import type { View } from './view.ts'

const maxCommitBytes = 256 << 20

type AppendedEntry = { name: string; at: number; entry: string }

const numbered = (state: State, { appends }: View, now: Date): AppendedEntry[] => {
  if (appends.length === 0) return []
  const time = JSON.stringify(now.toISOString())
  const ends = new Map<string, number>()
  return appends.map(({ topic: name, text }) => {
    const at = (ends.get(name) ?? ensureTopic(state, name).entries.length) + 1
    ends.set(name, at)
    return { name, at, entry: `{"time":${time},"payload":${text}}` }
  })
}

type NewRow = { table: Table; key: string; id: string; place: number; document: Document | undefined }

const checkSize = ({ writes }: View, appended: readonly AppendedEntry[]): void => {
  let units = 0
  for (const rows of writes.values())
    for (const [id, ownRow] of rows) units += id.length + (ownRow?.text.length ?? 0)
  for (const { entry } of appended) units += entry.length
  if (units > maxCommitBytes) throw new Error('the transaction is too large: its rows exceed 256 MiB')
}

/** Writes the lines of a view's rows where they stay; nobody finds them there yet. What was not there is not deleted. */
const writeLines = ({ writes }: View): NewRow[] => {
  const newRows: NewRow[] = []
  for (const [table, rows] of writes)
    for (const [id, ownRow] of rows) {
      const key = rowKey(id)
      if (ownRow)
        newRows.push({
          table,
          key,
          id,
          place: table.rows.write(key, id, ownRow.text),
          document: ownRow.document,
        })
      else if (table.rows.place(key) !== 0) newRows.push({ table, key, id, place: 0, document: undefined })
    }
  return newRows
}

const toRecords = (
  newRows: readonly NewRow[],
  { claims }: View,
  appended: readonly AppendedEntry[],
): Records => {
  const records: Records[number][] = newRows.map(({ table, id, place }) =>
    place === 0 ? record.delete(table.name, id) : table.rows.line(place),
  )
  for (const [key, until] of claims) records.push(record.claim(key, until))
  for (const { name, at, entry } of appended) records.push(record.append(name, at, entry))
  return records
}

/** Whether a view has anything to commit. */
export const hasWritten = ({ writes, claims, appends }: View): boolean =>
  writes.size > 0 || claims.size > 0 || appends.length > 0

/** How much a view's writes take in memory, and whether any of them adds something that was not there. */
export const computeGrowth = (view: View): { bytes: number; adds: boolean } => {
  let bytes = 0
  let adds = view.appends.length > 0
  for (const [table, rows] of view.writes)
    for (const [id, ownRow] of rows) {
      const key = rowKey(id)
      const before = table.rows.place(key)
      if (before !== 0) bytes -= rowBytes(table.rows.length(before))
      if (ownRow) bytes += rowBytes(table.rows.lengthOf(key, ownRow.text))
      if (ownRow && before === 0) adds = true
    }
  for (const { text } of view.appends) bytes += logBytes(text)
  return { bytes, adds }
}

/**
 * Applies all that a view has written, in one instant, and queues it for the journal: the same bytes go there and stay in
 * memory. They are taken back, from the last commit to the first, when the journal never holds them.
 */
export const commit = (
  state: State,
  journal: Journal,
  view: View,
  now: Date,
  report: (problem: unknown) => void,
): void => {
  const appended = numbered(state, view, now)
  checkSize(view, appended)
  const newRows = writeLines(view)
  const records = toRecords(newRows, view, appended)
  if (records.length === 0) return
  const notifyListeners = (): void => {
    for (const { name, at } of appended) reveal(ensureTopic(state, name), at, report)
  }
  const oldRows: { table: Table; key: string; id: string; place: number }[] = []
  const oldClaims: { key: string; until: number | undefined }[] = []
  const undo = (): void => {
    for (const { table, key, id, place } of oldRows) restoreRow(state, table, key, id, place)
    for (const { key, until } of oldClaims) setClaim(state, key, until)
    for (const { name } of appended) dropEntry(state, ensureTopic(state, name))
  }
  journal.push(records, appended.length > 0 ? notifyListeners : undefined, undo)
  for (const row of newRows)
    oldRows.push({ table: row.table, key: row.key, id: row.id, place: setRow(state, row.table, row) })
  for (const [key, until] of view.claims) {
    oldClaims.push({ key, until: state.claims.get(key) })
    setClaim(state, key, until)
  }
  for (const { name, entry } of appended) addEntry(state, ensureTopic(state, name), entry)
  state.arena.tidy(journal.lsn(), journal.durable())
}
