import { isIP } from 'node:net'
import { getDomain } from 'tldts'
import type { Dns, DnsType } from '../../../ports/dns/port.ts'
import { findHost, leadsWith, type TechEvidence, toTechEvidence } from './evidence.ts'

/** DNS facts of a host. */
export type HostNames = { aliases: string[]; addresses: string[]; nameServers: string[] }

const maxNames = 20

const records = async (dns: Dns, name: string, type: DnsType, signal: AbortSignal) => {
  const answer = await dns.query(name, type, { signal }).catch(() => undefined)
  return answer?.records ?? []
}

const toName = (data: unknown) => String(data).toLowerCase().replace(/\.$/, '').slice(0, 253)

/** The aliases and addresses of a host and the name servers of its domain, as far as the DNS answers. */
export const lookUpNames = async (dns: Dns, host: string, signal: AbortSignal): Promise<HostNames> => {
  if (isIP(host.replace(/^\[|\]$/g, ''))) return { aliases: [], addresses: [], nameServers: [] }
  const [answers, servers] = await Promise.all([
    records(dns, host, 'A', signal),
    records(dns, getDomain(host) ?? host, 'NS', signal),
  ])
  const of = (all: typeof answers, type: string) =>
    all
      .filter(record => record.type === type)
      .map(({ data }) => toName(data))
      .slice(0, maxNames)
  return { aliases: of(answers, 'CNAME'), addresses: of(answers, 'A'), nameServers: of(servers, 'NS') }
}

/** Evidence from the names and addresses. */
export const inNames = ({ aliases, addresses, nameServers }: HostNames): TechEvidence[] => [
  ...aliases.flatMap(alias => findHost('cnames', alias).map(lead => toTechEvidence(lead, 'alias', alias))),
  ...leadsWith('addresses').flatMap(lead => {
    const address = addresses.find(address => lead.hints.addresses.includes(address))
    return address === undefined ? [] : [toTechEvidence(lead, 'address', address)]
  }),
  ...nameServers.flatMap(server =>
    findHost('ns', server).map(lead => toTechEvidence(lead, 'name server', server)),
  ),
]
