import type { Journal } from './journal.ts'
import { logBytes, rowBytes } from './memory.ts'
import { record } from './record.ts'
import { addEntry, dropEntry, type State, setClaim, setRow, topicOf } from './state.ts'
import { reveal } from './topics.ts'
import type { View } from './view.ts'

const largest = 256 << 20

type Appended = { name: string; at: number; entry: string }

const numbered = (state: State, { appends }: View, now: Date): Appended[] => {
  if (appends.length === 0) return []
  const time = JSON.stringify(now.toISOString())
  const ends = new Map<string, number>()
  return appends.map(({ topic: name, text }) => {
    const at = (ends.get(name) ?? topicOf(state, name).entries.length) + 1
    ends.set(name, at)
    return { name, at, entry: `{"time":${time},"payload":${text}}` }
  })
}

const recordsOf = ({ writes, claims }: View, appended: readonly Appended[]): string => {
  let records = ''
  for (const [table, rows] of writes)
    for (const [id, own] of rows) {
      if (own) records += record.put(table.name, id, own.text)
      else if (table.rows.has(id)) records += record.delete(table.name, id)
    }
  for (const [key, until] of claims) records += record.claim(key, until)
  for (const { name, at, entry } of appended) records += record.append(name, at, entry)
  if (records.length > largest) throw new Error('the transaction is too large: its rows exceed 256 MiB')
  return records
}

/** Whether a view has anything to commit. */
export const hasWritten = ({ writes, claims, appends }: View): boolean =>
  writes.size > 0 || claims.size > 0 || appends.length > 0

/** How much a view's writes take in memory, and whether any of them adds something that was not there. */
export const growthOf = (view: View): { bytes: number; adds: boolean } => {
  let bytes = 0
  let adds = view.appends.length > 0
  for (const [table, rows] of view.writes)
    for (const [id, own] of rows) {
      const before = table.rows.get(id)
      if (before !== undefined) bytes -= rowBytes(id, before)
      if (own) bytes += rowBytes(id, own.text)
      if (own && before === undefined) adds = true
    }
  for (const { text } of view.appends) bytes += logBytes(text)
  return { bytes, adds }
}

/** What takes a view's writes back out of memory, as long as nothing that was written later is still there. */
const undoOf = (state: State, { writes, claims }: View, appended: readonly Appended[]): (() => void) => {
  const rows = [...writes].flatMap(([table, own]) =>
    [...own.keys()].map(id => ({ table, id, text: table.rows.get(id) })),
  )
  const claimed = [...claims.keys()].map(key => ({ key, until: state.claims.get(key) }))
  return () => {
    for (const { table, id, text } of rows)
      setRow(state, table, id, text === undefined ? undefined : { text, document: JSON.parse(text) })
    for (const { key, until } of claimed) setClaim(state, key, until)
    for (const { name } of appended) dropEntry(state, topicOf(state, name))
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
  const records = recordsOf(view, appended)
  if (records === '') return
  const tell = (): void => {
    for (const { name, at } of appended) reveal(topicOf(state, name), at, report)
  }
  journal.push(records, appended.length > 0 ? tell : undefined, undoOf(state, view, appended))
  for (const [table, rows] of view.writes) for (const [id, own] of rows) setRow(state, table, id, own)
  for (const [key, until] of view.claims) setClaim(state, key, until)
  for (const { name, entry } of appended) addEntry(state, topicOf(state, name), entry)
}
