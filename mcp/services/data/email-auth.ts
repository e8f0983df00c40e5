import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { isSelector } from '../../lib/mail-auth/dkim/selectors.ts'
import { parseClientIp } from '../../lib/mail-auth/spf/ip.ts'
import type { Dns } from '../../ports/dns/port.ts'
import { Dkim } from './dkim/report.ts'
import { Dmarc } from './dmarc/report.ts'
import { DomainInput, parseDomain, toTarget } from './domain.ts'
import { aboutGathered } from './mail-policy/about.ts'
import { Recommendations } from './mail-policy/advice.ts'
import { Bimi } from './mail-policy/bimi.ts'
import { gather } from './mail-policy/gather.ts'
import { MtaSts } from './mail-policy/mta-sts.ts'
import { Mx } from './mail-policy/mx.ts'
import { toPrintable } from './mail-policy/notes.ts'
import { shownParts } from './mail-policy/output.ts'
import { usesMail } from './mail-policy/parts.ts'
import { recommend } from './mail-policy/recommendations.ts'
import { computeMailScore } from './mail-policy/score.ts'
import { MailServerProtection } from './mail-policy/servers.ts'
import { TlsRpt } from './mail-policy/tls-rpt.ts'
import { judgeSpoofing } from './mail-policy/verdict.ts'
import { skill } from './skill.ts'
import { checkHost } from './spf/check-host.ts'
import type { SpfCheck } from './spf/report.ts'
import { Spf } from './spf/report.ts'

type Client = { ip?: string | undefined; sender?: string | undefined; helo?: string | undefined }

const toPrintableOrNull = (text: string | null, maxLength: number): string | null =>
  text === null ? null : toPrintable(text, maxLength)

/** SPF for a client, made safe to show; null when no ip was given. */
const evaluate = async (
  dns: Dns,
  domain: string,
  { ip, sender = `postmaster@${domain}`, helo = domain }: Client,
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<z.input<typeof SpfCheck> | null> => {
  if (ip === undefined) return null
  const outcome = await checkHost(dns, { ip, domain, sender, helo, now, signal })
  return {
    ip,
    sender: toPrintable(sender, 320),
    helo: toPrintable(helo, 255),
    ...outcome,
    mechanism: toPrintableOrNull(outcome.mechanism, 500),
    domain: toPrintable(outcome.domain, 253),
    explanation: toPrintableOrNull(outcome.explanation, 500),
    problem: toPrintableOrNull(outcome.problem, 500),
  }
}

const plain = /^[^\p{Cc}\s]+$/u

export default skill({
  id: 'email-auth',
  argument: 'domain',
  price: '0.005',
  tags: ['mail', 'dns', 'domain', 'security'],
  keywords: ['spam', 'deliverability', 'spoof', 'phishing', 'newsletter', 'fake'],
  openWorld: true,
  cacheSec: 300,
  key: ({ domain, ...rest }) => [toTarget(domain), rest],
  target: ({ domain }) => toTarget(domain),
  title: 'Tell whether a domain can be forged in mail',
  description:
    'Reads SPF, DMARC (RFC 9989), DKIM at common selectors, MTA-STS, TLS-RPT, BIMI, STARTTLS and DANE, says whether strangers can send mail as the domain, and gives records to paste. With ip it evaluates SPF. Free over A2A and MCP, else 0.005 USD.',
  input: z.object({
    domain: DomainInput,
    selector: z
      .string()
      .trim()
      .max(190)
      .refine(isSelector, 'must be a DKIM selector such as google or s1, the s= of a signature')
      .optional()
      .describe('DKIM selector to try besides the common ones'),
    ip: z
      .string()
      .trim()
      .max(45)
      .refine(text => parseClientIp(text) !== undefined, 'must be an IPv4 or IPv6 address')
      .optional()
      .describe('Sending host to evaluate SPF for'),
    sender: z
      .string()
      .trim()
      .max(320)
      .refine(text => plain.test(text), 'must be a mail address')
      .optional()
      .describe('Envelope sender for it. Default: postmaster of the domain'),
    helo: z
      .string()
      .trim()
      .max(255)
      .refine(text => plain.test(text), 'must be a host name')
      .optional()
      .describe('HELO name for it. Default: the domain'),
  }),
  output: z.object({
    domain: z.string().describe('The domain in ASCII (punycode)'),
    unicode: z.string().describe('The domain as people read it'),
    exists: z.boolean().nullable().describe('False when there is no such name; null when unknown'),
    uses_mail: z
      .boolean()
      .nullable()
      .describe('False when it says that it has no mail; null when it says nothing'),
    spoofable: z.boolean().nullable().describe('Strangers can send mail in its name; null when unknown'),
    spoofability: z
      .enum(['protected', 'partial', 'spoofable', 'unknown'])
      .describe('partial: forged mail goes to spam, or subdomains are open'),
    verdict: z.string().describe('The verdict in a sentence'),
    score: z.number().int().nullable().describe('0 to 100; null when unknown'),
    grade: z.enum(['A', 'B', 'C', 'D', 'F']).nullable().describe('A from 90, B 75, C 60, D 40'),
    spf: Spf,
    dmarc: Dmarc,
    dkim: Dkim,
    mx: Mx,
    mta_sts: MtaSts,
    tls_rpt: TlsRpt,
    bimi: Bimi,
    servers: MailServerProtection,
    recommendations: Recommendations,
    recommendation_count: z.number().int().describe('Recommendations'),
  }),
  needs: ['dns', 'fetch', 'tls'],
  examples: [
    { domain: 'example.com' },
    { domain: 'example.com', ip: '198.51.100.7', sender: 'ada@example.com' },
  ],
  summary: ({ verdict }) => verdict,
}).run(async ({ dns, fetch, tls, clock, signal }, { domain: input, selector, ...client }) => {
  const domain = parseDomain(input)
  if (!domain) throw new ToolError('invalid_input', 'domain: must be a domain name such as example.com.')
  const evidence = await gather({ dns, fetch, tls, domain: domain.ascii, selector, signal })
  const { parts } = evidence
  const check = await evaluate(evidence.dns, domain.ascii, client, { now: clock.now(), signal })
  const verdict = judgeSpoofing(parts)
  const recommendations = recommend(parts)
  return {
    domain: domain.ascii,
    unicode: domain.unicode,
    exists: parts.exists,
    uses_mail: usesMail(parts),
    ...verdict,
    ...computeMailScore(parts, verdict.spoofability),
    ...shownParts(parts, check),
    recommendations,
    recommendation_count: recommendations.length,
    ...aboutGathered(evidence, { selector, ...client }),
  }
})
