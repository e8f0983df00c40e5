import { isArchived } from './archive.ts'
import type { CommitJournal, Records } from './journal.ts'
import { logBytes, rowBytes } from './memory.ts'
import { recordLines } from './record.ts'
import { rowKey } from './rows.ts'
import {
  addEntry,
  dropEntry,
  ensureTopic,
  type NewRow,
  oldDocument,
  restoreRow,
  type State,
  setClaim,
  setRow,
  type Table,
} from './state.ts'
import { endOf, reveal } from './topics.ts'
import type { View } from './view.ts'

const maxCommitBytes = 256 << 20

type AppendedEntry = { name: string; at: number; entry: string }

const numberAppends = (state: State, { appends }: View, now: Date): AppendedEntry[] => {
  if (appends.length === 0) return []
  const time = JSON.stringify(now.toISOString())
  const ends = new Map<string, number>()
  return appends.map(({ topic: name, text }) => {
    const at = (ends.get(name) ?? endOf(ensureTopic(state, name))) + 1
    ends.set(name, at)
    return { name, at, entry: `{"time":${time},"payload":${text}}` }
  })
}

/** A row to be committed: its text until its line is written, its document until its index entries are. */
export type CommitRow = NewRow & { table: Table; text: string | undefined }

const checkSize = (rows: readonly CommitRow[], appended: readonly AppendedEntry[]): void => {
  let units = 0
  for (const { id, text } of rows) units += id.length + (text?.length ?? 0)
  for (const { entry } of appended) units += entry.length
  if (units > maxCommitBytes) throw new Error('the transaction is too large: its rows exceed 256 MiB')
}

/** The rows of a view as they are to be committed in this same instant. What was not there is not deleted. Reads old rows, which may fail. */
export const toCommitRows = ({ writes }: View): CommitRow[] => {
  const rows: CommitRow[] = []
  for (const { table, id, row } of writes) {
    const key = rowKey(id)
    const before = table.rows.place(key)
    if (!row && before === 0) continue
    const old = oldDocument(table, before)
    rows.push({ table, key, id, place: 0, text: row?.text, document: row?.document, before, old })
  }
  return rows
}

/** Writes the lines of rows where they stay; nobody finds them there yet. */
const writeLines = (rows: readonly CommitRow[]): void => {
  for (const row of rows) {
    if (row.text === undefined) continue
    row.place = row.table.rows.write(row.key, row.id, row.text)
    row.text = undefined
  }
}

const toRecords = (
  rows: readonly CommitRow[],
  { claims }: View,
  appended: readonly AppendedEntry[],
): Records => {
  const records: Records[number][] = rows.map(({ table, id, place }) =>
    place === 0 ? recordLines.delete(table.name, id) : table.rows.line(place),
  )
  for (const [key, until] of claims) records.push(recordLines.claim(key, until))
  for (const { name, at, entry } of appended) records.push(recordLines.append(name, at, entry))
  return records
}

/** True when a view has anything to commit. */
export const hasWritten = ({ writes, claims, appends }: View): boolean =>
  writes.length > 0 || claims.size > 0 || appends.length > 0

/** How much these rows and the entries of a view take in memory, and whether any of them adds something that was not there. */
export const computeGrowth = (
  rows: readonly CommitRow[],
  { appends }: View,
): { bytes: number; adds: boolean } => {
  let bytes = 0
  let adds = appends.length > 0
  for (const { table, key, text, before } of rows) {
    if (before !== 0) bytes -= table.rows.weight(before)
    if (text !== undefined) bytes += rowBytes(table.rows.lengthOf(key, text))
    if (text !== undefined && before === 0) adds = true
  }
  for (const { text } of appends) bytes += logBytes(text)
  return { bytes, adds }
}

/**
 * Applies all that a view has written, with its rows, in one instant, and queues it for the journal: the same bytes go there and stay in
 * memory. They are taken back, from the last commit to the first, when the journal never holds them.
 */
export const commitView = (
  state: State,
  journal: CommitJournal,
  { view, rows }: { view: View; rows: readonly CommitRow[] },
  now: Date,
  report: (problem: unknown) => void,
): void => {
  const appended = numberAppends(state, view, now)
  checkSize(rows, appended)
  writeLines(rows)
  const records = toRecords(rows, view, appended)
  if (records.length === 0) return
  const notifyListeners = (): void => {
    for (const { name, at } of appended) reveal(ensureTopic(state, name), at, report)
  }
  const oldClaims: { key: string; until: number | undefined }[] = []
  const undo = (): void => {
    for (const row of rows) restoreRow(state, row.table, row)
    for (const { key, until } of oldClaims) setClaim(state, key, until)
    for (const { name } of appended) dropEntry(state, ensureTopic(state, name))
  }
  journal.push(records, appended.length > 0 ? notifyListeners : undefined, undo)
  for (const row of rows) {
    setRow(state, row.table, row)
    // Until it is durable, only what cannot be read again without failing is needed to take it back.
    row.document = undefined
    if (!isArchived(row.before)) row.old = undefined
  }
  for (const [key, until] of view.claims) {
    oldClaims.push({ key, until: state.claims.get(key) })
    setClaim(state, key, until)
  }
  for (const { name, entry } of appended) addEntry(state, ensureTopic(state, name), entry)
  state.arena.tidy(journal.lsn(), journal.durable())
  state.archive.tidy(journal.lsn(), journal.durable())
}
