import { z } from 'zod'
import { clean } from '../../../lib/text/clean.ts'
import type { DnsRecord } from '../../../ports/dns/port.ts'

const ttl = z.number().int().describe('Seconds the record may be kept')

const Address = z.object({ address: z.string().describe('IP address'), ttl })
const Host = z.object({ host: z.string().describe('Host name'), ttl })

const number = (what: string) => z.number().int().describe(what)

const further = {
  PTR: z.array(Host).describe('Names of an address'),
  SRV: z
    .array(
      z.object({
        priority: number('The lowest is tried first'),
        weight: number('Share among those of one priority'),
        port: number('Port'),
        target: z.string().describe('Host; "." says that there is no such service'),
        ttl,
      }),
    )
    .describe('Hosts of a service, at names such as _sip._tcp.example.com'),
  HTTPS: z
    .array(
      z.object({
        priority: number('0 is an alias'),
        target: z.string().describe('Host; "." is the name itself'),
        params: z.record(z.string(), z.unknown()).describe('alpn, port, ipv4hint, ech and others (RFC 9460)'),
        ttl,
      }),
    )
    .describe('How a site is reached'),
  TLSA: z
    .array(
      z.object({
        usage: number('0 to 3; 3 names the certificate itself'),
        selector: number('0 certificate, 1 public key'),
        matching_type: number('0 whole, 1 SHA-256, 2 SHA-512'),
        certificate: z.string().describe('What must match, in hex'),
        ttl,
      }),
    )
    .describe('Certificates by DANE, at names such as _25._tcp.mail.example.com'),
  DS: z
    .array(
      z.object({
        key_tag: number('Key tag'),
        algorithm: number('Algorithm'),
        digest_type: number('Kind of digest'),
        digest: z.string().describe('Digest in hex'),
        ttl,
      }),
    )
    .describe('Delegation signers: the parent says that the zone is signed'),
  DNSKEY: z
    .array(
      z.object({
        flags: number('257 signs keys, 256 the zone'),
        algorithm: number('Algorithm'),
        key: z.string().describe('Public key in base64'),
        ttl,
      }),
    )
    .describe('Keys that the zone is signed with'),
}

/** The records of each type as they are shown; the types that were not asked for are left out. */
export const RecordsByType = z
  .object({
    A: z.array(Address).describe('IPv4 addresses'),
    AAAA: z.array(Address).describe('IPv6 addresses'),
    MX: z
      .array(
        z.object({
          priority: z.number().int().describe('The lowest is tried first'),
          exchange: z.string().describe('Mail server; "." says that the domain takes no mail (RFC 7505)'),
          ttl,
        }),
      )
      .describe('Mail servers by priority'),
    TXT: z
      .array(z.object({ text: z.string().describe('The chunks joined without a space'), ttl }))
      .describe('Texts'),
    NS: z.array(Host).describe('Name servers set at this name'),
    CNAME: Host.nullable().describe('The name that this one is an alias of'),
    CAA: z
      .array(
        z.object({
          flags: z.number().int().describe('Flags; 128 is critical'),
          tag: z.string().describe('issue, issuewild, iodef or another property'),
          value: z.string().describe('Value of the property'),
          critical: z.boolean().describe('An authority that does not know the tag must not issue'),
          ttl,
        }),
      )
      .describe('Who may issue certificates; inherited from a parent when the name has none of its own'),
    SOA: z
      .object({
        mname: z.string().describe('Primary name server'),
        rname: z.string().describe('Mailbox of the operator, the @ written as a dot'),
        serial: z.number().int().describe('Serial number of the zone'),
        refresh: z.number().int().describe('Seconds until a secondary asks again'),
        retry: z.number().int().describe('Seconds until it retries'),
        expire: z.number().int().describe('Seconds until it gives up'),
        minimum: z.number().int().describe('Seconds that "no such name" may be kept'),
        ttl,
      })
      .nullable()
      .describe('Start of authority, when the name is the top of a zone'),
    ...further,
  })
  .partial()

const field = (data: unknown, name: string): unknown =>
  typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined

const toText = (value: unknown): string => clean(String(value ?? ''), 65_535) ?? ''
const toNumber = (value: unknown): number => (typeof value === 'number' ? value : 0)
const toName = (value: unknown): string => toText(value).toLowerCase() || '.'

export const toAddressRecord = ({ data, ttl }: DnsRecord) => ({ address: toText(data), ttl })
export const toHostRecord = ({ data, ttl }: DnsRecord) => ({ host: toName(data), ttl })
export const toTxtRecord = ({ data, ttl }: DnsRecord) => ({ text: toText(data), ttl })

export const toMxRecord = ({ data, ttl }: DnsRecord) => ({
  priority: toNumber(field(data, 'preference')),
  exchange: toName(field(data, 'exchange')),
  ttl,
})

export const toCaaRecord = ({ data, ttl }: DnsRecord) => {
  const flags = toNumber(field(data, 'flags'))
  const [tag, value] = [toText(field(data, 'tag')).toLowerCase(), toText(field(data, 'value'))]
  return { flags, tag, value, critical: flags >= 128, ttl }
}

export const toSoaRecord = ({ data, ttl }: DnsRecord) => ({
  mname: toName(field(data, 'mname')),
  rname: toName(field(data, 'rname')),
  serial: toNumber(field(data, 'serial')),
  refresh: toNumber(field(data, 'refresh')),
  retry: toNumber(field(data, 'retry')),
  expire: toNumber(field(data, 'expire')),
  minimum: toNumber(field(data, 'minimum')),
  ttl,
})

export const toSrvRecord = ({ data, ttl }: DnsRecord) => ({
  priority: toNumber(field(data, 'priority')),
  weight: toNumber(field(data, 'weight')),
  port: toNumber(field(data, 'port')),
  target: toName(field(data, 'target')),
  ttl,
})

const toParams = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

export const toHttpsRecord = ({ data, ttl }: DnsRecord) => ({
  priority: toNumber(field(data, 'priority')),
  target: toName(field(data, 'target')),
  params: toParams(field(data, 'params')),
  ttl,
})

export const toTlsaRecord = ({ data, ttl }: DnsRecord) => ({
  usage: toNumber(field(data, 'usage')),
  selector: toNumber(field(data, 'selector')),
  matching_type: toNumber(field(data, 'matchingType')),
  certificate: toText(field(data, 'certificate')),
  ttl,
})

export const toDsRecord = ({ data, ttl }: DnsRecord) => ({
  key_tag: toNumber(field(data, 'keyTag')),
  algorithm: toNumber(field(data, 'algorithm')),
  digest_type: toNumber(field(data, 'digestType')),
  digest: toText(field(data, 'digest')),
  ttl,
})

export const toDnskeyRecord = ({ data, ttl }: DnsRecord) => ({
  flags: toNumber(field(data, 'flags')),
  algorithm: toNumber(field(data, 'algorithm')),
  key: toText(field(data, 'key')),
  ttl,
})
