import type { Dns } from '../../../ports/index.ts'
import { bogonRange } from '../location/range.ts'
import { isSpecialName } from '../registration/registrable.ts'
import { disposableDomain, upTo } from './disposable.ts'
import { isFree, relayOf } from './free.ts'
import { findMailServers, type MailServers } from './mail-servers.ts'
import { isPossibleName, normalOf } from './normal.ts'
import { providerByDomain, providerByMx } from './providers.ts'
import { roleOf } from './roles.ts'
import { suggestDomain } from './suggest.ts'
import type { Mailbox } from './syntax.ts'
import { judge } from './verdict.ts'

const nowhere: MailServers = { state: 'no_domain', records: [], count: 0, issues: [], ttl: 300, sources: [] }
const unasked: MailServers = { state: 'unknown', records: [], count: 0, issues: [], ttl: 300, sources: [] }

const serversOf = (
  dns: Dns,
  { domain }: Mailbox,
  signal: AbortSignal,
): Promise<MailServers> | MailServers => {
  if (domain.literal !== null) return bogonRange(domain.literal) ? { ...unasked, state: 'private' } : unasked
  return isSpecialName(domain.ascii) ? nowhere : findMailServers(dns, domain.ascii, signal)
}

/** A listed mail server betrays a throw-away domain that is not listed itself. */
const disposableBy = async (domain: string, exchanges: readonly string[]): Promise<string | null> => {
  for (const name of [domain, ...exchanges.slice(0, 5)]) {
    const found = await disposableDomain(name)
    if (found) return found
  }
  return null
}

const found: Readonly<Partial<Record<MailServers['state'], boolean>>> = { found: true, unresolved: true }

/** Everything that can be known of a well-formed address without knocking at its mail server. */
export const verify = async (dns: Dns, mailbox: Mailbox, signal: AbortSignal) => {
  const { address, written, local, domain } = mailbox
  const servers = await serversOf(dns, mailbox, signal)
  const exchanges = servers.records.map(({ exchange }) => exchange)
  const byMx = providerByMx(exchanges)
  const disposableAs = await disposableBy(domain.ascii, exchanges)
  const { normalized, subaddress, name } = normalOf(mailbox, byMx)
  const roleName = roleOf(name)
  const relay = relayOf(upTo(domain.ascii))
  const meant = domain.literal === null ? suggestDomain(domain.ascii) : null
  const isUnknown = servers.state === 'unknown'
  const judged = judge({
    state: servers.state,
    issues: servers.issues,
    disposable: disposableAs !== null,
    role: roleName !== null,
    relay: relay !== null,
    isTypo: meant !== null,
    isPossible: isPossibleName(name, domain.ascii),
    quoted: local.quoted,
    needsUtf8: /\P{ASCII}/u.test(written),
    literal: domain.literal !== null,
  })
  return {
    ttl: isUnknown ? 10 : servers.ttl,
    sources: servers.sources,
    fields: {
      email: address,
      normalized,
      local: written,
      domain: domain.ascii,
      unicode: domain.unicode,
      valid: true,
      ...judged,
      syntax: { valid: true, reason: null, detail: null },
      mx: {
        found: isUnknown ? null : (found[servers.state] ?? servers.records.length > 0),
        records: servers.records,
        count: servers.count,
        nullMx: isUnknown ? null : servers.state === 'null',
        implicit: isUnknown ? null : servers.state === 'implicit',
        provider: byMx?.name ?? providerByDomain(domain.ascii)?.name ?? null,
      },
      disposable: disposableAs !== null,
      disposableAs,
      role: roleName !== null,
      roleName,
      free: isFree(domain.ascii),
      relay,
      subaddress,
      suggestion: meant && `${written}@${meant}`,
    },
  }
}
