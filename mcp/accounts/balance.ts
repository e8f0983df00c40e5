import { collection } from '../kernel/collection.ts'
import type { Ledger, Account as LedgerAccount, Tx } from '../ports/index.ts'
import { balanceUnit, toWallet } from './account.ts'

/** What an account owes: payments by card that were taken back after they were spent. The next top-ups pay it. */
type Debt = { id: string; usd: string }

const debtsIn = collection<Debt>({
  name: 'accounts.debts',
  bounded: 'One for each account that a card took money back from.',
})

const debts = 'house:account-debts' as const

/** Where money for accounts comes from: `world:` and the way that it came, or what was set aside and not used. */
export type Source = `world:account-${string}` | `escrow:account:${string}`

const amount = (value: bigint) => ({ unit: balanceUnit, value })

/** A ledger writes no posting of nothing. */
const postings = (moves: readonly (readonly [LedgerAccount, bigint])[]) =>
  moves.filter(([, value]) => value !== 0n).map(([account, value]) => ({ account, amount: amount(value) }))

/** What an account has to spend, what calls under way hold, and what it owes, in millionths of a dollar. */
export const loadBalance = async (tx: Tx, ledger: Ledger, account: string) => {
  const { held, available } = await ledger.balance(tx, balanceUnit, toWallet(account))
  const debt = BigInt((await debtsIn(tx).get(account))?.usd ?? '0')
  return { available: available.value, held: held.value, debt }
}

/** One movement of an account; `id` is that of its entry. */
type Move = { id: string; account: string; value: bigint; source: Source; memo: string }

/** Brings money to an account, once per id. What it owes is paid first. */
export const credit = async (
  tx: Tx,
  ledger: Ledger,
  { id, account, value, source, memo }: Move,
): Promise<void> => {
  const debt = BigInt((await debtsIn(tx).get(account))?.usd ?? '0')
  const repaid = debt < value ? debt : value
  const moves = [
    [source, -value],
    [debts, repaid],
    [toWallet(account), value - repaid],
  ] as const
  const outcome = await ledger.post(tx, { id, unit: balanceUnit, memo, postings: postings(moves) })
  if (outcome === 'posted' && repaid > 0n) await debtsIn(tx).put({ id: account, usd: String(debt - repaid) })
}

/** Takes back what a processor took back, once per id. What was spent or is held for calls becomes a debt. */
export const takeBack = async (
  tx: Tx,
  ledger: Ledger,
  { id, account, value, source, memo }: Move,
): Promise<void> => {
  const { available, debt } = await loadBalance(tx, ledger, account)
  const debit = available < value ? available : value
  const missing = value - debit
  const moves = [
    [toWallet(account), -debit],
    [debts, -missing],
    [source, value],
  ] as const
  const outcome = await ledger.post(tx, { id, unit: balanceUnit, memo, postings: postings(moves) })
  if (outcome === 'posted' && missing > 0n)
    await debtsIn(tx).put({ id: account, usd: String(debt + missing) })
}

/** The ledger account that has what was set aside for one call. */
export const toEscrow = (request: string) => `escrow:account:${request}` as const

/** Sets money aside for one call, out of the balance or of a payment that came for it. Throws `conflict` where the balance has too little. */
export const setAside = async (
  tx: Tx,
  ledger: Ledger,
  {
    id,
    request,
    from,
    value,
    memo,
  }: { id: string; request: string; from: LedgerAccount; value: bigint; memo: string },
): Promise<void> => {
  const moves = [
    [from, -value],
    [toEscrow(request), value],
  ] as const
  await ledger.post(tx, { id, unit: balanceUnit, memo, postings: postings(moves) })
}
