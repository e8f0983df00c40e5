import { parse } from 'tldts'
import type { Ports } from '../../../ports/ports.ts'
import type { Candidate } from '../candidate/candidate.ts'
import type { RegistrySettings } from '../config.ts'
import { discoverCandidates, type Registry, registries } from './discover.ts'

export type ListingPorts = Pick<Ports, 'fetch' | 'cache' | 'clock'> & RegistrySettings

/** The registries' word on one address, whoever named it. */
export type Listings = { entries: Candidate[]; silent: Registry[] }

const keepers = { a2a: 'a2a_registry', mcp: 'mcp_registry', x402: 'x402_bazaar' } as const

/** Names in the MCP registry begin with the domain of their owner, turned around. */
const turnAround = (domain: string): string => domain.split('.').reverse().join('.')

/**
 * Asks the registries for the entries of an address, so that it is judged the same by address and as somebody's find. Only those of
 * its protocol, where that is known. Never throws.
 */
export const findListings = async (
  ports: ListingPorts,
  endpoint: string,
  { agent_card_url, protocol }: Pick<Candidate, 'agent_card_url' | 'protocol'>,
): Promise<Listings> => {
  const { host, hostname, pathname } = new URL(endpoint)
  const { domain, isIcann, isPrivate } = parse(hostname, { allowPrivateDomains: true })
  if (domain === null || !(isIcann || isPrivate)) return { entries: [], silent: [] }
  const questions: Record<Registry, string> = {
    a2a_registry: hostname,
    mcp_registry: turnAround(domain),
    x402_bazaar: `${host}${pathname === '/' ? '' : pathname}`,
  }
  const sources = protocol === null ? registries : [keepers[protocol]]
  const answers = await Promise.all(
    sources.map(async source => {
      try {
        return {
          source,
          found: (await discoverCandidates(ports, questions[source], [source])).value.candidates,
        }
      } catch {
        return { source, found: undefined }
      }
    }),
  )
  const isIt = (entry: Candidate) =>
    entry.interaction_url === endpoint ||
    (entry.interaction_url === null && agent_card_url !== null && entry.agent_card_url === agent_card_url)
  return {
    entries: answers.flatMap(({ found }) => found ?? []).filter(isIt),
    silent: answers.flatMap(({ source, found }) => (found ? [] : [source])),
  }
}
