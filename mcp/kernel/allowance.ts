import { createHash } from 'node:crypto'
import type { Tx } from '../ports/index.ts'

type Amount = { rows: number; bytes: number }

/** How much of one kind the store keeps: for one client, and for all clients together. */
export type Allowance = { name: string; client: Amount; allBytes: number }

/** A change of what is kept for a client. `key` is the id of the row: it spreads the total over several counters. */
export type AllowanceUse = Amount & { allowance: Allowance; client: string; key: string }

/** Which bound a new row would pass: that of its client, or that of all together. */
export type Full = 'client' | 'all'

type Counter = Amount & { id: string }

/** The total is counted in parts, so that replicas do not wait for one row. */
const parts = 8

const digest = (text: string) => createHash('sha256').update(text).digest()

const clientCounter = ({ allowance, client }: AllowanceUse): string =>
  `${allowance.name} client ${digest(client).toString('base64url', 0, 16)}`

const partCounter = ({ allowance, key }: AllowanceUse): string =>
  `${allowance.name} part ${(digest(key)[0] ?? 0) % parts}`

const countersIn = (tx: Tx) => tx.collection<Counter>('call.allowance')

const empty: Amount = { rows: 0, bytes: 0 }

const sum = (a: Amount, b: Amount): Amount => ({ rows: a.rows + b.rows, bytes: a.bytes + b.bytes })

/** Writes a counter; one that counts nothing is no row. */
const store = async (tx: Tx, id: string, { rows, bytes }: Amount): Promise<void> => {
  if (rows <= 0) await countersIn(tx).delete(id)
  else await countersIn(tx).put({ id, rows, bytes: Math.max(0, bytes) })
}

/**
 * Counts what was written or deleted, whatever the bounds. Counters change in the transaction that changes the rows, so
 * that neither a crash nor another replica puts them apart.
 */
export const countUses = async (tx: Tx, uses: readonly AllowanceUse[]): Promise<void> => {
  const changes = new Map<string, Amount>()
  for (const use of uses)
    for (const id of [clientCounter(use), partCounter(use)])
      changes.set(id, sum(changes.get(id) ?? empty, use))
  for (const [id, by] of changes) {
    if (by.rows === 0 && by.bytes === 0) continue
    await store(tx, id, sum((await countersIn(tx).get(id)) ?? empty, by))
  }
}

/** Counts a new row if the bounds allow it, else tells which one does not and counts nothing. */
export const takeUse = async (tx: Tx, use: AllowanceUse): Promise<Full | undefined> => {
  const { client, allBytes } = use.allowance
  const ids = { client: clientCounter(use), part: partCounter(use) }
  const ofClient = sum((await countersIn(tx).get(ids.client)) ?? empty, use)
  if (ofClient.rows > client.rows || ofClient.bytes > client.bytes) return 'client'
  const ofPart = sum((await countersIn(tx).get(ids.part)) ?? empty, use)
  if (ofPart.bytes > allBytes / parts) return 'all'
  await store(tx, ids.client, ofClient)
  await store(tx, ids.part, ofPart)
  return undefined
}
