import { areOfOnePerson } from '../../../kernel/person.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { type Account, accountsIn, keyPrefix } from '../account/account.ts'
import { hasPaid, sharesWallet } from '../account/wallets.ts'
import { registrable } from '../domain/challenge.ts'

/** Facts that two accounts may share and strangers do not. */
export const links = ['address', 'wallet', 'domain', 'route', 'contact'] as const

export type Link = (typeof links)[number]

/** An e-mail address as it is compared: without case, and without what follows a plus sign. */
const mailbox = (email: string | null): string | null =>
  email?.toLowerCase().replace(/\+[^@]*(?=@)/, '') ?? null

const mailDomain = (email: string | null): string | undefined =>
  email === null ? undefined : registrable(email.slice(email.lastIndexOf('@') + 1).toLowerCase())

const registrableSite = (url: string | null): string | undefined =>
  url === null ? undefined : registrable(new URL(url).hostname)

/** Domains that an account has proven or is called at. */
const ownDomains = ({ granted_domain, deal_route }: Account): (string | undefined)[] => [
  granted_domain ?? undefined,
  registrableSite(deal_route),
]

const same = (one: string | null | undefined, other: string | null | undefined): boolean =>
  one !== null && one !== undefined && one === other

/** True when one account writes from, or points to, a domain that the other has proven or is called at. */
const pointsTo = (one: Account, other: Account): boolean => {
  const domains = ownDomains(other)
  const pointers = [
    one.granted_domain ?? undefined,
    mailDomain(one.contact_email),
    registrableSite(one.contact_url),
    registrableSite(one.agent_card_url),
  ]
  return pointers.some(name => name !== undefined && domains.includes(name))
}

const areFreeFor = (one: Account, other: Account): boolean =>
  (one.neighbour ?? other.id) === other.id && (other.neighbour ?? one.id) === one.id

/**
 * True when two accounts of one network address may be strangers all the same, as behind a NAT or in a hosted client: some wallet has paid
 * for each. Such a one counts with one neighbour, so that a ring behind one address gains one counterparty at most.
 */
const mayBeStrangers = async (tx: Tx, one: Account, other: Account): Promise<boolean> =>
  areFreeFor(one, other) && (await hasPaid(tx, one.id)) && (await hasPaid(tx, other.id))

/** Remembers that the deals of two accounts of one network address count. */
export const noteNeighbours = async (tx: Tx, one: Account, other: Account): Promise<void> => {
  if (!same(one.origin, other.origin)) return
  await accountsIn(tx).update(one.id, account => ({ ...account, neighbour: other.id }))
  await accountsIn(tx).update(other.id, account => ({ ...account, neighbour: one.id }))
}

/**
 * What links two accounts: opened from one network address (where not each is paid for, or another one of that address counts already),
 * paid by one wallet or of one person, at one domain, called at one place, or one contact. Empty for strangers. It errs towards a link,
 * which takes a deal out of reputation and nothing else.
 */
export const linksBetween = async (tx: Tx, one: Account, other: Account): Promise<Link[]> => {
  const sameness: Record<Link, boolean> = {
    address: same(one.origin, other.origin) && !(await mayBeStrangers(tx, one, other)),
    wallet:
      same(one.wallet, other.wallet) ||
      (await sharesWallet(tx, one.id, other.id)) ||
      (await areOfOnePerson(tx, keyPrefix, one.id, other.id)),
    domain: pointsTo(one, other) || pointsTo(other, one),
    route:
      same(registrableSite(one.deal_route), registrableSite(other.deal_route)) ||
      same(one.agent_card_url, other.agent_card_url),
    contact:
      same(mailbox(one.contact_email), mailbox(other.contact_email)) ||
      same(one.contact_url, other.contact_url),
  }
  return links.filter(link => sameness[link])
}
