import { parse } from 'tldts'
import type { Ports } from '../../../ports/ports.ts'
import type { Account } from '../account/account.ts'
import { registrable } from './registrable.ts'

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
