import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Store, Tx } from '../ports/store/port.ts'
import { job } from './job.ts'

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

const countersIn = (tx: Pick<Tx, 'collection'>) =>
  tx.collection<Counter>('call.allowance', [{ name: 'id', fields: ['id'] }])

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
 * replica puts them apart; only the total of all clients, which all of them fight for, may be a row off where a process is killed,
 * until it is counted anew.
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

type Total = { parts: Counter[]; excess: StorageAmount }

/** Names of counters: `<name> part <n>` of a total, and what clients have, which a budget counts by network and by owner as well. */
const counterForm = /^(.+?)(?: (owner|network))? (client|part) \S+$/

/** The totals, and what each has beyond what its clients have together. Counters of clients are exact. */
const readTotals = async (store: Pick<Tx, 'collection'>): Promise<Map<string, Total>> => {
  const totals = new Map<string, Total>()
  for (let after: string | undefined, more = true; more; ) {
    const page = await countersIn(store).find({ index: 'id', limit: 1000, ...(after && { after }) })
    for (const counter of page.rows) {
      const [, name = '', by, kind] = counterForm.exec(counter.id) ?? []
      if (name === '' || by === 'owner') continue
      const { parts, excess } = totals.get(name) ?? { parts: [], excess: empty }
      const sign = kind === 'part' ? 1 : -1
      totals.set(name, {
        parts: kind === 'part' ? [...parts, counter] : parts,
        excess: sum(excess, { rows: sign * counter.rows, bytes: sign * counter.bytes }),
      })
    }
    after = page.next
    more = after !== undefined
  }
  return totals
}

/** What two readings both say: rows that are written just now are in one of them at most. */
const common = (one: number, other: number): number =>
  one * other <= 0 ? 0 : Math.sign(one) * Math.min(Math.abs(one), Math.abs(other))

/**
 * Counts totals anew from what clients have: PostgreSQL counts them outside of the transaction, so that a process that was killed in
 * between leaves them off. Two readings, so that what is under way is not taken for it; what is left of that goes with the next run. It
 * ends early with `signal`.
 */
export const recountTotals = async (
  store: Pick<Store, 'collection'>,
  pauseMs = 5000,
  signal?: AbortSignal,
): Promise<void> => {
  const before = await readTotals(store)
  const isStopped = await wait(pauseMs, false, { signal }).catch(() => true)
  if (isStopped) return
  for (const [name, { parts, excess }] of await readTotals(store)) {
    const former = before.get(name)?.excess ?? empty
    let rows = common(excess.rows, former.rows)
    let bytes = common(excess.bytes, former.bytes)
    const largest = parts.sort((one, other) => other.bytes - one.bytes)
    for (const { id, ...has } of largest.length > 0 ? largest : [{ id: `${name} part 0`, ...empty }]) {
      const by = { rows: -Math.min(rows, has.rows), bytes: -Math.min(bytes, has.bytes) }
      if (by.rows === 0 && by.bytes === 0) continue
      await countersIn(store).add(id, by, { dropAtZero: 'rows', apart: true })
      rows += by.rows
      bytes += by.bytes
    }
  }
}

export const recountBudgets = job({ name: 'budget-recount', every: 3600, needs: ['store'] }).run(
  ({ store, signal }) => recountTotals(store, undefined, signal),
)
