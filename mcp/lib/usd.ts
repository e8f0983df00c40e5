/** Millionths of a dollar of an amount as people write it, such as `0.05`; undefined for anything else. */
export const parseUsd = (text: string): bigint | undefined => {
  const [, whole, part = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? []
  return whole === undefined ? undefined : BigInt(whole + part.padEnd(6, '0'))
}

/** Units of so many decimals, as a number or its digits, as dollars: exact, with two digits after the point at least. */
export const formatUsd = (units: bigint | string, decimals = 6): string => {
  const value = BigInt(units)
  const digits = String(value < 0n ? -value : value).padStart(decimals + 1, '0')
  const part = digits.slice(-decimals).replace(/0+$/, '').padEnd(2, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${part}`
}
