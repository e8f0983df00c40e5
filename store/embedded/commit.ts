import type { Journal } from './journal.ts'
import { logBytes, rowBytes } from './memory.ts'
import { record } from './record.ts'
import { addEntry, dropEntry, ensureTopic, type State, setClaim, setRow } from './state.ts'
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

const toRecords = ({ writes, claims }: View, appended: readonly AppendedEntry[]): string => {
  let records = ''
  for (const [table, rows] of writes)
    for (const [id, ownRow] of rows) {
      if (ownRow) records += record.put(table.name, id, ownRow.text)
      else if (table.rows.has(id)) records += record.delete(table.name, id)
    }
  for (const [key, until] of claims) records += record.claim(key, until)
  for (const { name, at, entry } of appended) records += record.append(name, at, entry)
  if (records.length > maxCommitBytes)
    throw new Error('the transaction is too large: its rows exceed 256 MiB')
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
      const before = table.rows.get(id)
      if (before !== undefined) bytes -= rowBytes(id, before)
      if (ownRow) bytes += rowBytes(id, ownRow.text)
      if (ownRow && before === undefined) adds = true
    }
  for (const { text } of view.appends) bytes += logBytes(text)
  return { bytes, adds }
}

/** What takes a view's writes back out of memory, as long as nothing that was written later is still there. */
const buildUndo = (
  state: State,
  { writes, claims }: View,
  appended: readonly AppendedEntry[],
): (() => void) => {
  const rows = [...writes].flatMap(([table, ownRows]) =>
    [...ownRows.keys()].map(id => ({ table, id, text: table.rows.get(id) })),
  )
  const oldClaims = [...claims.keys()].map(key => ({ key, until: state.claims.get(key) }))
  return () => {
    for (const { table, id, text } of rows)
      setRow(state, table, id, text === undefined ? undefined : { text, document: JSON.parse(text) })
    for (const { key, until } of oldClaims) setClaim(state, key, until)
    for (const { name } of appended) dropEntry(state, ensureTopic(state, name))
  }
}

/** Applies all that a view has written, in one instant, and queues it for the journal. */
export const commit = (
  state: State,
  journal: Journal,
  view: View,
  now: Date,
  report: (problem: unknown) => void,
): void => {
  const appended = numbered(state, view, now)
  const records = toRecords(view, appended)
  if (records === '') return
  const notifyListeners = (): void => {
    for (const { name, at } of appended) reveal(ensureTopic(state, name), at, report)
  }
  journal.push(records, appended.length > 0 ? notifyListeners : undefined, buildUndo(state, view, appended))
  for (const [table, rows] of view.writes) for (const [id, ownRow] of rows) setRow(state, table, id, ownRow)
  for (const [key, until] of view.claims) setClaim(state, key, until)
  for (const { name, entry } of appended) addEntry(state, ensureTopic(state, name), entry)
}
