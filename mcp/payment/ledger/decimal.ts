import { ToolError } from '../../kernel/error.ts'
import { type Amount, credits, decimals, type Unit, usdc, valueIn } from './amount.ts'

const longest = 40
const decimalPattern = /^(\d+)(?:\.(\d+))?$/

const refuse = (unit: Unit): never => {
  const digits = decimals[unit]
  const form = digits ? `a decimal number with at most ${digits} digits after the point` : 'a whole number'
  throw new ToolError('invalid_input', `The amount in ${unit} must be ${form}, without sign or exponent.`)
}

/** Reads an amount as people write it: '0.10' in USDC is 100,000 atomic units. ToolError `invalid_input` on other text. */
export const parseAmount = <U extends Unit>(text: string, unit: U): Amount<U> => {
  const [, whole = '', part = ''] =
    (typeof text === 'string' && text.length <= longest && decimalPattern.exec(text)) || refuse(unit)
  const digits = decimals[unit]
  if (part.length > digits || (digits === 0 && text.includes('.'))) refuse(unit)
  return { unit, value: BigInt(whole + part.padEnd(digits, '0')) }
}

/** Writes an amount for people: USDC with two to six digits after the point, the others whole. */
export const formatAmount = ({ unit, value }: Amount): string => {
  const digits = decimals[unit]
  if (digits === 0) return value.toString()
  const text = (value < 0n ? -value : value).toString().padStart(digits + 1, '0')
  const part = text.slice(-digits).replace(/0+$/, '').padEnd(2, '0')
  return `${value < 0n ? '-' : ''}${text.slice(0, -digits)}.${part}`
}

/** One credit in millionths of a USD: 20,000 credits are 10.00. */
const creditInUsdc = 500n

/** The exact value of credits. */
export const creditsToUsdc = (amount: Amount<'credit'>): Amount<'USDC'> =>
  usdc(valueIn('credit', amount) * creditInUsdc)

/** The credits that USDC are worth. ToolError `invalid_input` when that is no whole number of credits. */
export const usdcToCredits = (amount: Amount<'USDC'>): Amount<'credit'> => {
  const value = valueIn('USDC', amount)
  if (value % creditInUsdc === 0n) return credits(value / creditInUsdc)
  throw new ToolError(
    'invalid_input',
    'The amount in USDC must be a multiple of 0.0005, which is one credit.',
  )
}
