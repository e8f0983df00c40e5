import { asList, asRecord, type JsonRecord } from '../../../lib/json.ts'
import { clean } from '../../../lib/text/clean.ts'
import type { Candidate } from '../candidate/candidate.ts'
import { fromBazaar } from './bazaar.ts'
import type { RegistryAnswer } from './fetch-registry.ts'
import { parseUrl } from './fields.ts'
import { fromMcpRegistry } from './mcp-registry.ts'

type Named = Pick<Candidate, 'agent_card_url' | 'interaction_url' | 'protocol'> & {
  name: unknown
  description?: unknown
}

type Provenance = Candidate['provenance']

const toCandidate = (provenance: Provenance, { name, description, ...where }: Named): Candidate[] => {
  const identifier = where.agent_card_url ?? where.interaction_url
  if (identifier === null) return []
  return [
    {
      identifier,
      source: 'address',
      name: clean(name, 120) ?? new URL(identifier).hostname,
      external_id: null,
      description: clean(description, 500),
      ...where,
      protocol_version: null,
      capabilities: [],
      membership: false,
      state: 'unknown',
      pay_to: null,
      price: null,
      terms_url: null,
      provenance,
    },
  ]
}

const isCard = (url: string | null): url is string => url !== null && /\/agent(?:-card)?\.json$/.test(url)

/** The APIs of a catalogue that are agents, by the card among their documents, or MCP servers (RFC 9727, RFC 9264). */
const fromCatalogue = (linkset: JsonRecord[], provenance: Provenance): Candidate[] => {
  const titles = new Map(
    linkset
      .flatMap(({ item }) => asList(item).map(asRecord))
      .map(({ href, title }) => [parseUrl(href), title]),
  )
  return linkset.flatMap(({ anchor, ...links }) => {
    const api = parseUrl(anchor)
    const card = Object.values(links)
      .flatMap(targets => asList(targets))
      .map(target => parseUrl(asRecord(target).href))
      .find(isCard)
    const isMcp = api !== null && /\/mcp\/?$/.test(new URL(api).pathname)
    return toCandidate(provenance, {
      name: titles.get(api),
      agent_card_url: card ?? null,
      interaction_url: isMcp && !card ? api : null,
      protocol: card ? 'a2a' : 'mcp',
    })
  })
}

/** The services of a registration file that are called as agents or as MCP servers (ERC-8004). */
const fromRegistration = ({ name, description, services }: JsonRecord, provenance: Provenance): Candidate[] =>
  asList(services)
    .map(asRecord)
    .flatMap(({ name: kind, endpoint }) => {
      const url = parseUrl(endpoint)
      const isAgent = kind === 'A2A'
      if (!isAgent && kind !== 'MCP') return []
      return toCandidate(provenance, {
        name,
        description,
        agent_card_url: isAgent ? url : null,
        interaction_url: isAgent ? null : url,
        protocol: isAgent ? 'a2a' : 'mcp',
      })
    })

/** A manifest of one host, whose resources have a `url` and a title, as a list of a catalogue; templates name nothing to call. */
const fromManifest = ({ resources }: JsonRecord): JsonRecord => ({
  items: asList(resources)
    .map(asRecord)
    .filter(({ url }) => typeof url !== 'string' || !url.includes('{'))
    .map(({ url, title, ...resource }) => ({ resource: url, serviceName: title, ...resource })),
})

/** True when an address is that of a document which names others: of RFC 9727, MCP, ERC-8004 or x402. */
export const isDiscoveryDocument = (pathname: string): boolean =>
  /\/(?:\.well-known\/(?:api-catalog|agent-registration\.json|x402)|server\.json|discovery\/resources)$/.test(
    pathname,
  )

/** Whom a document of discovery names, by what it is; nobody where it is none. */
export const fromDocument = (answer: RegistryAnswer): Candidate[] => {
  const { body, ...provenance } = answer
  const document = asRecord(body)
  const { linkset, remotes, services, resources } = document
  if (Array.isArray(linkset)) return fromCatalogue(linkset.map(asRecord), provenance)
  if (Array.isArray(services)) return fromRegistration(document, provenance)
  const found = Array.isArray(remotes)
    ? fromMcpRegistry({ ...answer, body: { servers: [{ server: document }] } })
    : fromBazaar({ ...answer, body: Array.isArray(resources) ? fromManifest(document) : body })
  return found.map(candidate => ({ ...candidate, source: 'address', state: 'unknown' }))
}
