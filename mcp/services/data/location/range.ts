import ipaddr from 'ipaddr.js'

/** Ranges that are used on the public internet, although they serve a purpose of their own. */
const inUse = new Set(['unicast', 'as112', 'as112v6', 'amt', 'teredo', '6to4'])

const isGlobalIpv6 = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
  address.kind() === 'ipv4' || ((address as ipaddr.IPv6).parts[0] ?? 0) >> 13 === 1

/**
 * The special range of an address that nobody on the public internet has, such as `private`, `loopback` or `linkLocal` (IANA
 * special-purpose registries); null for a public one.
 */
export const bogonRange = (address: string): string | null => {
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  if (!inUse.has(range)) return range
  return isGlobalIpv6(parsed) ? null : 'reserved'
}
