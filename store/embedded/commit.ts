import type { Journal } from './journal.ts'
import { record } from './record.ts'
import { addEntry, type State, setClaim, setRow, topicOf } from './state.ts'
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
  journal.push(records, appended.length > 0 ? tell : undefined)
  for (const [table, rows] of view.writes) for (const [id, own] of rows) setRow(state, table, id, own)
  for (const [key, until] of view.claims) setClaim(state, key, until)
  for (const { name, entry } of appended) addEntry(state, topicOf(state, name), entry)
}
