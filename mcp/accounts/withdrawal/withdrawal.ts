import { randomBytes } from 'node:crypto'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { dayMs } from '../../lib/time.ts'
import type { Book, Books, Withdrawal } from '../../ports/books/port.ts'
import type { Clock } from '../../ports/clock/port.ts'
import type { Ledger, Account as LedgerAccount } from '../../ports/payment/port.ts'
import type { Tx } from '../../ports/store/port.ts'
import { formatMoney, writtenUnits } from '../amount.ts'
import { loadBook, moveOut } from '../books.ts'

/** A withdrawal with what its worker knows of it. */
export type WithdrawalRow = Withdrawal & {
  /** The book's account in the ledger. */
  account: string
  /** Account of the ledger that has the money until it is known what became of it. */
  held: LedgerAccount
  /** When it was first asked for; from then on it may have been paid. */
  begun_at: string | null
  /** Worker's lease: until then nobody else asks. */
  lease: string | null
  tries: number
  /** When it is worked on next. */
  next_at: string
  /** When nobody can pay an invoice any more; null for a wallet. */
  expires_at: string | null
  /** The wallet that pays; set before the first try and never changed, since an id pays once per wallet. */
  from: string | null
}

export const withdrawalsIn = collection<WithdrawalRow>({
  name: 'accounts.withdrawals',
  indexes: [
    { name: 'due', fields: ['way', 'state', 'next_at'] },
    { name: 'account', fields: ['account', 'created_at'] },
  ],
  bounded: 'Each takes money from a balance.',
})

/** Money on its way out, neither with its book nor gone. */
export const onTheWay = 'escrow:withdrawals' as const
export const paidOut = 'world:withdrawals' as const
/** The house's fees; it pays gas and routing. */
export const withdrawalFees = 'house:withdrawal-fees' as const

/** Bounds of one withdrawal and its fee, in the smallest unit. */
const withdrawalLimits = {
  usdc: { min: 100_000n, max: 100_000_000_000n, fee: 0n },
  lightning: { min: 5_000_000n, max: 1_000_000_000n, fee: 100_000n },
} as const

/** Withdrawals of one book within 24 hours. */
const maxADay = 50

type Deps = { ledger: Ledger; clock: Clock }
type Order = Pick<WithdrawalRow, 'book' | 'way' | 'to' | 'payment_hash' | 'expires_at'>

const refuseDebt = (book: Book, debt: bigint): ToolError =>
  new ToolError(
    'conflict',
    `This balance owes ${formatMoney(book.unit, debt)} of a card payment that was taken back.`,
    {
      reason: 'in_debt',
      params: { debt: formatMoney(book.unit, debt) },
      hint: 'Top up what it owes first.',
    },
  )

const refuseAmount = (way: keyof typeof withdrawalLimits, { unit }: Book): ToolError => {
  const { min, max } = withdrawalLimits[way]
  const field = way === 'usdc' ? 'amount_usd' : 'invoice'
  const message = `must be over ${writtenUnits[unit].format(min)} to ${formatMoney(unit, max)}`
  return new ToolError('invalid_input', `${field} ${message}.`, { issues: [{ path: field, message }] })
}

/** What may leave a book now: at most what is free, and nothing while it owes. */
export const payable = ({ debt, available, withdrawable }: Awaited<ReturnType<typeof loadBook>>): bigint => {
  if (debt > 0n) return 0n
  return withdrawable < available ? withdrawable : available
}

/** Takes amount and fee from the book, in the transaction that records the withdrawal. */
const open = async (
  tx: Tx,
  { ledger, clock }: Deps,
  { book, ...order }: Order,
  value: bigint | undefined,
): Promise<WithdrawalRow> => {
  const { min, max, fee } = withdrawalLimits[order.way]
  const balance = await loadBook(tx, ledger, book)
  if (balance.debt > 0n) throw refuseDebt(book, balance.debt)
  const free = payable(balance)
  const all = free - fee < max ? free - fee : max
  const amount = value ?? all
  if (value !== undefined && (value < min || value > max)) throw refuseAmount(order.way, book)
  const needed = (amount < min ? min : amount) + fee
  if (free < needed)
    throw new ToolError(
      'conflict',
      `It takes ${formatMoney(book.unit, needed)} with the fee; ${formatMoney(book.unit, free)} may be withdrawn.`,
      {
        reason: 'insufficient_withdrawable',
        params: { needed: formatMoney(book.unit, needed), withdrawable: formatMoney(book.unit, free) },
        hint: 'What came by card, or at a rate of this server, can be spent here but does not leave.',
      },
    )
  const now = clock.now()
  const since = new Date(now.getTime() - dayMs).toISOString()
  const where = { account: book.account, created_at: { gt: since } }
  if ((await withdrawalsIn(tx).count({ index: 'account', where })) >= maxADay)
    throw new ToolError(
      'too_many_requests',
      `A balance has ${maxADay} withdrawals within 24 hours at most.`,
      {
        reason: 'withdrawals_of_the_day',
        retryAfter: 3600,
      },
    )
  const id = `wdr_${randomBytes(12).toString('hex')}`
  const at = now.toISOString()
  const row: WithdrawalRow = {
    ...order,
    id,
    book,
    account: book.account,
    value: String(amount),
    fee: String(fee),
    state: 'queued',
    held: onTheWay,
    begun_at: null,
    lease: null,
    tries: 0,
    next_at: at,
    from: null,
    proof: null,
    problem: null,
    created_at: at,
    ended_at: null,
  }
  await moveOut(tx, ledger, {
    id: `withdraw:${id}`,
    book,
    to: onTheWay,
    value: amount + fee,
    memo: `withdrawal ${id}`,
  })
  await withdrawalsIn(tx).insert(row)
  return row
}

/** The port's part of withdrawals: asking for one, and reading what became of it. */
export const openWithdrawals = (
  deps: Deps,
): Pick<Books, 'withdrawUsdc' | 'withdrawSats' | 'findWithdrawal' | 'listWithdrawals'> => ({
  withdrawUsdc: (tx, { book, to, value }) =>
    open(tx, deps, { book, way: 'usdc', to, payment_hash: null, expires_at: null }, value),
  async withdrawSats(tx, lightning, { book, invoice, paymentHash, expiresAt, msat }) {
    const row = await open(
      tx,
      deps,
      { book, way: 'lightning', to: invoice, payment_hash: paymentHash, expires_at: expiresAt.toISOString() },
      (msat / 1000n) * 1000n,
    )
    if (!(await lightning.spend(tx, paymentHash, `withdrawal:${row.id}`)))
      throw new ToolError('conflict', 'This invoice was used before.', {
        reason: 'invoice_used',
        hint: 'Make a new invoice over the same amount.',
      })
    return row
  },
  async findWithdrawal(tx, { account }, id) {
    const row = await withdrawalsIn(tx).get(id)
    return row?.account === account ? row : undefined
  },
  listWithdrawals: (tx, { account }, page) =>
    withdrawalsIn(tx).find({ index: 'account', where: { account }, order: 'desc', ...page }),
})
