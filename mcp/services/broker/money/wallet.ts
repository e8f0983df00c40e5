import { markPaid } from '../../../kernel/origin.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { accountsIn } from '../account/account.ts'
import { emitEvent } from '../event/event.ts'

type Ledger = Ports['ledger']

const amount = (credits: number) => ({ unit: 'credit' as const, value: BigInt(credits) })

/** An account's name in the ledger. */
export const creditWallet = (account: string) => `agent:broker:${account}` as const

const house = {
  fees: 'house:broker-fees',
  grants: 'house:broker-grants',
  sales: 'world:broker-x402',
} as const

/** Credits of an account: what it has, what is on hold of it, and what it can spend. */
export const loadCredits = async (tx: Tx, ledger: Ledger, account: string) => {
  const { total, held, available } = await ledger.balance(tx, 'credit', creditWallet(account))
  return { total: Number(total.value), held: Number(held.value), available: Number(available.value) }
}

type Move = { id: string; account: string; credits: number; memo: string }

/** Takes a fee, once per id, which pays for what is written after it. Throws InsufficientBalance (`conflict`) when the account has less to spend. */
export const takeFee = async (
  tx: Tx,
  ledger: Ledger,
  { id, account, credits, memo }: Move,
): Promise<void> => {
  if (credits === 0) return
  const postings = [
    { account: creditWallet(account), amount: amount(-credits) },
    { account: house.fees, amount: amount(credits) },
  ]
  await ledger.post(tx, { id, unit: 'credit', memo, postings })
  markPaid(tx)
}

/** Brings credits to an account, once per id, and makes it one that was funded. */
export const addCredits = async (
  tx: Tx,
  ledger: Ledger,
  { id, account, credits, memo, from }: Move & { from: 'grants' | 'sales' },
): Promise<void> => {
  const postings = [
    { account: creditWallet(account), amount: amount(credits) },
    { account: house[from], amount: amount(-credits) },
  ]
  if ((await ledger.post(tx, { id, unit: 'credit', memo, postings })) === 'duplicate') return
  await accountsIn(tx).update(account, row => ({ ...row, funded: true }))
  await emitEvent(tx, [account], { kind: 'credits_added', credits })
}

/** Keeps a fee back until `until`, once per id. */
export const holdFee = (tx: Tx, ledger: Ledger, { id, account, credits }: Omit<Move, 'memo'>, until: Date) =>
  ledger.hold(tx, { id, unit: 'credit', account: creditWallet(account), amount: amount(credits), until })

/** Takes what was kept back. */
export const captureFee = (tx: Tx, ledger: Ledger, hold: string, memo: string) =>
  ledger.capture(tx, hold, { to: house.fees, memo })
