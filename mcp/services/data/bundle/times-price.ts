import type { Price } from '../../../kernel/tool.ts'

/** A price times a whole number, exact: `0.003` times 20 is `0.06`. */
export const timesPrice = ({ amount, ...price }: Price, times: number): Price => {
  const [whole = '0', fraction = ''] = amount.split('.')
  const digits = (BigInt(whole + fraction) * BigInt(times)).toString().padStart(fraction.length + 1, '0')
  const at = digits.length - fraction.length
  const exact = fraction === '' ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`
  return { ...price, amount: exact.includes('.') ? exact.replace(/0+$/, '').replace(/\.$/, '') : exact }
}
