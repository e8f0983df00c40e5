import { z } from 'zod'
import { clean } from '../../../lib/text/clean.ts'
import type { DnsRecord } from '../../../ports/index.ts'

const ttl = z.number().int().describe('Seconds the record may be kept')

const Address = z.object({ address: z.string().describe('IP address'), ttl })
const Host = z.object({ host: z.string().describe('Host name'), ttl })

/** The records of each type as they are shown. */
export const Records = z.object({
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
})

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
