import { ToolError } from '../kernel/error.ts'
import { formatUsd, parseUsd } from '../lib/usd.ts'
import type { Unit } from '../ports/payment/port.ts'

/** Dollars as people write them in millionths. Throws `invalid_input` that names the field. */
export const requireUsd = (text: string, field = 'usd'): bigint => {
  const millionths = parseUsd(text.trim())
  if (millionths !== undefined) return millionths
  const message = 'an amount in dollars, such as 5 or 0.25, with at most six digits after the point'
  throw new ToolError('invalid_input', `${field}: ${message}.`, { issues: [{ path: field, message }] })
}

/** Sats with as many of three decimals as there are. */
const formatSats = (msat: bigint): string => {
  const digits = String(msat < 0n ? -msat : msat).padStart(4, '0')
  const part = digits.slice(-3).replace(/0+$/, '')
  return `${msat < 0n ? '-' : ''}${digits.slice(0, -3)}${part === '' ? '' : `.${part}`}`
}

/** How amounts of each unit of the ledger are written, and what people call it. */
export const writtenUnits: Readonly<Record<Unit, { name: string; format(value: bigint): string }>> = {
  USDC: { name: 'USD', format: formatUsd },
  msat: { name: 'sat', format: formatSats },
  credit: { name: 'credit', format: String },
}

/** An amount with its unit: `0.10 USD`, `12 sat`. */
export const formatMoney = (unit: Unit, value: bigint): string =>
  `${writtenUnits[unit].format(value)} ${writtenUnits[unit].name}`
