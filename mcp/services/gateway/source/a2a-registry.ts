import { asList, asRecord, type JsonRecord } from '../../../lib/json.ts'
import { clean } from '../../../lib/text/clean.ts'
import type { Candidate } from '../candidate/candidate.ts'
import type { RegistryAnswer } from './fetch-registry.ts'
import { parseUrl, readWords } from './fields.ts'

/** The address that asks an A2A registry for a capability. */
export const a2aUrl = (base: string, capability: string, limit: number): string =>
  `${base}/agents?${new URLSearchParams({ search: capability, limit: String(limit) })}`

const readCardUrl = (agent: JsonRecord): string | null =>
  parseUrl(agent.wellKnownURI) ?? parseUrl(agent.well_known_uri) ?? parseUrl(agent.manifestUrl)

const toState = ({ is_healthy, visibility }: JsonRecord): Candidate['state'] => {
  if (visibility === 'revoked' || visibility === 'deleted') return 'deleted'
  return is_healthy === true ? 'active' : 'unknown'
}

/** The agents in a registry's answer; entries without any address are left out. */
export const fromA2aRegistry = ({ body, ...provenance }: RegistryAnswer): Candidate[] =>
  asList(asRecord(body).agents ?? asRecord(body).items ?? body).flatMap(entry => {
    const agent = asRecord(entry)
    const interaction_url = parseUrl(agent.url)
    const agent_card_url = readCardUrl(agent)
    const identifier = agent_card_url ?? interaction_url
    if (identifier === null) return []
    const skills = asList(agent.skills)
      .map(asRecord)
      .flatMap(({ name, tags }) => [...readWords([name]), ...readWords(tags)])
    return [
      {
        identifier,
        source: 'a2a_registry' as const,
        name: clean(agent.name ?? agent.displayName, 120) ?? new URL(identifier).hostname,
        external_id: null,
        description: clean(agent.description, 500),
        agent_card_url,
        interaction_url,
        protocol: 'a2a' as const,
        protocol_version: clean(agent.protocolVersion, 20),
        capabilities: [...new Set(skills)].slice(0, 32),
        membership: false,
        state: toState(agent),
        pay_to: null,
        price: null,
        terms_url: parseUrl(agent.termsUrl) ?? null,
        provenance,
      },
    ]
  })
