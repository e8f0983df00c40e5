import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { z } from 'zod'
import type { Dns } from '../../../ports/dns/port.ts'
import type { Ports } from '../../../ports/ports.ts'
import { ask } from '../dns/answers.ts'
import { lookUpDns } from '../dns/look-up.ts'
import emailAuth from '../email-auth.ts'
import { type Runnable, runSkill, type SkillContext } from '../skill.ts'
import whoisRdap from '../whois-rdap.ts'
import { openParts, type PartState } from './parts.ts'
import { readMetadata, visitSite } from './site.ts'

/** True when a name has an address; null when the DNS did not tell. */
const hasAddress = async (dns: Dns, name: string, signal: AbortSignal): Promise<boolean | null> => {
  const answers = await Promise.all((['A', 'AAAA'] as const).map(type => ask(dns, name, type, signal)))
  const answered = answers.filter(answer => typeof answer !== 'string')
  if (answered.some(({ records }) => records.some(({ type }) => type === 'A' || type === 'AAAA'))) return true
  return answered.length === answers.length ? false : null
}

/** True when names that nobody made have addresses too. */
const isWildcard = (dns: Dns, domain: string, signal: AbortSignal): Promise<boolean | null> =>
  hasAddress(dns, `${randomBytes(6).toString('hex')}.${domain}`, signal)

/** The host that a site is looked for at: the domain, or its `www` where only that has an address. Null when neither has. */
const webHost = (domain: string, own: boolean | null, www: boolean | null): string | null => {
  if (own !== false) return domain
  return www ? `www.${domain}` : null
}

export type MailFields = z.output<typeof emailAuth.own>
export type RegistrationFields = z.output<typeof whoisRdap.own>

type Needs = Pick<Ports, 'cache' | 'clock' | 'dns' | 'fetch' | 'rdap' | 'tls' | 'workers'>

/** Everything found out about a domain; null where its part failed. */
export type DomainFindings = {
  dns: Awaited<ReturnType<typeof lookUpDns>> | null
  /** True when the domain and its `www` have addresses. */
  own: boolean | null
  www: boolean | null
  wildcard: boolean | null
  mail: MailFields | null
  site: Awaited<ReturnType<typeof visitSite>> | null
  metadata: Awaited<ReturnType<typeof readMetadata>>
  registration: RegistrationFields | null
  parts: Record<string, PartState>
  failures: ReturnType<typeof openParts>['failures']
}

const budgetMs = 10_000

/** Runs all parts side by side within ten seconds; a part that fails leaves the others. */
export const inspectDomain = async (
  ports: Needs,
  domain: string,
  callSignal: AbortSignal,
): Promise<DomainFindings> => {
  const signal = AbortSignal.any([callSignal, AbortSignal.timeout(budgetMs + 500)])
  setMaxListeners(0, signal)
  const { run, states, failures } = openParts(budgetMs)
  const { dns, workers } = ports
  const ctx = { ...ports, signal: callSignal } as SkillContext
  const runOwnSkill = async <Fields>(skill: Runnable) =>
    (await runSkill(skill, ctx, { domain })).fields as Fields

  const addresses = run('addresses', () =>
    Promise.all([
      hasAddress(dns, domain, signal),
      hasAddress(dns, `www.${domain}`, signal),
      isWildcard(dns, domain, signal),
    ]),
  )
  const site = addresses.then(async hosts => {
    const host = webHost(domain, hosts?.[0] ?? null, hosts?.[1] ?? null)
    return host === null ? null : run('tech-detect', () => visitSite(ports, host, signal))
  })
  const metadata = site.then(siteAnswer => {
    if (siteAnswer) return run('url-metadata', () => readMetadata(workers, siteAnswer))
    const { error } = states['tech-detect'] ?? { error: null }
    if (error !== null) states['url-metadata'] = { ok: false, ms: 0, error }
    return null
  })
  const [hostsAnswer, dnsFound, mail, siteFound, metadataFound, registration] = await Promise.all([
    addresses,
    run('dns-lookup', () => lookUpDns(dns, domain, signal)),
    run('email-auth', () => runOwnSkill<MailFields>(emailAuth)),
    site,
    metadata,
    run('whois-rdap', () => runOwnSkill<RegistrationFields>(whoisRdap)),
  ])
  const [own = null, www = null, wildcard = null] = hostsAnswer ?? []
  const { addresses: _, ...parts } = states
  return {
    dns: dnsFound,
    own,
    www,
    wildcard,
    mail,
    site: siteFound,
    metadata: metadataFound,
    registration,
    parts,
    failures,
  }
}
