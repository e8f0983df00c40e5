import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'

const unit = 1_000_000n

/** Most that Circle burns at once, in atomic units: ten million USDC. */
export const maxBurn = 10_000_000n * unit

const wording =
  'must be USDC as a decimal such as 12.5: digits, at most 6 of them after the point, no sign and no exponent'

/** The field `amount`; a number is read as it is written. */
export const AmountInput = z
  .preprocess(
    value => (typeof value === 'number' ? String(value) : value),
    z.string().regex(/^(?:0|[1-9]\d{0,11})(?:\.\d{1,6})?$/, wording),
  )
  .describe('USDC that arrives, such as 12.5; 0.000001 to 10,000,000')

/** Atomic units of a text that `AmountInput` took. */
export const toAtomic = (text: string): bigint => {
  const [whole = '0', part = ''] = text.split('.')
  return BigInt(whole) * unit + BigInt(part.padEnd(6, '0'))
}

/** Atomic units as people read them: `1035000` is `1.035`. */
export const toText = (atomic: bigint): string => {
  const digits = String(atomic).padStart(7, '0')
  const part = digits.slice(-6).replace(/0+$/, '')
  return part === '' ? digits.slice(0, -6) : `${digits.slice(0, -6)}.${part}`
}

/** Atomic units of an amount. Throws `invalid_input` for nothing, and for more than `limit`. */
export const requireAmount = (text: string, limit: bigint): bigint => {
  const amount = toAtomic(text)
  const refuse = (detail: string, message: string) =>
    new ToolError('invalid_input', detail, { issues: [{ path: 'amount', message }] })
  if (amount === 0n) throw refuse('An amount of 0 cannot be bridged.', 'must be more than 0')
  if (amount > limit)
    throw refuse(`${text} USDC is more than this bridge takes at once.`, `must be ${toText(limit)} at most`)
  return amount
}
