import { getDomain, parse } from 'tldts'
import type { Ports } from '../../../ports/index.ts'
import type { Account } from '../account/account.ts'

/** What an account puts under its domain to prove that it controls it. */
export type Challenge = {
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

/** The registrable domain of a host, by the whole public suffix list; undefined for a suffix itself. */
export const registrable = (host: string): string | undefined =>
  getDomain(host, { allowPrivateDomains: true }) ?? undefined

/** The challenge of an account for the domain of its deal route; undefined without one. */
export const challengeOf = (
  keys: Ports['keys'],
  { deal_route, challenge }: Account,
): Challenge | undefined => {
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
