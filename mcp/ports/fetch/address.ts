import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Public by range, yet the metadata service of a cloud (Azure wire server). */
const metadata = new Set(['168.63.129.16'])

const isGlobalIpv6 = (address: ipaddr.IPv6) => ((address.parts[0] ?? 0) & 0xe000) === 0x2000

/** ISATAP (RFC 5214 §6.1): a tunnel to the IPv4 host in the last 32 bits, under any prefix; the `u` and `g` bits may be set. */
const isIsatap = ({ parts }: ipaddr.IPv6) => ((parts[4] ?? 0) & 0xfcff) === 0 && parts[5] === 0x5efe

/**
 * True for an address of the public internet: unicast, outside every special range, IPv6 inside 2000::/3, no zone id. A mapped
 * address (`::ffff:a.b.c.d`) counts as the IPv4 address that it is. Addresses that lead to an IPv4 host through a tunnel or a
 * translator are not public, whatever the host: 6to4, Teredo, AMT, NAT64 under its two known prefixes, IPv4-compatible and
 * -translated ones by their range, ISATAP by its interface id. NAT64 and 6rd under a network's own prefix look like any other
 * address (RFC 6052 §2.2, RFC 5969 §4); the network has to filter these.
 */
export const isPublic = (text: string): boolean => {
  if (!isIP(text) || text.includes('%')) return false
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast' || metadata.has(address.toString())) return false
  if (address.kind() === 'ipv4') return true
  const ipv6 = address as ipaddr.IPv6
  return isGlobalIpv6(ipv6) && !isIsatap(ipv6)
}
