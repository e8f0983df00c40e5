const scales: Readonly<Record<string, number>> = {
  k: 3,
  thousand: 3,
  m: 6,
  mn: 6,
  mln: 6,
  mio: 6,
  million: 6,
  millions: 6,
  b: 9,
  bn: 9,
  billion: 9,
  billions: 9,
  t: 12,
  tn: 12,
  trillion: 12,
  lakh: 5,
  crore: 7,
}

const trim = (whole: string, fraction: string): string => {
  const digits = whole.replace(/^0+(?=\d)/, '')
  const right = fraction.replace(/0+$/, '')
  return right === '' ? digits : `${digits}.${right}`
}

/** Which separator marks the decimals in a number: the last one, unless it can only group thousands. */
const findDecimalMark = (text: string, dotGroups: boolean): string | undefined => {
  const last = /[.,](?=\d+$)/.exec(text.replace(/^.*(?=[.,]\d+$)/, ''))?.[0]
  if (last === undefined) return undefined
  const count = text.split(last).length - 1
  if (text.includes(last === '.' ? ',' : '.')) return count === 1 ? last : undefined
  if (count > 1) return undefined
  const digits = text.length - text.lastIndexOf(last) - 1
  if (digits !== 3 || /^0[.,]/.test(text)) return last
  return last === '.' && !dotGroups ? last : undefined
}

/**
 * A written amount as an exact decimal string: "1.500,75" is 1500.75 and "5.4" with "million" is 5400000. `dotGroups` tells
 * that in "1.500" the dot groups thousands, as it does where the euro is paid.
 */
export const readAmount = (numeral: string, scale: string | undefined, dotGroups: boolean): string => {
  const text = numeral.replace(/[\s'’]/g, '')
  const decimal = findDecimalMark(text, dotGroups)
  const at = decimal ? text.lastIndexOf(decimal) : text.length
  const whole = text.slice(0, at).replace(/\D/g, '')
  const fraction = text.slice(at).replace(/\D/g, '')
  const zeros = scales[scale?.toLowerCase() ?? ''] ?? 0
  return trim(whole + fraction.padEnd(zeros, '0').slice(0, zeros), fraction.slice(zeros))
}
