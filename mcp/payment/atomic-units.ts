/**
 * A price in USD as atomic units of a token that is worth a dollar. Throws on anything but a positive decimal that the
 * token can express exactly: such a price is a mistake in a tool, not in a call.
 */
export const atomicUnits = (usd: string, decimals: number): bigint => {
  const [, whole, fraction = ''] = /^(\d{1,18})(?:\.(\d+))?$/.exec(usd) ?? []
  const exact = fraction.replace(/0+$/, '')
  if (whole === undefined || exact.length > decimals) throw new Error(`no amount of this token: ${usd}`)
  const units = BigInt(whole + exact.padEnd(decimals, '0'))
  if (units === 0n) throw new Error('a price of nothing cannot be paid')
  return units
}
