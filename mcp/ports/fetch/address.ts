import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Public by range, yet the metadata service of a cloud (Azure wire server). */
const metadata = new Set(['168.63.129.16'])

const isGlobalIpv6 = (address: ipaddr.IPv6) => ((address.parts[0] ?? 0) & 0xe000) === 0x2000

/**
 * Whether an address belongs to the public internet: unicast, outside every special range, IPv6 inside 2000::/3, no
 * zone id. IPv4 inside IPv6 (`::ffff:a.b.c.d`) counts as the IPv4 address that it is.
 */
export const isPublic = (text: string): boolean => {
  if (!isIP(text) || text.includes('%')) return false
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast' || metadata.has(address.toString())) return false
  return address.kind() === 'ipv4' || isGlobalIpv6(address as ipaddr.IPv6)
}
