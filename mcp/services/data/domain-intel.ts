import { getDomain } from 'tldts'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { DomainInput, parseDomain, toTarget } from './domain.ts'
import { Intel } from './intel/fields.ts'
import { type DomainFindings, inspectDomain } from './intel/inspect-domain.ts'
import { dnsProvider } from './intel/name-servers.ts'
import { servicesInSpf, servicesInTexts } from './intel/service-tokens.ts'
import { collectSignals } from './intel/signals.ts'
import { toWebFields } from './intel/site.ts'
import { providerByMx } from './mailbox/providers.ts'
import { skill } from './skill.ts'

const toMailFields = ({ dns, mail }: DomainFindings) => {
  const servers = mail?.mx?.hosts ?? dns?.records.MX.map(({ exchange }) => exchange) ?? []
  const mx = servers.filter(server => server !== '.')
  return {
    provider: providerByMx(mx)?.name ?? null,
    mx,
    spf: mail?.spf?.record ?? null,
    dmarc: mail?.dmarc?.record ?? null,
    spoofable: mail?.spoofable ?? null,
    spoofability: mail?.spoofability ?? 'unknown',
  }
}

const listServices = ({ dns, mail }: DomainFindings): string[] => {
  const texts = dns?.records.TXT.map(({ text }) => text) ?? []
  return [...new Set([...servicesInTexts(texts), ...servicesInSpf(mail?.spf?.record ?? null)])].sort()
}

const toRegistrationFields = ({ registration }: DomainFindings) =>
  registration && {
    registered: registration.registered,
    created: registration.created,
    expires: registration.expires,
    age_days: registration.age_days,
    registrar: registration.registrar?.name ?? null,
  }

/** When not one part worked, the failures are the answer. */
const assertFound = ({ parts, failures }: DomainFindings) => {
  if (Object.values(parts).some(({ ok }) => ok)) return
  throw new ToolError('upstream', `Nothing could be found out: ${failures[0]?.message ?? 'no part worked'}`, {
    retryable: true,
    hint: 'Retry in a moment.',
  })
}

export default skill({
  id: 'domain-intel',
  argument: 'domain',
  price: '0.01',
  tags: ['domain', 'intelligence', 'dns', 'mail', 'web'],
  keywords: ['company', 'profile', 'everything', 'lead', 'overview', 'analyse'],
  openWorld: true,
  cacheSec: 600,
  key: ({ domain }) => toTarget(domain),
  target: ({ domain }) => toTarget(domain),
  title: 'Tell what is behind a domain',
  description:
    'One look at a domain: mail provider, SPF, DMARC and spoofability, a deliverability grade, web site with server, CDN and technologies, page metadata, services in use, registration, and graded signals such as new, parked or spoofable. Parts that fail leave the others. Free over A2A and MCP, else 0.01 USD.',
  input: z.object({ domain: DomainInput }),
  output: Intel,
  needs: ['cache', 'dns', 'fetch', 'rdap', 'tls', 'workers'],
  examples: [{ domain: 'example.com' }],
  summary: ({ unicode, signals, mail }) => {
    const worst = signals.filter(({ severity }) => severity === 'high').map(({ text }) => text)
    return [`${unicode}: mail by ${mail.provider ?? 'nobody known'}.`, ...worst].join(' ')
  },
}).run(async ({ signal, ...ports }, { domain: input }) => {
  const domain = parseDomain(input)
  if (!domain) throw new ToolError('invalid_input', 'domain: must be a domain name such as example.com.')
  const findings = await inspectDomain(ports, domain.ascii, signal)
  assertFound(findings)
  const services = listServices(findings)
  const signals = collectSignals(findings, domain.ascii)
  const failedParts = Object.entries(findings.parts).filter(([, { ok }]) => !ok)
  const { dns, mail, site } = findings
  return {
    domain: domain.ascii,
    unicode: domain.unicode,
    registrable: getDomain(domain.ascii) ?? null,
    exists: dns?.exists ?? null,
    resolves: findings.own,
    wildcard: findings.wildcard,
    dns_provider: dnsProvider(dns?.authoritative_ns ?? []),
    mail: toMailFields(findings),
    deliverability: { score: mail?.score ?? null, grade: mail?.grade ?? null },
    web: site && toWebFields(site),
    metadata: findings.metadata,
    services,
    service_count: services.length,
    registration: toRegistrationFields(findings),
    signals,
    signal_count: signals.length,
    parts: findings.parts,
    about: {
      sources: [
        ...(dns?.resolvers.map(resolver => `dns:${resolver}`) ?? []),
        ...(site ? [site.fetched.url] : []),
      ],
      warnings: failedParts.map(([name, { error }]) => ({
        code: 'part_failed',
        message: `${name} failed, so what it tells is unknown: ${error}`,
      })),
    },
    ...(failedParts.length > 0 && { keepSec: 30 }),
  }
})
