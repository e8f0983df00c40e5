import type { Store } from '../../ports/store/port.ts'
import { all } from '../ledger/audit.ts'
import type { PaymentMethod } from '../method.ts'
import { methodFor } from './owed.ts'
import { type PaymentRow, paymentRows, settledStates } from './record.ts'

/**
 * One settled payment in the operator's books. Amounts are decimals of `asset`; `usd` is their worth by the rate that the quote stated, or
 * by the dollar for a token of one, and empty where none was stated. `refunded` is what was given back, in `refund`.
 */
export type Sale = {
  date: string
  service: string
  tool: string
  state: PaymentRow['state']
  amount: string
  asset: string
  usd: string
  rate: string
  method: string
  network: string
  transaction: string
  payer: string
  receipt: string
  /** Coins that its settlement cost, with their name; empty where others paid for it. */
  fee: string
  refunded: string
  refund: string
}

/** Money in and out on one network, in atomic units of an asset: the sum of the transfers there. */
export type SaleSum = { network: string; asset: string; count: number; in: string; refunded: string }

const decimal = (atomic: string, decimals: number): string => {
  if (decimals === 0) return atomic
  const digits = atomic.padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Digits and symbol of what a record counts in. */
const denomination = ({ asset, offer }: PaymentRow, method: PaymentMethod | undefined) => {
  if (asset === 'BTC' || asset === 'msat') return { symbol: 'BTC', decimals: 11 }
  if (asset === 'credit') return { symbol: 'credit', decimals: 0 }
  const { decimals = 6 } = JSON.parse(offer) as { decimals?: number }
  return { symbol: method || asset === 'USDC' ? 'USDC' : asset, decimals }
}

/** Dollars of a record: those of its token, or by `1 sat = 0.0006 usd` as its quote stated. */
const toUsd = ({ amount, rate }: PaymentRow, symbol: string, decimals: number): string => {
  if (symbol === 'USDC') return decimal(amount, decimals)
  const [, whole = '', part = ''] = /= *(\d+)(?:\.(\d+))? usd/i.exec(rate?.rate ?? '') ?? []
  if (symbol !== 'BTC' || whole === '') return ''
  // Thousandths of a sat times dollars of one.
  return decimal(String(BigInt(amount) * BigInt(whole + part)), 3 + part.length)
}

const soldStates = [...settledStates, 'refunded'] as const

/** Settled payments that began in a time, oldest first, and what they came to by network and asset. `to` is not in it. */
export const listSales = async (
  store: Store,
  methods: readonly PaymentMethod[],
  from: string,
  to: string,
): Promise<{ sales: Sale[]; sums: SaleSum[] }> => {
  // By id: a payment may go on to the next state meanwhile.
  const found = new Map<string, PaymentRow>()
  for (const state of soldStates) {
    // A row changes after it began, so that what changed before `from` began before it.
    const where = { state, ...(from !== '' && { updated: { gte: from } }) }
    for await (const row of all(paymentRows(store), 'state', where))
      if (!row.spentElsewhere && row.log !== null && row.created >= from && row.created < to)
        found.set(row.id, row)
  }
  const rows = [...found.values()].sort((one, other) => (one.created < other.created ? -1 : 1))
  const sums = new Map<string, SaleSum>()
  const sales = rows.map((row): Sale => {
    const { network, asset, amount, service, tool, state, transaction, payer, receipt, refund, rate } = row
    const isBack = state === 'refunded'
    const key = `${network} ${asset}`
    const sum = sums.get(key) ?? { network, asset, count: 0, in: '0', refunded: '0' }
    sums.set(key, {
      ...sum,
      count: sum.count + 1,
      in: String(BigInt(sum.in) + BigInt(amount)),
      refunded: String(BigInt(sum.refunded) + (isBack ? BigInt(amount) : 0n)),
    })
    const { symbol, decimals } = denomination(row, methodFor(methods, row))
    return {
      date: row.created,
      service,
      tool,
      state,
      amount: decimal(amount, decimals),
      asset: symbol,
      usd: toUsd(row, symbol, decimals),
      rate: rate ? `${rate.rate} (${rate.source}, ${rate.at})` : '',
      method: row.method,
      network,
      transaction: transaction ?? '',
      payer,
      receipt,
      fee: row.fee ? `${decimal(row.fee.amount, 18)} ${row.fee.coin}` : '',
      refunded: isBack ? decimal(amount, decimals) : '',
      refund: isBack ? (refund ?? '') : '',
    }
  })
  return { sales, sums: [...sums.values()] }
}
