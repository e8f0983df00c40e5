import { ToolError } from '../../kernel/error.ts'
import type { Dns, DnsAnswer } from '../dns/port.ts'
import type { HostAddress } from './guard.ts'

const addressesIn = (answer: DnsAnswer, type: 'A' | 'AAAA'): HostAddress[] =>
  answer.records
    .filter(record => record.type === type)
    .map(record => ({ address: String(record.data), family: type === 'A' ? 4 : 6 }))

const isAnswer = (answer: DnsAnswer) => answer.rcode === 'NOERROR' || answer.rcode === 'NXDOMAIN'

/**
 * Resolves host names through our own DNS client, A and AAAA together; empty when the name has neither. Throws `upstream`
 * when the servers fail or stay silent, because then nobody knows.
 */
export const resolveWith =
  (dns: Dns) =>
  async (host: string): Promise<HostAddress[]> => {
    const results = await Promise.allSettled([dns.query(host, 'A'), dns.query(host, 'AAAA')])
    const [v4, v6] = results.map(result => (result.status === 'fulfilled' ? result.value : undefined))
    const addresses = [...(v4 ? addressesIn(v4, 'A') : []), ...(v6 ? addressesIn(v6, 'AAAA') : [])]
    if (addresses.length > 0 || (v4 && v6 && isAnswer(v4) && isAnswer(v6))) return addresses
    throw new ToolError(
      'upstream',
      `The DNS does not say where ${host} is: its servers fail or stay silent.`,
      {
        retryable: true,
        reason: 'dns_failed',
      },
    )
  }
