import type { Collection, Query, Row, Store, Tx } from '../../../store/index.ts'
import { type Account, accountKey, balanceId, hasFloor } from './account.ts'
import { openBalances, openEntries, openHolds, openLines } from './rows.ts'

/** Audit findings. `faults` is empty when every balance is what the journal says and no rule is broken. */
export type LedgerAudit = {
  entries: number
  postings: number
  balances: number
  holds: number
  faults: string[]
}

/** Every document of a collection, in the order of an index. */
export async function* all<T extends Row>(
  collection: Collection<T>,
  index: string,
  where: NonNullable<Query['where']> = {},
): AsyncGenerator<T> {
  const query: Query = { index, where, limit: 1000 }
  for (let after: string | undefined; ; ) {
    const { rows, next } = await collection.find({ ...query, ...(after && { after }) })
    yield* rows
    if (!next) return
    after = next
  }
}

type Sums = Map<string, bigint>

const count = (sums: Sums, key: string, amount: string): void =>
  void sums.set(key, (sums.get(key) ?? 0n) + BigInt(amount))

const differences = (what: string, expected: Sums, actual: Sums): string[] =>
  [...new Set([...expected.keys(), ...actual.keys()])]
    .filter(key => (expected.get(key) ?? 0n) !== (actual.get(key) ?? 0n))
    .map(key => `${what} ${key}: ${actual.get(key) ?? 0n} where the journal says ${expected.get(key) ?? 0n}`)

const examine = async (tx: Tx): Promise<LedgerAudit> => {
  const faults: string[] = []
  const journal: Sums = new Map()
  const accounts: Sums = new Map()
  const floored = new Set<string>()
  let entries = 0
  let postings = 0
  for await (const { id, unit, postings: own } of all(openEntries(tx), 'time')) {
    entries++
    postings += own.length
    const sums: Sums = new Map()
    for (const { account, amount, unit: of = unit } of own) {
      count(sums, of, amount)
      count(journal, balanceId(of, account, id), amount)
      count(accounts, accountKey(of, account), amount)
      if (hasFloor(account as Account)) floored.add(accountKey(of, account))
    }
    if ([...sums.values()].some(sum => sum !== 0n)) faults.push(`entry ${id} does not sum to zero`)
  }
  const lines: Sums = new Map()
  let lineCount = 0
  for await (const { account, amount } of all(openLines(tx), 'account')) {
    lineCount++
    count(lines, account, amount)
  }
  if (lineCount !== postings) faults.push(`${lineCount} lines where the journal has ${postings} postings`)
  const holdSums: Sums = new Map()
  let holds = 0
  for await (const { account, amount, state } of all(openHolds(tx), 'account')) {
    holds++
    if (state === 'held') count(holdSums, account, amount)
  }
  const balances: Sums = new Map()
  const heldSums: Sums = new Map()
  for (const id of new Set([...journal.keys(), ...holdSums.keys()])) {
    const row = await openBalances(tx).get(id)
    if (!row) faults.push(`balance ${id} is not there`)
    if (!row) continue
    balances.set(id, BigInt(row.value))
    heldSums.set(id, BigInt(row.held))
    if (floored.has(id) && BigInt(row.value) < BigInt(row.held))
      faults.push(`balance ${id} is below its floor`)
  }
  const stored = await openBalances(tx).count()
  if (stored !== balances.size) faults.push(`${stored} balances where the journal knows ${balances.size}`)
  faults.push(...differences('balance', journal, balances), ...differences('lines of', accounts, lines))
  faults.push(...differences('held on', holdSums, heldSums))
  return { entries, postings, balances: stored, holds, faults }
}

/** Recomputes every balance from the journal, in one transaction, and compares. For operators: it reads all there is. */
export const audit = (store: Store): Promise<LedgerAudit> => store.transaction(examine)
