import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { recordTypes } from './dns/answers.ts'
import { RecordsByType } from './dns/data.ts'
import { lookUpDns } from './dns/look-up.ts'
import { parseRecordTypes, parseSubject, SubjectInput, TypesInput, toTarget } from './dns/subject.ts'
import { skill } from './skill.ts'

/** An answer holds as long as its shortest record. */
const minTtl = (records: object): number =>
  Math.min(
    ...Object.values(records)
      .flat()
      .flatMap(record => (record === null ? [] : [record.ttl as number])),
    300,
  )

export default skill({
  id: 'dns-lookup',
  argument: 'domain',
  price: '0.002',
  tags: ['dns', 'domain'],
  keywords: ['mail', 'server', 'nameservers', 'resolve', 'hostname', 'dig'],
  openWorld: true,
  cacheSec: 300,
  key: ({ domain, types }) => {
    const name = parseSubject(domain)?.ascii ?? domain
    return [name, [...parseRecordTypes(types, name)].sort()]
  },
  target: ({ domain }) => toTarget(domain),
  title: 'Look up a domain in the DNS',
  description:
    'Returns the A, AAAA, MX, TXT, NS, CNAME, CAA and SOA records of a domain with their TTLs, or those that types names (also SRV, HTTPS, TLSA, DS), its CNAME chain and whether the answers are DNSSEC-validated; for an IP address its names (PTR). Free over A2A and MCP, else 0.002 USD.',
  input: z.object({ domain: SubjectInput, types: TypesInput }),
  output: z.object({
    domain: z.string().describe('The domain in ASCII (punycode)'),
    unicode: z.string().describe('The domain as people read it'),
    address: z
      .string()
      .nullable()
      .describe('The IP address that was asked about; then domain is its name in the reverse tree'),
    types: z.array(z.enum(recordTypes)).describe('Types that were asked for'),
    rcode: z.string().describe('NOERROR or NXDOMAIN'),
    exists: z
      .boolean()
      .describe('False when the name does not exist; true also when it has no records of these types'),
    records: RecordsByType.describe(
      'The records by type, of those asked for; an empty list where there are none or the type failed',
    ),
    record_count: z.number().int().describe('Records of all types'),
    caa_inherited_from: z
      .string()
      .nullable()
      .describe('The parent that the CAA records come from; null for own ones'),
    cname_chain: z
      .array(
        z.object({
          name: z.string().describe('Alias'),
          target: z.string().describe('What it stands for'),
          ttl: z.number().int().describe('Seconds the record may be kept'),
        }),
      )
      .describe('Aliases from the domain to where its addresses are'),
    null_mx: z
      .boolean()
      .nullable()
      .describe('True when the domain says that it takes no mail (RFC 7505); null when MX is unknown'),
    authoritative_ns: z
      .array(z.string())
      .nullable()
      .describe('Name servers of the zone that the domain lies in; null when neither NS nor SOA was asked'),
    dnssec: z
      .object({ ad: z.boolean().describe('True when the resolver says that it validated all answers') })
      .describe('DNSSEC; worth as much as the resolver'),
    resolver: z.string().describe('The resolver that answered'),
    errors: z
      .record(z.string(), z.string())
      .describe(
        'Types that failed, with SERVFAIL, REFUSED or TIMEOUT; their records are unknown, not absent',
      ),
  }),
  needs: ['dns'],
  examples: [
    { domain: 'example.com' },
    { domain: 'https://example.com/page' },
    { domain: 'example.com', types: 'MX,TXT' },
    { domain: '93.184.216.34' },
  ],
  summary: ({ unicode, address, exists, record_count: recordCount, records }) => {
    const names = (records.PTR ?? []).map(({ host }) => host).join(', ')
    if (address) return names ? `${address} is ${names}.` : `${address} has no name in the DNS.`
    return exists ? `${unicode} has ${recordCount} DNS records.` : `${unicode} does not exist.`
  },
}).run(async ({ dns, signal }, { domain: input, types: wanted }) => {
  const subject = parseSubject(input)
  if (!subject)
    throw new ToolError(
      'invalid_input',
      'domain: must be a domain name such as example.com, or an IP address.',
    )
  const types = parseRecordTypes(wanted, subject.ascii)
  const { resolvers, records: all, ...answer } = await lookUpDns(dns, subject.ascii, signal, types)
  const records: Partial<typeof all> = { ...all }
  for (const type of recordTypes) if (!types.includes(type)) delete records[type]
  const failureNotes = Object.entries(answer.errors).map(([type, code]) => ({
    code: 'type_failed',
    message: `The ${type} records are unknown: ${code}.`,
  }))
  return {
    domain: subject.ascii,
    ...answer,
    records,
    unicode: subject.unicode,
    address: subject.address,
    types: [...types],
    record_count: Object.values(records)
      .flat()
      .filter(record => record !== null).length,
    resolver: resolvers.join(', '),
    about: { sources: resolvers.map(resolver => `dns:${resolver}`), warnings: failureNotes },
    keepSec: minTtl(all),
  }
})
