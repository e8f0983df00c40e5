import type { Turn } from '../scheduler/port.ts'

export type DnsType =
  | 'A'
  | 'AAAA'
  | 'CAA'
  | 'CNAME'
  | 'DNSKEY'
  | 'DS'
  | 'HTTPS'
  | 'MX'
  | 'NS'
  | 'PTR'
  | 'SOA'
  | 'SRV'
  | 'TLSA'
  | 'TXT'

/** One resource record; `data` as the type has it: text, or an object such as `{ preference, exchange }` for MX. */
export type DnsRecord = { name: string; type: string; ttl: number; data: unknown }

export type DnsAnswer = {
  rcode: 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED' | (string & {})
  /** The resolver says that it validated the answer (the AD bit). */
  authentic: boolean
  /** Records of the asked type and the CNAMEs that led to them, in wire order. TXT chunks are joined. */
  records: DnsRecord[]
  authorities: DnsRecord[]
  transport: 'udp' | 'tcp' | 'https'
  /** The resolver that answered, `address:port` or a DoH URL. */
  resolver: string
}

export type Dns = {
  /** Asks the configured resolvers. Throws `upstream` when none answers in time; NXDOMAIN and SERVFAIL are answers. */
  query(name: string, type: DnsType, options?: { signal?: AbortSignal }): Promise<DnsAnswer>
  /** The same on behalf of one call: its client has a share of the questions under way. */
  forCall?(turn: Partial<Turn>): Dns
}
