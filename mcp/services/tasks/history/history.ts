import { collection } from '../../../kernel/collection.ts'
import type { Tx } from '../../../ports/store/port.ts'
import type { Entry } from './entry.ts'

/** An entry as it is stored. */
export type HistoryRow = { id: string; task: string; seq: number; entry: Entry }

const table = { name: 'tasks.history', indexes: [{ name: 'task', fields: ['task', 'seq'] }] } as const

const historyIn = collection<HistoryRow>({
  name: table.name,
  indexes: table.indexes,
  archive: { afterHours: 24 },
  bounded: 'A few dozen for each task, and they go with it; tasks have a budget.',
})

/** Writes an entry; a second one with its number is the program's fault. */
export const appendHistory = async (tx: Tx, task: string, entry: Entry): Promise<void> => {
  const row = { id: `${task}.${entry.seq}`, task, seq: entry.seq, entry }
  if (!(await historyIn(tx).insert(row))) throw new Error(`${row.id}: this entry is there already`)
}

/** Every entry of a task, the first one first: a task has a few dozen at most. */
export const loadHistory = async (tx: Tx, task: string): Promise<Entry[]> => {
  const { rows } = await historyIn(tx).find({ index: 'task', where: { task }, limit: 1000 })
  return rows.map(({ entry }) => entry)
}

/** Drops every entry of a task. */
export const dropHistory = async (tx: Tx, task: string): Promise<void> => {
  const { rows } = await historyIn(tx).find({ index: 'task', where: { task }, limit: 1000 })
  for (const { id } of rows) await historyIn(tx).delete(id)
}
