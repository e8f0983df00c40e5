import ipaddr from 'ipaddr.js'

export const isIpv4 = (address: string): boolean => !address.includes(':')

/** An address as names in the DNS have it, last part first: `34.216.184.93`, or the 32 nibbles of an IPv6 address. */
export const toReverseName = (address: string): string => {
  if (isIpv4(address)) return address.split('.').reverse().join('.')
  const nibbles = ipaddr.IPv6.parse(address).parts.map(part => part.toString(16).padStart(4, '0'))
  return [...nibbles.join('')].reverse().join('.')
}
