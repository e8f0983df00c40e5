import { getDomain } from 'tldts'

/**
 * The registrable domain of a host, by the whole public suffix list: `a.b.co.uk` belongs to `b.co.uk`, `me.github.io` to
 * itself. Undefined for a suffix itself and for an IP address.
 */
export const registrable = (host: string): string | undefined =>
  getDomain(host, { allowPrivateDomains: true }) ?? undefined

/** Explains the fault of a host that is a public suffix, and what to send in its place. */
export const suffixRefusal = (host: string): string =>
  `${host} is a public suffix, under which others register their names; send an address under your own, such as https://agent.${host.replace(/\.$/, '')}/`
