import { ToolError } from '../../../kernel/error.ts'
import type { Books, Ledger, Tx } from '../../../ports/index.ts'
import { balanceUnit, loadBalance, toBook } from '../account/wallet.ts'
import type { Withdrawal } from './withdrawal.ts'

/** Money on its way out, neither with its account nor gone. */
export const onTheWay = 'escrow:proof-withdrawals' as const

/** Money out. */
export const paidOut = 'world:proof-withdrawals' as const

/** The house's fees on withdrawals; it pays the routing. */
export const withdrawalFees = 'house:proof-withdrawal-fees' as const

const memo = 'withdraw'

const amount = (sats: number) => ({ unit: balanceUnit, value: BigInt(sats) * 1000n })

type Money = Pick<Withdrawal, 'id' | 'account' | 'sats' | 'fee_sats'>

/** Takes the sats and the fee from the account, until it is known what became of them. Throws `conflict` where it may not. */
export const setAside = async (
  tx: Tx,
  books: Books,
  { id, account, sats, fee_sats }: Money,
): Promise<void> => {
  const { debt, withdrawable } = await loadBalance(tx, books, account)
  if (debt > 0)
    throw new ToolError('conflict', 'This account owes sats of a card payment that was taken back.', {
      reason: 'in_debt',
      params: { debt_sats: debt },
      hint: 'Top up what it owes first.',
      next: ['top_up'],
    })
  const total = sats + fee_sats
  if (withdrawable < total)
    throw new ToolError(
      'conflict',
      `It takes ${total} sats with the fee; ${withdrawable} may be withdrawn.`,
      {
        reason: 'insufficient_withdrawable',
        params: { needed_sats: total, withdrawable_sats: withdrawable },
        hint: 'Only what came over Lightning, or was earned out of that, may leave.',
      },
    )
  const { value } = amount(total)
  await books.moveOut(tx, { id: `withdraw:${id}`, book: toBook(account), to: onTheWay, value, memo })
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
export const giveBack = (tx: Tx, books: Books, { id, account, sats, fee_sats }: Money): Promise<void> => {
  const { value } = amount(-sats - fee_sats)
  return books.moveOut(tx, { id: `returned:${id}`, book: toBook(account), to: onTheWay, value, memo })
}
