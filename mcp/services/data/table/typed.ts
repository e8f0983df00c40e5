import { readNumeral, toDecimal } from '../../../lib/text/amount/amount.ts'

/** What people write around a number: a sign of currency, a percent sign, a footnote. */
const around = /^(?:[$€£¥₹]|[A-Z]{3})\s?|\s?(?:[$€£¥₹%]|[A-Z]{3})$|\[\w{1,3}\]$/g

const numberLike = /^[-+−(]?\d[\d.,'’\u00a0\u202f\u2009 ]{0,40}\)?$/

const isGrouped = /^\d{1,3}(?:[.,'’\u00a0\u202f\u2009 ]\d{3})*(?:[.,]\d+)?$|^\d+(?:[.,]\d+)?$/

const decimals = /([.,])(\d+)\)?$/

/** The mark before the decimals that the cells of a column show; undefined where none does. */
export const findDecimalMark = (texts: readonly (string | null)[]): '.' | ',' | undefined => {
  let votes = 0
  for (const text of texts) {
    const plain = text?.replace(around, '').trim() ?? ''
    const [, mark, digits = ''] = (numberLike.test(plain) && decimals.exec(plain)) || []
    const kinds = new Set(plain.match(/[.,]/g) ?? []).size
    if (mark !== undefined && (digits.length !== 3 || kinds === 2)) votes += mark === '.' ? 1 : -1
  }
  if (votes === 0) return undefined
  return votes > 0 ? '.' : ','
}

/**
 * The number in a cell, or its text where it is none, has a leading zero such as a postcode, more digits than a number keeps,
 * or a mark before three digits that the column does not explain.
 */
export const toTyped = (text: string | null, decimal: '.' | ',' | undefined): string | number | null => {
  if (text === null) return null
  const plain = text.replace(around, '').trim()
  const digits = plain.replace(/^[-+−(]|\)$/g, '').trim()
  if (!numberLike.test(plain) || !isGrouped.test(digits) || /^0\d/.test(digits)) return text
  const numeral = readNumeral(digits, decimal, false)
  if (numeral.other !== undefined && decimal === undefined) return text
  const written = toDecimal(numeral.other ?? numeral, 0)
  if (written.replace(/\D/g, '').length > 15) return text
  return /^[-−(]/.test(plain) ? -Number(written) : Number(written)
}
