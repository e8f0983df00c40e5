/** Millionths of a USD of an amount as people write it, `0.05`; undefined for anything else. */
export const parseUsd = (text: string): bigint | undefined => {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? []
  return whole === undefined ? undefined : BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
}

/** `0.05`, `1.00`, `0.0021`: at least two digits after the point, and as many as there are. */
export const formatUsd = (micros: bigint): string => {
  const fraction = String(micros % 1_000_000n).padStart(6, '0')
  return `${micros / 1_000_000n}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}`
}
