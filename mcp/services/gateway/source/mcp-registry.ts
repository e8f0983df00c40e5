import { asList, asRecord } from '../../../lib/json.ts'
import { clean } from '../../../lib/text/clean.ts'
import type { Candidate } from '../candidate/candidate.ts'
import type { RegistryAnswer } from './fetch-registry.ts'
import { parseUrl } from './fields.ts'

/** The address that asks an MCP registry (v0.1) for servers. */
export const mcpUrl = (base: string, capability: string, limit: number): string =>
  `${base}/v0.1/servers?${new URLSearchParams({ search: capability, limit: String(limit), version: 'latest' })}`

const official = 'io.modelcontextprotocol.registry/official'

const states = { active: 'active', deprecated: 'deprecated', deleted: 'deleted' } as const

const stateOf = (status: unknown): Candidate['state'] => states[status as keyof typeof states] ?? 'unknown'

/** The servers in a registry's answer that can be called over the network. */
export const fromMcpRegistry = ({ body, ...provenance }: RegistryAnswer): Candidate[] =>
  asList(asRecord(body).servers).flatMap(entry => {
    const { server, _meta } = asRecord(entry)
    const { name, description, version, title, remotes } = asRecord(server)
    const addresses = asList(remotes)
      .map(remote => asRecord(remote))
      .filter(({ type }) => type === 'streamable-http' || type === 'sse')
      .flatMap(({ url }) => parseUrl(url) ?? [])
    const { status } = asRecord(asRecord(_meta)[official])
    return [...new Set(addresses)].slice(0, 4).map(interaction_url => ({
      identifier: interaction_url,
      source: 'mcp_registry' as const,
      name: clean(title ?? name, 120) ?? new URL(interaction_url).hostname,
      external_id: null,
      description: clean(description, 500),
      agent_card_url: null,
      interaction_url,
      protocol: 'mcp' as const,
      protocol_version: clean(version, 40),
      capabilities: [],
      membership: false,
      state: stateOf(status),
      pay_to: null,
      price: null,
      terms_url: null,
      provenance,
    }))
  })

/** The servers that a registry's answer has under exactly this name. */
export const namedInMcpRegistry = (answer: RegistryAnswer, name: string): Candidate[] => {
  const servers = asList(asRecord(answer.body).servers)
  const named = servers.filter(entry => asRecord(asRecord(entry).server).name === name)
  return fromMcpRegistry({ ...answer, body: { servers: named } })
}
