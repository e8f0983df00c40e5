import type { Ledger, Tx } from '../../../ports/index.ts'
import { type Account, accountsIn } from './account.ts'

/** What balances are counted in: thousandths of a satoshi. */
export const balanceUnit = 'msat' as const

/** An account's name in the ledger. */
export const toWallet = (account: string) => `agent:proof:${account}` as const

/** What accounts owe for payments by card that were taken back after they were spent. */
const debts = 'house:proof-debts' as const

/** Where money comes from: `world:` and the way that it came. */
export type Source = `world:proof-${string}`

const amount = (value: bigint) => ({ unit: balanceUnit, value })

/** A ledger writes no posting of nothing. */
const postings = (moves: readonly (readonly [`${'agent' | 'house' | 'world'}:${string}`, bigint])[]) =>
  moves.filter(([, value]) => value !== 0n).map(([account, value]) => ({ account, amount: amount(value) }))

export const toSats = (msat: bigint): number => Number(msat / 1000n)

/** What an account has, in whole sats. */
export const loadBalance = async (tx: Tx, ledger: Ledger, account: string) => {
  const { held, available } = await ledger.balance(tx, balanceUnit, toWallet(account))
  return { available: toSats(available.value), held: toSats(held.value) }
}

/** Where payments over Lightning come from. Only what came from there may go out there. */
const lightningSource = 'world:proof-lightning' as const satisfies Source

const min = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/** What of an account's balance may be withdrawn, in thousandths of a satoshi, whatever of it is on hold. */
export const readWithdrawable = async (tx: Tx, ledger: Ledger, account: Account): Promise<bigint> => {
  const { total } = await ledger.balance(tx, balanceUnit, toWallet(account.id))
  // Accounts of earlier versions say nothing of it.
  return min(BigInt(account.withdrawable ?? '0'), total.value)
}

type Move = { id: string; account: string; msat: bigint; source: Source; memo: string }

/** Brings money to an account, once per id. What it owes is paid first. */
export const credit = async (
  tx: Tx,
  ledger: Ledger,
  { id, account: owner, msat, source, memo }: Move,
): Promise<'posted' | 'duplicate'> => {
  const account = await accountsIn(tx).get(owner)
  if (!account) throw new Error(`no account ${owner}`)
  const debt = BigInt(account.debt)
  const repaid = min(debt, msat)
  const withdrawable = await readWithdrawable(tx, ledger, account)
  const entry = { id, unit: balanceUnit, memo }
  const moves = [
    [source, -msat],
    [debts, repaid],
    [toWallet(owner), msat - repaid],
  ] as const
  const outcome = await ledger.post(tx, { ...entry, postings: postings(moves) })
  if (outcome === 'posted')
    await accountsIn(tx).put({
      ...account,
      debt: String(debt - repaid),
      withdrawable: String(withdrawable + (source === lightningSource ? msat - repaid : 0n)),
    })
  return outcome
}

/** Who pays what an account earns: another account, what the house sold, or a payment that came for the call itself. */
export type Payer = ReturnType<typeof toWallet> | 'house:sales' | Source

type Earning = {
  id: string
  account: string
  payer: Payer
  sats: number
  /** The account whose balance paid it, and how much, fee and all; undefined for a payment that came for the call itself. */
  spent?: { account: string; sats: number } | undefined
  /** What the house keeps beside it. */
  fee?: { to: `house:${string}`; sats: number }
  memo: string
}

/**
 * Moves what an account earned to it, once per id, and the fee to the house, out of the money of who pays. What it owes is paid first.
 * What the payer might have withdrawn goes first, so that whoever earns it may. Throws InsufficientBalance (`conflict`) where another account has too little.
 */
export const earn = async (
  tx: Tx,
  ledger: Ledger,
  { id, account: owner, payer, spent, sats, fee, memo }: Earning,
): Promise<void> => {
  const account = await accountsIn(tx).get(owner)
  if (!account) throw new Error(`no account ${owner}`)
  const msat = BigInt(sats) * 1000n
  const feeMsat = BigInt(fee?.sats ?? 0) * 1000n
  const debt = BigInt(account.debt)
  const repaid = min(debt, msat)
  const withdrawable = await readWithdrawable(tx, ledger, account)
  const spender = spent && (await accountsIn(tx).get(spent.account))
  const spendable = spender ? await readWithdrawable(tx, ledger, spender) : 0n
  const passed = spent ? min(spendable, BigInt(spent.sats) * 1000n) : payer === lightningSource ? msat : 0n
  const moves = [
    [payer, -msat - feeMsat],
    [debts, repaid],
    [toWallet(owner), msat - repaid],
    [fee?.to ?? debts, feeMsat],
  ] as const
  const outcome = await ledger.post(tx, { id, unit: balanceUnit, memo, postings: postings(moves) })
  if (outcome === 'duplicate') return
  await accountsIn(tx).put({
    ...account,
    debt: String(debt - repaid),
    withdrawable: String(withdrawable + min(passed, msat - repaid)),
  })
  if (spender) await accountsIn(tx).put({ ...spender, withdrawable: String(spendable - passed) })
}

/** Takes back what a processor took back, once per id. What was spent or is held for calls becomes a debt. */
export const takeBack = async (
  tx: Tx,
  ledger: Ledger,
  { id, account: owner, msat, source, memo }: Move,
): Promise<void> => {
  const account = await accountsIn(tx).get(owner)
  if (!account) throw new Error(`no account ${owner}`)
  const { available } = await ledger.balance(tx, balanceUnit, toWallet(owner))
  const debit = available.value < msat ? available.value : msat
  const missing = msat - debit
  const moves = [
    [toWallet(owner), -debit],
    [debts, -missing],
    [source, msat],
  ] as const
  const outcome = await ledger.post(tx, { id, unit: balanceUnit, memo, postings: postings(moves) })
  if (outcome === 'posted' && missing > 0n)
    await accountsIn(tx).put({ ...account, debt: String(BigInt(account.debt) + missing) })
}
