import { getDomain, parse } from 'tldts'
import { collection } from '../../kernel/collection.ts'
import { toToolError } from '../../kernel/error.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Tx } from '../../ports/store/port.ts'
import { type Account, accountsIn } from './account.ts'
import { emitEvent } from './event.ts'
import { addCredits, domainGrant } from './money.ts'

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
type DomainChallenge = {
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

/** A domain whose grant was taken; `id` is the domain. */
type DomainGrant = { id: string; account: string; granted_at: string }

const grantedIn = collection<DomainGrant>({
  name: 'broker.granted-domains',
  bounded: 'One for each registrable domain that proved itself.',
})

type NoGrant = 'ephemeral_domain_no_grant' | 'grant_taken_by_account' | 'grant_taken_for_domain'

/** Why a proven domain brings no grant; null when it does. */
export const refusalReason = async (
  tx: Tx,
  account: Account,
  { domain, shared }: DomainChallenge,
): Promise<NoGrant | null> => {
  if (shared) return 'ephemeral_domain_no_grant'
  if (account.granted_domain !== null) return 'grant_taken_by_account'
  return (await grantedIn(tx).get(domain)) ? 'grant_taken_for_domain' : null
}

/** Gives the grant of a proven domain, once per domain and once per account, whoever races whom. */
export const grant = async (
  tx: Tx,
  ledger: Ports['ledger'],
  account: Account,
  challenge: DomainChallenge,
  now: Date,
): Promise<NoGrant | null> => {
  const { domain } = challenge
  const reason = await refusalReason(tx, account, challenge)
  if (reason !== null) return reason
  const grantRow = { id: domain, account: account.id, granted_at: now.toISOString() }
  if (!(await grantedIn(tx).insert(grantRow))) return 'grant_taken_for_domain'
  await accountsIn(tx).update(account.id, row => ({ ...row, granted_domain: domain }))
  const move = {
    id: `broker-grant:${domain}`,
    account: account.id,
    credits: domainGrant,
    memo: `domain ${domain}`,
  }
  await addCredits(tx, ledger, { ...move, from: 'grants' })
  await emitEvent(tx, [account.id], { kind: 'domain_granted', credits: domainGrant })
  return null
}

type DomainProof = { method: 'http' | 'dns' | null; http: string; dns: string }

const fetchLimits = { maxBytes: 4096, maxRedirects: 3, deadlineMs: 10_000, fresh: true }

const byFile = async (
  fetch: Ports['fetch'],
  { url, domain, token }: DomainChallenge,
  signal: AbortSignal,
): Promise<string> => {
  try {
    const answer = await fetch(url, { ...fetchLimits, signal })
    const foreignHop = answer.hops.find(hop => registrable(new URL(hop.url).hostname) !== domain)
    if (foreignHop) return `it redirects to another domain, ${new URL(foreignHop.url).hostname}`
    if (answer.status !== 200) return `it answered ${answer.status}`
    return answer.text().text.trim() === token ? '' : 'it holds something else'
  } catch (error) {
    return toToolError(error).message
  }
}

const byRecord = async (
  dns: Ports['dns'],
  { record, token }: DomainChallenge,
  signal: AbortSignal,
): Promise<string> => {
  try {
    const { records } = await dns.query(record, 'TXT', { signal })
    const texts = records.filter(({ type }) => type === 'TXT').map(({ data }) => String(data).trim())
    if (texts.includes(token)) return ''
    return texts.length === 0 ? 'there is no TXT record' : 'no TXT record holds the token'
  } catch (error) {
    return toToolError(error).message
  }
}

/** Looks for the token by file and by DNS at once. `http` and `dns` say what was wrong; empty is right. */
export const prove = async (
  { fetch, dns }: Pick<Ports, 'fetch' | 'dns'>,
  challenge: DomainChallenge,
  signal: AbortSignal,
): Promise<DomainProof> => {
  const [http, record] = await Promise.all([
    byFile(fetch, challenge, signal),
    byRecord(dns, challenge, signal),
  ])
  const method = http === '' ? 'http' : record === '' ? 'dns' : null
  return { method, http, dns: record }
}
