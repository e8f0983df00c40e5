import { createHash } from 'node:crypto'
import type { Tx } from '../ports/store/port.ts'

/** Rows and bytes of documents. */
export type StorageAmount = { rows: number; bytes: number }

/** How much of one kind the store keeps: for one client, and for all clients together. */
export type Allowance = { name: string; client: StorageAmount; allBytes: number }

/** A change of what is kept for a client. `key` is the id of the row: it spreads the total over several counters. */
export type AllowanceUse = StorageAmount & { allowance: Allowance; client: string; key: string }

/** Which bound a new row would pass: that of its client, or that of all together. */
export type Full = 'client' | 'all'

/** A change of one counter, and what it may come to. */
export type CounterChange = StorageAmount & { id: string; max: StorageAmount; full: Full }

type Counter = StorageAmount & { id: string }

/** The total is counted in parts, so that replicas do not wait for one row. */
const parts = 8

const digest = (text: string) => createHash('sha256').update(text).digest()

/** The name that a client has in counters; it does not tell who that is. */
export const toClientDigest = (client: string): string => digest(client).toString('base64url', 0, 16)

const countersIn = (tx: Pick<Tx, 'collection'>) => tx.collection<Counter>('call.allowance')

const empty: StorageAmount = { rows: 0, bytes: 0 }

const sum = (a: StorageAmount, b: StorageAmount): StorageAmount => ({
  rows: a.rows + b.rows,
  bytes: a.bytes + b.bytes,
})

/** A change of what one client has of `name`. */
export const clientChange = (
  name: string,
  clientDigest: string,
  { rows, bytes }: StorageAmount,
  max: StorageAmount,
): CounterChange => ({ id: `${name} client ${clientDigest}`, rows, bytes, max, full: 'client' })

/** A change of the total of `name`, in the part that the row of id `key` belongs to. */
export const totalChange = (
  name: string,
  key: string,
  { rows, bytes }: StorageAmount,
  allBytes: number,
): CounterChange => ({
  id: `${name} part ${(digest(key)[0] ?? 0) % parts}`,
  rows,
  bytes,
  max: { rows: Number.POSITIVE_INFINITY, bytes: allBytes / parts },
  full: 'all',
})

const toChanges = (use: AllowanceUse): CounterChange[] => {
  const { allowance, client, key } = use
  const { name, allBytes } = allowance
  return [
    clientChange(name, toClientDigest(client), use, allowance.client),
    totalChange(name, key, use, allBytes),
  ]
}

/** Adds to a counter; one that counts nothing is no row. False, and nothing counted, where it would pass `max`. */
const addTo = async (
  tx: Pick<Tx, 'collection'>,
  { id, full, rows, bytes }: CounterChange,
  max?: StorageAmount,
): Promise<boolean> => {
  const counting = { dropAtZero: 'rows', apart: full === 'all', ...(max && { max }) }
  return (await countersIn(tx).add(id, { rows, bytes }, counting)) !== undefined
}

/**
 * Counts changes whatever the bounds. Counters change in the transaction that changes the rows, so that neither a crash nor another
 * replica puts them apart; only the total of all clients, which all of them fight for, may be a row off where a process is killed.
 */
export const countChanges = async (
  tx: Pick<Tx, 'collection'>,
  changes: readonly CounterChange[],
): Promise<void> => {
  const byId = new Map<string, CounterChange>()
  for (const change of changes)
    byId.set(change.id, { ...change, ...sum(byId.get(change.id) ?? empty, change) })
  for (const change of byId.values()) if (change.rows !== 0 || change.bytes !== 0) await addTo(tx, change)
}

/** Counts changes if every bound allows it, else returns which one does not and counts nothing. The counters are different ones. */
export const takeChanges = async (
  tx: Pick<Tx, 'collection'>,
  changes: readonly CounterChange[],
): Promise<CounterChange | undefined> => {
  const done: CounterChange[] = []
  for (const change of changes) {
    if (await addTo(tx, change, change.max)) {
      done.push(change)
      continue
    }
    await countChanges(
      tx,
      done.map(one => ({ ...one, rows: -one.rows, bytes: -one.bytes })),
    )
    return change
  }
  return undefined
}

/** Counts what was written or deleted, whatever the bounds. */
export const countUses = (tx: Tx, uses: readonly AllowanceUse[]): Promise<void> =>
  countChanges(tx, uses.flatMap(toChanges))

/** Counts a new row if the bounds allow it, else returns which one does not and counts nothing. */
export const takeUse = async (tx: Tx, use: AllowanceUse): Promise<Full | undefined> =>
  (await takeChanges(tx, toChanges(use)))?.full
