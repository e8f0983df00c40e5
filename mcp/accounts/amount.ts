import { ToolError } from '../kernel/error.ts'
import type { Unit } from '../ports/payment/port.ts'

const pattern = /^(\d{1,9})(?:\.(\d{1,6}))?$/

/** Dollars as people write them in millionths. Throws `invalid_input` that names the field. */
export const parseUsd = (text: string, field = 'usd'): bigint => {
  const [, whole, part = ''] = pattern.exec(text.trim()) ?? []
  if (whole !== undefined) return BigInt(whole + part.padEnd(6, '0'))
  const message = 'an amount in dollars, such as 5 or 0.25, with at most six digits after the point'
  throw new ToolError('invalid_input', `${field}: ${message}.`, { issues: [{ path: field, message }] })
}

/** Millionths of a dollar with two to six digits after the point. */
export const formatUsd = (millionths: bigint): string => {
  const digits = String(millionths < 0n ? -millionths : millionths).padStart(7, '0')
  const part = digits.slice(-6).replace(/0+$/, '').padEnd(2, '0')
  return `${millionths < 0n ? '-' : ''}${digits.slice(0, -6)}.${part}`
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
