import type { Price } from '../../../kernel/tool.ts'
import type { Amount } from '../../ledger/amount.ts'
import { formatAmount, parseAmount } from '../../ledger/decimal.ts'

/** Units of balances: thousandths of a satoshi, or millionths of a dollar. */
export type BalanceUnit = 'msat' | 'USDC'

export const balanceUnits: readonly BalanceUnit[] = ['msat', 'USDC']

/** The unit of prices that a balance pays without a rate. */
export const priceUnits: Readonly<Record<BalanceUnit, Price['unit']>> = { msat: 'sat', USDC: 'usd' }

/** A price, in sats or dollars, in atomic units of a balance. */
export const parseBalance = (text: string, unit: BalanceUnit): Amount =>
  unit === 'msat' ? { unit, value: parseAmount(text, 'msat').value * 1000n } : parseAmount(text, unit)

/** `200 sat`, `0.10 USD`: an amount as people read it. A part of a satoshi that is less than one is left out. */
export const formatBalance = ({ unit, value }: Amount): string =>
  unit === 'msat' ? `${value / 1000n} sat` : `${formatAmount({ unit, value })} USD`
