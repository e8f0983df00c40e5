import { ToolError } from '../kernel/error.ts'
import { parseUsd } from '../lib/usd.ts'
import type { Book } from '../ports/books/port.ts'
import { developmentSource, type Rate } from '../ports/payment/port.ts'
import type { Tx } from '../ports/store/port.ts'
import { formatMoney, requireUsd } from './amount.ts'
import { credit, exchange, loadBook } from './books.ts'
import type { AccountDeps } from './deps.ts'
import { listOwnBooks } from './own-books.ts'

type Deps = Pick<AccountDeps, 'store' | 'keys' | 'ledger' | 'rates' | 'serviceBooks' | 'take'>

/** A transfer as a person writes it down; `once` is of the form that it was written in. */
type Asked = { from: string; to: string; amount: string; once: string }

const refuse = (field: string, message: string): ToolError =>
  new ToolError('invalid_input', `${field}: ${message}.`, { issues: [{ path: field, message }] })

/** Transfers of one account within 24 hours. */
const maxADay = 50

const satsPerCoin = '100000000'
const msatPerCoin = 100_000_000_000n

/** Millionths of a dollar for a whole coin, as the operator states it. A rate that is made up for local chains is nobody's. */
const readRate = async ({ rates }: Pick<Deps, 'rates'>): Promise<{ coin: bigint; rate: Rate }> => {
  const { amount, rate } = await rates.convert({ amount: satsPerCoin, unit: 'sat' }, 'usd')
  const coin = parseUsd(amount)
  if (coin !== undefined && coin > 0n && rate && rate.source !== developmentSource) return { coin, rate }
  throw new ToolError('unavailable', 'No rate between sats and dollars is stated here.', {
    hint: 'Books of one unit can be moved between all the same.',
  })
}

const parseAmount = (text: string, { unit }: Book): bigint => {
  if (unit === 'USDC') return requireUsd(text, 'amount')
  const [, whole = '', part = ''] = /^(\d{1,12})(?:\.(\d{1,3}))?$/.exec(text.trim()) ?? []
  if (whole === '')
    throw refuse('amount', 'a number of sats, such as 500, with at most three digits after the point')
  return BigInt(whole) * 1000n + BigInt(part.padEnd(3, '0'))
}

/** Books that money is moved between; credits are bought at the broker, and stay. */
export const isMovable = ({ unit }: Pick<Book, 'unit'>): boolean => unit !== 'credit'

/** A book of which all may leave takes what may leave, and nothing else. */
const checkOpen = async (
  tx: Tx,
  { ledger }: Pick<Deps, 'ledger'>,
  { from, to, value }: { from: Book; to: Book; value: bigint },
): Promise<void> => {
  if (!to.isOpen) return
  const { withdrawable } = await loadBook(tx, ledger, from)
  if (value > withdrawable)
    throw new ToolError(
      'conflict',
      `All of that book may leave, and only ${formatMoney(from.unit, withdrawable)} of this one may.`,
      { reason: 'not_withdrawable' },
    )
}

/**
 * Moves money between two books of a person, once per form: as it is within a unit, and else at the operator's stated rate, rounded down,
 * both legs in one entry. What was moved at a rate pays calls and does not leave. Resolves to what came.
 */
export const transferBetween = async (
  deps: Deps,
  account: string,
  { from: fromName, to: toName, amount, once }: Asked,
): Promise<string> => {
  const { store, ledger, take } = deps
  const books = await listOwnBooks(deps, account)
  const from = books.find(({ name }) => name === fromName)?.book
  const to = books.find(({ name }) => name === toName)?.book
  if (!from || !isMovable(from)) throw refuse('from', 'one of your books is needed, of dollars or sats')
  if (!to || !isMovable(to)) throw refuse('to', 'one of your books is needed, of dollars or sats')
  if (from.account === to.account) throw refuse('to', 'another book is needed')
  if (!/^[0-9a-f]{32}$/.test(once)) throw refuse('once', 'open the page again')
  const value = parseAmount(amount, from)
  if (value === 0n) throw refuse('amount', 'more than nothing is needed')
  if (!(await take(`transfer ${account}`, maxADay, 86_400)))
    throw new ToolError('too_many_requests', `At most ${maxADay} transfers within 24 hours.`, {
      retryAfter: 3600,
    })
  const id = `transfer:${account}:${once}`
  if (from.unit === to.unit) {
    await store.transaction(async tx => {
      await checkOpen(tx, deps, { from, to, value })
      const memo = `${fromName} to ${toName}`
      await credit(tx, ledger, {
        id,
        book: to,
        value,
        source: from.account,
        memo,
        spent: { book: from, value },
      })
    })
    return formatMoney(to.unit, value)
  }
  if (to.isOpen) throw refuse('to', 'what is moved at a rate stays here, and all of that book may leave')
  const { coin, rate } = await readRate(deps)
  const got = from.unit === 'USDC' ? (value * msatPerCoin) / coin : (value * coin) / msatPerCoin
  if (got === 0n) throw refuse('amount', 'too little to move at this rate')
  await store.transaction(async tx => {
    const memo = `${rate.rate} (${rate.source})`.slice(0, 200)
    await exchange(tx, ledger, { id, from, value, to, got, memo })
  })
  return formatMoney(to.unit, got)
}
