import { z } from 'zod'
import { DomainInput, toTarget } from './domain.ts'
import { daysSince, daysUntil, toFlags } from './registration/flags.ts'
import { parseRegistrable } from './registration/registrable.ts'
import { skill } from './skill.ts'

const prohibition = (who: string, what: string) => `The ${who} does not allow it to be ${what}.`

const actions: readonly [code: string, what: string][] = [
  ['Delete', 'deleted'],
  ['Renew', 'renewed'],
  ['Transfer', 'moved to another registrar'],
  ['Update', 'changed'],
]

/** Meanings of the statuses of EPP to people (RFC 5731 section 2.3, RFC 3915). */
const meanings: Readonly<Record<string, string>> = {
  ok: 'Nothing is going on and nothing is prohibited.',
  inactive: 'It has no name servers and does not resolve.',
  clientHold: 'The registrar took it out of the DNS.',
  serverHold: 'The registry took it out of the DNS.',
  pendingCreate: 'Its registration is being worked on.',
  pendingDelete: 'It is about to be deleted and then free for anybody.',
  pendingRenew: 'Its renewal is being worked on.',
  pendingRestore: 'It is being restored after its deletion.',
  pendingTransfer: 'It is being moved to another registrar.',
  pendingUpdate: 'A change is being worked on.',
  addPeriod: 'It is new; the registrar may still give it back.',
  autoRenewPeriod: 'It expired and was renewed automatically; the registrar may still give it back.',
  renewPeriod: 'It was renewed lately; the registrar may still take that back.',
  transferPeriod: 'It was moved lately; the registrar may still take that back.',
  redemptionPeriod: 'It was deleted; only its holder can still restore it, for a fee.',
  ...Object.fromEntries(
    actions.flatMap(([code, what]) => [
      [`client${code}Prohibited`, prohibition('registrar', what)],
      [`server${code}Prohibited`, prohibition('registry', what)],
    ]),
  ),
}

/** A sentence for each status, in order; statuses that EPP does not know stay as the registry wrote them. */
const statusTexts = (statuses: readonly string[]): string[] =>
  statuses.map(status => meanings[status] ?? status)

const moment = (what: string) => z.iso.datetime().nullable().describe(`${what}, UTC; null when not told`)
const raw = z.string().nullable().describe('The same as the registry writes it')
const text = (what: string) => z.string().nullable().describe(what)

export default skill({
  id: 'whois-rdap',
  argument: 'domain',
  price: '0.005',
  tags: ['domain', 'whois', 'rdap', 'registration'],
  keywords: ['owner', 'owns', 'expire', 'whose', 'renewed', 'lookup'],
  openWorld: true,
  cacheSec: 3600,
  key: ({ domain }) => toTarget(domain),
  target: ({ domain }) => toTarget(domain),
  title: 'Look up who registered a domain, and until when',
  description:
    'Returns the registration of a domain from its registry over RDAP, or WHOIS where there is no RDAP: created, updated and expiry dates, age, registrar, status, name servers, DNSSEC, registrant organization and warning flags. Subdomains and URLs are taken to their domain. Free over A2A and MCP, else 0.005 USD.',
  input: z.object({ domain: DomainInput }),
  output: z.object({
    domain: z.string().describe('The registrable domain in ASCII (punycode)'),
    unicode: z.string().describe('The domain as people read it'),
    registered: z.boolean().describe('False only when the registry says that there is no such domain'),
    created: moment('When it was registered'),
    created_raw: raw,
    updated: moment('When it was last changed'),
    updated_raw: raw,
    expires: moment('When it expires'),
    expires_raw: raw,
    age_days: z.number().int().nullable().describe('Whole days since it was registered'),
    days_to_expiry: z
      .number()
      .int()
      .nullable()
      .describe('Whole days until it expires; negative when expired'),
    registrar: z
      .object({
        name: text('Name'),
        iana_id: text('Number at IANA'),
        url: text('Web site'),
        abuse_email: text('Where abuse is reported'),
      })
      .nullable()
      .describe('Whom it is registered through'),
    status: z.array(z.string()).describe('EPP codes, else the words of the registry'),
    status_text: z.array(z.string()).describe('What each status means'),
    nameservers: z.array(z.string()).describe('Name servers that it is delegated to'),
    nameserver_count: z.number().int().describe('How many'),
    dnssec: z.boolean().nullable().describe('Whether the delegation is signed; null when not told'),
    redacted: z.boolean().nullable().describe('Whether the registrant is withheld; null when not told'),
    registrant: z
      .object({
        organization: text('Organization or name'),
        country: text('Country, mostly its two letters'),
      })
      .nullable()
      .describe('Who holds it, as far as it is public'),
    source: z.enum(['rdap', 'whois']).describe('How the registry was asked'),
    server: z.string().describe('The server of the registry'),
    flags: z
      .array(z.string())
      .describe(
        'new_domain (under 30 days), expiring (within 30 days), expired, on_hold, redemption, pending_delete, pending_transfer, no_nameservers',
      ),
  }),
  needs: ['rdap'],
  examples: [{ domain: 'example.com' }, { domain: 'https://www.example.com/page' }],
  summary: ({ unicode, registered, created, expires, registrar }) => {
    if (!registered) return `${unicode} is not registered.`
    const facts = [
      created && `since ${created.slice(0, 10)}`,
      expires && `until ${expires.slice(0, 10)}`,
      registrar?.name && `through ${registrar.name}`,
    ]
    return `${[`${unicode} is registered`, ...facts.filter(Boolean)].join(' ')}.`
  },
}).run(async ({ rdap, clock, signal }, { domain: input }) => {
  const { ascii, unicode, host } = parseRegistrable(input)
  const record = await rdap.domain(ascii, { signal })
  const { created, updated, expires, registrar, status, nameservers, notes, sources } = record
  const ageDays = daysSince(created, clock.now())
  const daysToExpiry = daysUntil(expires, clock.now())
  const subdomain = { code: 'subdomain', message: `${host} lies under ${ascii}; this is about ${ascii}.` }
  return {
    domain: ascii,
    unicode,
    registered: record.registered,
    created: created?.at ?? null,
    created_raw: created?.raw ?? null,
    updated: updated?.at ?? null,
    updated_raw: updated?.raw ?? null,
    expires: expires?.at ?? null,
    expires_raw: expires?.raw ?? null,
    age_days: ageDays,
    days_to_expiry: daysToExpiry,
    registrar: registrar && {
      name: registrar.name,
      iana_id: registrar.ianaId,
      url: registrar.url,
      abuse_email: registrar.abuseEmail,
    },
    status,
    status_text: statusTexts(status),
    nameservers,
    nameserver_count: nameservers.length,
    dnssec: record.dnssec,
    redacted: record.redacted,
    registrant: record.registrant,
    source: record.source,
    server: record.server,
    flags: toFlags({ age_days: ageDays, days_to_expiry: daysToExpiry, status }),
    about: { sources: sources, warnings: [...(host ? [subdomain] : []), ...notes] },
    ...(!record.registered && { keepSec: 300 }),
  }
})
