import { getDomain, parse } from 'tldts'
import type { Ports } from '../../../ports/ports.ts'
import type { Account } from '../account/account.ts'

/**
 * The registrable domain of a host, by the whole public suffix list: `a.b.co.uk` belongs to `b.co.uk`, `me.github.io` to
 * itself. Undefined for a suffix itself and for an IP address.
 */
export const registrable = (host: string): string | undefined =>
  getDomain(host, { allowPrivateDomains: true }) ?? undefined

/** Explains the fault of a host that is a public suffix, and what to send in its place. */
export const suffixRefusal = (host: string): string =>
  `${host} is a public suffix, under which others register their names; send an address under your own, such as https://agent.${host.replace(/\.$/, '')}/`

/** Challenge an account puts under its domain to prove that it controls it. */
export type DomainChallenge = {
  /** Registrable domain of the deal route. */
  domain: string
  url: string
  record: string
  token: string
  /** Why control of it brings no grant: names on it can be had by anybody. */
  shared: boolean
}

const file = '/.well-known/broker-challenge.txt'
const label = '_broker-challenge'

/** The challenge of an account for the domain of its deal route; undefined without a route, and for a route that is a public suffix. */
export const buildChallenge = (
  keys: Ports['keys'],
  { deal_route, challenge }: Account,
): DomainChallenge | undefined => {
  const host = deal_route === null ? '' : new URL(deal_route).hostname
  const domain = registrable(host)
  if (domain === undefined) return undefined
  return {
    domain,
    url: `https://${domain}${file}`,
    record: `${label}.${domain}`,
    token: keys.hash(`broker challenge ${challenge} ${domain}`),
    shared: parse(host, { allowPrivateDomains: true }).isPrivate === true,
  }
}
