import { ToolError } from '../kernel/error.ts'

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
