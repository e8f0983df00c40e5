import * as z from 'zod'
import { factTable, words } from '../../../lib/facts.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import { nameAndParents } from '../dns/parents.ts'
import { bogonRange } from '../location/range.ts'
import { isSpecialName } from '../registration/registrable.ts'
import { findRelay, isFreeMailDomain } from './free.ts'
import { findMailServers, type MailServers } from './mail-servers.ts'
import { isPossibleName, normalize } from './normal.ts'
import { providerByDomain, providerByMx } from './providers.ts'
import { suggestDomain } from './suggest.ts'
import type { Mailbox } from './syntax.ts'
import { judgeMailbox } from './verdict.ts'

/** Mailbox names that stand for a task, not for a person. */
const roleNames = factTable(
  new URL('./data/roles.json', import.meta.url),
  z.record(z.string(), words).transform(roles => new Set(Object.values(roles).flat())),
)

/** The role that a mailbox name stands for, without its `+tag`; null for a person's. */
const findRole = (local: string): string | null => {
  const name = local.toLowerCase().replace(/(?<=.)\+.*$/s, '')
  return roleNames().has(name) ? name : null
}

/** Hosts that take mail for throw-away domains without being listed as such. */
const catchers = 'mail.tm mail.gw temp-mail.io mailto.plus fexpost.com tmpmail.net inboxkitten.com'.split(' ')

export const disposableDomains = factTable(
  new URL('./data/disposable-domains.json', import.meta.url),
  z.array(words).transform(lines => new Set([...lines.flat(), ...catchers])),
)

/** The listed domain that a name is or lies under; null when there is none. */
export const disposableDomain = (name: string): string | null =>
  nameAndParents(name).find(parent => disposableDomains().has(parent)) ?? null

const noDomain: MailServers = { state: 'no_domain', records: [], count: 0, issues: [], ttl: 300, sources: [] }

const unknownServers: MailServers = {
  state: 'unknown',
  records: [],
  count: 0,
  issues: [],
  ttl: 300,
  sources: [],
}

const lookUpServers = (
  dns: Dns,
  { domain }: Mailbox,
  signal: AbortSignal,
): Promise<MailServers> | MailServers => {
  if (domain.literal !== null)
    return bogonRange(domain.literal) ? { ...unknownServers, state: 'private' } : unknownServers
  return isSpecialName(domain.ascii) ? noDomain : findMailServers(dns, domain.ascii, signal)
}

/** A listed mail server betrays a throw-away domain that is not listed itself. */
const findDisposable = (domain: string, exchanges: readonly string[]): string | null => {
  for (const name of [domain, ...exchanges.slice(0, 5)]) {
    const entry = disposableDomain(name)
    if (entry) return entry
  }
  return null
}

const foundByState: Readonly<Partial<Record<MailServers['state'], boolean>>> = {
  found: true,
  unresolved: true,
}

/** Everything that can be known of a well-formed address without knocking at its mail server. */
export const verifyMailbox = async (dns: Dns, mailbox: Mailbox, signal: AbortSignal) => {
  const { address, rawLocal, local, domain } = mailbox
  const servers = await lookUpServers(dns, mailbox, signal)
  const exchanges = servers.records.map(({ exchange }) => exchange)
  const byMx = providerByMx(exchanges)
  const disposableAs = findDisposable(domain.ascii, exchanges)
  const { normalized, subaddress, name } = normalize(mailbox, byMx)
  const roleName = findRole(name)
  const relay = findRelay(nameAndParents(domain.ascii))
  const suggestedDomain = domain.literal === null ? suggestDomain(domain.ascii) : null
  const isUnknown = servers.state === 'unknown'
  const judgement = judgeMailbox({
    state: servers.state,
    issues: servers.issues,
    disposable: disposableAs !== null,
    role: roleName !== null,
    relay: relay !== null,
    isTypo: suggestedDomain !== null,
    isPossible: isPossibleName(name, domain.ascii),
    quoted: local.quoted,
    needsUtf8: /\P{ASCII}/u.test(rawLocal),
    literal: domain.literal !== null,
  })
  return {
    ttl: isUnknown ? 10 : servers.ttl,
    sources: servers.sources,
    fields: {
      email: address,
      normalized,
      local: rawLocal,
      domain: domain.ascii,
      unicode: domain.unicode,
      valid: judgement.verdict !== 'undeliverable',
      ...judgement,
      syntax: { valid: true, reason: null, detail: null },
      mx: {
        found: isUnknown ? null : (foundByState[servers.state] ?? servers.records.length > 0),
        records: servers.records,
        count: servers.count,
        null_mx: isUnknown ? null : servers.state === 'null',
        implicit: isUnknown ? null : servers.state === 'implicit',
        provider: byMx?.name ?? providerByDomain(domain.ascii)?.name ?? null,
      },
      disposable: disposableAs !== null,
      disposable_as: disposableAs,
      role: roleName !== null,
      role_name: roleName,
      free: isFreeMailDomain(domain.ascii),
      relay,
      subaddress,
      suggestion: suggestedDomain && `${rawLocal}@${suggestedDomain}`,
    },
  }
}
