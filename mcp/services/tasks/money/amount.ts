import { z } from 'zod'

const form = /^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/

/** Reads dollars such as `12.50` as millionths; the text must have the form of `UsdText`. */
export const parseUsd = (text: string): bigint => {
  const [whole = '', part = ''] = text.split('.')
  return BigInt(whole + part.padEnd(6, '0'))
}

/** Dollars as they come: a decimal text, or a number that is one without doubt. Millionths at the finest. */
export const usdInput = ({ min, max }: { min: string; max: string }) =>
  z
    .union([z.string(), z.number()])
    .transform(value => (typeof value === 'number' ? String(value) : value.trim().replace(/^\$\s*/, '')))
    .refine(text => form.test(text), 'an amount in USD such as 12.50, at most 6 digits after the point')
    .refine(
      text => !form.test(text) || (parseUsd(text) >= parseUsd(min) && parseUsd(text) <= parseUsd(max)),
      `${min} to ${max} USD`,
    )

/** Share of `whole` for `part` of `total`, rounded down; the whole for the whole. */
export const share = (whole: bigint, part: bigint, total: bigint): bigint =>
  part === total ? whole : (whole * part) / total
