import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import type { CspFinding } from '../../../lib/csp/finding.ts'
import { clean } from '../../../lib/text/clean.ts'
import { dayMs } from '../../../lib/time.ts'
import type { Tls } from '../../../ports/tls/port.ts'

/** The TLS of a site; null over http and where it could not be looked at. */
export const TlsFields = z
  .object({
    protocol: z.string().describe('Version that was agreed on, such as TLSv1.3'),
    cipher: z.string().describe('Cipher suite'),
    certificate: z
      .object({
        valid: z.boolean().describe('Trusted, in time and for this host name'),
        problem: z.string().nullable().describe('Why it is not, as a code of OpenSSL'),
        subject: z.string().nullable().describe('Common name'),
        issuer: z.string().nullable().describe('Who issued it'),
        names: z.array(z.string()).describe('Names it is for; at most 100'),
        valid_from: z.iso.datetime().describe('Begin, UTC'),
        valid_to: z.iso.datetime().describe('End, UTC'),
        days_left: z.number().int().describe('Days until then; negative once it has expired'),
        key_type: z.string().describe('rsa, ec, ed25519, …'),
        key_bits: z.number().int().nullable().describe('Size of an RSA key'),
        fingerprint256: z.string().describe('SHA-256 of the certificate'),
      })
      .describe('Certificate of the server'),
  })
  .nullable()
  .describe('TLS of the audited page; null over http and when it could not be looked at')

type Report = z.input<typeof TlsFields>

const toPort = (url: URL): 443 | 8443 | null => {
  if (url.protocol !== 'https:') return null
  return url.port === '' ? 443 : url.port === '8443' ? 8443 : null
}

/** Looks at the certificate and the TLS version of a page. What keeps us from it says nothing about the site. */
export const readTls = async (tls: Tls, address: string, now: Date, signal: AbortSignal): Promise<Report> => {
  const url = new URL(address)
  const port = toPort(url)
  if (port === null) return null
  try {
    const answer = await tls.inspect(url.hostname.replace(/^\[|\]$/g, ''), port, { signal })
    if (!answer.offered) return null
    const { certificate, problem, protocol, cipher } = answer
    const { validFrom, validTo, keyType, keyBits, fingerprint256 } = certificate
    return {
      protocol,
      cipher,
      certificate: {
        valid: problem === null,
        problem: clean(problem, 60),
        subject: clean(certificate.subject, 253),
        issuer: clean(certificate.issuer, 200),
        names: certificate.names.slice(0, 100).flatMap(name => clean(name, 253) ?? []),
        valid_from: validFrom.toISOString(),
        valid_to: validTo.toISOString(),
        days_left: Math.floor((validTo.getTime() - now.getTime()) / dayMs),
        key_type: keyType,
        key_bits: keyBits,
        fingerprint256,
      },
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error
    return null
  }
}

/** Lists weaknesses of TLS. The score of the observatory does not count it. */
export const tlsFindings = (report: Report): CspFinding[] => {
  if (report === null) return []
  const { protocol, certificate } = report
  const finding = (
    is: boolean,
    code: string,
    severity: CspFinding['severity'],
    message: string,
    fix: string,
  ) => (is ? [{ code, severity, message, fix }] : [])
  return [
    ...finding(
      protocol === 'TLSv1' || protocol === 'TLSv1.1',
      'old_tls',
      'high',
      `The server speaks ${protocol}, which browsers refuse (RFC 8996).`,
      'turn on TLS 1.2 and 1.3',
    ),
    ...finding(
      certificate.days_left < 14,
      'certificate_ends',
      certificate.days_left < 0 ? 'high' : 'medium',
      `The certificate ends at ${certificate.valid_to}.`,
      'renew it, and renew it by itself from now on',
    ),
    ...finding(
      certificate.key_type === 'rsa' && (certificate.key_bits ?? 2048) < 2048,
      'weak_certificate_key',
      'high',
      `The key of the certificate has ${certificate.key_bits} bits.`,
      'use 2048 bits or an elliptic curve',
    ),
  ]
}
