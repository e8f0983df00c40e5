import { ToolError } from '../../../kernel/error.ts'
import type { Ledger, Tx } from '../../../ports/index.ts'
import { type Account, accountsIn } from '../account/account.ts'
import { balanceUnit, readWithdrawable, toSats, toWallet } from '../account/wallet.ts'
import type { Withdrawal } from './withdrawal.ts'

/** What is on its way out, neither with its account nor gone. */
export const onTheWay = 'escrow:proof-withdrawals' as const

/** What left. */
export const paidOut = 'world:proof-withdrawals' as const

/** What the house keeps of withdrawals; it pays the routing. */
export const withdrawalFees = 'house:proof-withdrawal-fees' as const

const memo = 'withdraw'

const amount = (sats: number) => ({ unit: balanceUnit, value: BigInt(sats) * 1000n })

type Money = Pick<Withdrawal, 'id' | 'sats' | 'fee_sats'>

/** What an account may withdraw now, in thousandths of a satoshi: no more than is free, and nothing while it owes. */
export const readPayable = async (tx: Tx, ledger: Ledger, account: Account): Promise<bigint> => {
  if (BigInt(account.debt) > 0n) return 0n
  const withdrawable = await readWithdrawable(tx, ledger, account)
  const { available } = await ledger.balance(tx, balanceUnit, toWallet(account.id))
  return withdrawable < available.value ? withdrawable : available.value
}

/** Takes the sats and the fee from the account, until it is known what became of them. Throws `conflict` where it may not. */
export const setAside = async (
  tx: Tx,
  ledger: Ledger,
  account: Account,
  { id, sats, fee_sats }: Money,
): Promise<void> => {
  if (BigInt(account.debt) > 0n)
    throw new ToolError('conflict', 'This account owes sats of a card payment that was taken back.', {
      reason: 'in_debt',
      params: { debt_sats: toSats(BigInt(account.debt) + 999n) },
      hint: 'Top up what it owes first.',
      next: ['top_up'],
    })
  const payable = await readPayable(tx, ledger, account)
  const total = sats + fee_sats
  if (payable < BigInt(total) * 1000n)
    throw new ToolError(
      'conflict',
      `It takes ${total} sats with the fee; ${toSats(payable)} may be withdrawn.`,
      {
        reason: 'insufficient_withdrawable',
        params: { needed_sats: total, withdrawable_sats: toSats(payable) },
        hint: 'Only what came over Lightning, or was earned out of that, may leave.',
      },
    )
  const withdrawable = await readWithdrawable(tx, ledger, account)
  await ledger.post(tx, {
    id: `withdraw:${id}`,
    unit: balanceUnit,
    memo,
    postings: [
      { account: toWallet(account.id), amount: amount(-total) },
      { account: onTheWay, amount: amount(total) },
    ],
  })
  await accountsIn(tx).put({ ...account, withdrawable: String(withdrawable - BigInt(total) * 1000n) })
}

/** Books what was paid, once. */
export const bookSent = async (tx: Tx, ledger: Ledger, { id, sats, fee_sats }: Money): Promise<void> => {
  await ledger.post(tx, {
    id: `withdrawn:${id}`,
    unit: balanceUnit,
    memo,
    postings: [
      { account: onTheWay, amount: amount(-sats - fee_sats) },
      { account: paidOut, amount: amount(sats) },
      { account: withdrawalFees, amount: amount(fee_sats) },
    ],
  })
}

/** Gives back what was not paid, fee and all, once. */
export const giveBack = async (
  tx: Tx,
  ledger: Ledger,
  { id, account: owner, sats, fee_sats }: Money & { account: string },
): Promise<void> => {
  const account = await accountsIn(tx).get(owner)
  if (!account) throw new Error(`no account ${owner}`)
  const withdrawable = await readWithdrawable(tx, ledger, account)
  const total = sats + fee_sats
  const outcome = await ledger.post(tx, {
    id: `returned:${id}`,
    unit: balanceUnit,
    memo,
    postings: [
      { account: onTheWay, amount: amount(-total) },
      { account: toWallet(owner), amount: amount(total) },
    ],
  })
  if (outcome === 'posted')
    await accountsIn(tx).put({ ...account, withdrawable: String(withdrawable + BigInt(total) * 1000n) })
}
