import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { clean } from '../../../lib/text/clean.ts'
import type { Dns, DnsAnswer, DnsRecord } from '../../../ports/dns/port.ts'
import type { PeerCertificate, Tls, TlsAnswer } from '../../../ports/tls/port.ts'
import { ask } from '../dns/answers.ts'

/** Mail servers that are asked; what delivers mail goes by the same order. */
const maxServers = 3

const Certificate = z.object({
  valid: z.boolean().describe('Trusted, in time and for this host name'),
  problem: z.string().nullable().describe('Why it is not, as a code of OpenSSL'),
  issuer: z.string().nullable().describe('Who issued it'),
  expires: z.iso.datetime().describe('When it ends, UTC'),
})

/** How the first mail servers protect mail on its way to them. */
export const MailServerProtection = z
  .array(
    z.object({
      host: z.string().describe('Mail server'),
      starttls: z
        .object({
          status: z
            .enum(['offered', 'not_offered', 'unknown'])
            .describe('unknown: it could not be asked from here; port 25 is often blocked'),
          protocol: z.string().nullable().describe('TLS version that is agreed on'),
          certificate: Certificate.nullable().describe('Its certificate; mail is mostly sent whatever it is'),
        })
        .describe('TLS on port 25'),
      dane: z
        .object({
          status: z
            .enum(['valid', 'mismatch', 'published', 'insecure', 'unusable', 'none', 'unknown'])
            .describe(
              'published: not held against the server; insecure: without DNSSEC, so nobody heeds it; unusable: no record that mail uses',
            ),
          records: z.array(z.string()).describe('TLSA records: usage, selector, matching type, data'),
        })
        .describe('DANE (RFC 7672): certificates by DNSSEC'),
    }),
  )
  .nullable()
  .describe('TLS of the first 3 mail servers; null when they are unknown')

export type MailServerReport = NonNullable<z.input<typeof MailServerProtection>>[number]

type Starttls = { report: MailServerReport['starttls']; answer: TlsAnswer | null }

/** Asks one server for TLS. Whatever keeps us from it says nothing about the server. */
const probe = async (tls: Tls, host: string, signal: AbortSignal): Promise<Starttls> => {
  try {
    const answer = await tls.inspect(host, 25, { signal })
    if (!answer.offered)
      return { report: { status: 'not_offered', protocol: null, certificate: null }, answer }
    const { certificate, problem, protocol } = answer
    const report = {
      valid: problem === null,
      problem: clean(problem, 60),
      issuer: clean(certificate.issuer, 200),
      expires: certificate.validTo.toISOString(),
    }
    return { report: { status: 'offered', protocol, certificate: report }, answer }
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error
    return { report: { status: 'unknown', protocol: null, certificate: null }, answer: null }
  }
}

type Tlsa = { usage: number; selector: number; matchingType: number; certificate: string }

const readTlsa = ({ type, data }: DnsRecord): Tlsa[] => {
  if (type !== 'TLSA' || typeof data !== 'object' || data === null) return []
  const { usage, selector, matchingType, certificate } = data as Partial<Tlsa>
  if (typeof usage !== 'number' || typeof selector !== 'number' || typeof matchingType !== 'number') return []
  return [{ usage, selector, matchingType, certificate: String(certificate ?? '').toLowerCase() }]
}

/** Mail heeds DANE-TA(2) and DANE-EE(3) only (RFC 7672 section 3.1). */
const isUsable = ({ usage, selector, matchingType, certificate }: Tlsa): boolean =>
  (usage === 2 || usage === 3) && selector <= 1 && matchingType <= 2 && certificate !== ''

const matches = ({ selector, matchingType, certificate }: Tlsa, peer: PeerCertificate): boolean => {
  const bytes = selector === 0 ? peer.raw : peer.publicKey
  const data =
    matchingType === 0
      ? bytes.toString('hex')
      : createHash(matchingType === 1 ? 'sha256' : 'sha512')
          .update(bytes)
          .digest('hex')
  return data === certificate
}

/** True when a record names the certificate that was shown (3), or one above it that leads to it for this name (2). */
const isMet = (record: Tlsa, { offered, ...answer }: TlsAnswer): boolean => {
  if (!offered || !('certificate' in answer)) return false
  if (record.usage === 3) return matches(record, answer.certificate)
  const names = new Set(['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'])
  return !names.has(answer.problem ?? '') && answer.chain.some(certificate => matches(record, certificate))
}

const judgeDane = (
  tlsa: DnsAnswer | string,
  isSecure: boolean,
  answer: TlsAnswer | null,
): MailServerReport['dane'] => {
  if (typeof tlsa === 'string') return { status: 'unknown', records: [] }
  const all = tlsa.records.flatMap(readTlsa).slice(0, 20)
  const records = all.map(({ usage, selector, matchingType, certificate }) =>
    `${usage} ${selector} ${matchingType} ${certificate}`.slice(0, 300),
  )
  const usable = all.filter(isUsable)
  if (all.length === 0) return { status: 'none', records }
  if (!isSecure || !tlsa.authentic) return { status: 'insecure', records }
  if (usable.length === 0) return { status: 'unusable', records }
  if (answer === null) return { status: 'published', records }
  return { status: usable.some(record => isMet(record, answer)) ? 'valid' : 'mismatch', records }
}

/** A name that nobody can ask for, which records of strangers may hold, has no records. */
const askTlsa = async (dns: Dns, host: string, signal: AbortSignal): Promise<DnsAnswer | string> => {
  try {
    return await ask(dns, `_25._tcp.${host}`, 'TLSA', signal)
  } catch (error) {
    if (error instanceof ToolError && error.code === 'invalid_input') return 'NONAME'
    throw error
  }
}

/** Looks at STARTTLS and DANE of the first mail servers of a domain. */
export const checkServers = async (
  { dns, tls }: { dns: Dns; tls: Tls },
  domain: string,
  hosts: readonly string[],
  signal: AbortSignal,
): Promise<MailServerReport[]> => {
  const mx = await ask(dns, domain, 'MX', signal)
  const isSecure = typeof mx !== 'string' && mx.authentic
  const check = async (host: string): Promise<MailServerReport> => {
    const [{ report: starttls, answer }, tlsa] = await Promise.all([
      probe(tls, host, signal),
      askTlsa(dns, host, signal),
    ])
    return { host: clean(host, 253) ?? '', starttls, dane: judgeDane(tlsa, isSecure, answer) }
  }
  return Promise.all(hosts.slice(0, maxServers).map(check))
}
