import { ToolError, toToolError } from '../../../kernel/error.ts'
import { isLoopbackName } from '../../../lib/loopback.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Candidate } from '../candidate/candidate.ts'
import type { RegistrySettings } from '../config.ts'
import { a2aUrl, fromA2aRegistry } from './a2a-registry.ts'
import { bazaarUrl, fromBazaar } from './bazaar.ts'
import { fetchRegistry, type RegistryAnswer } from './fetch-registry.ts'
import { fromMcpRegistry, mcpUrl } from './mcp-registry.ts'

export const registries = ['a2a_registry', 'mcp_registry', 'x402_bazaar'] as const
export type Registry = (typeof registries)[number]

/** How one source answered. */
export type SourceState = { source: Registry; ok: boolean; url: string; count: number; error: string | null }

export type RegistryDiscovery = { candidates: Candidate[]; states: SourceState[] }

type DiscoverPorts = Pick<Ports, 'fetch' | 'cache' | 'clock'> &
  RegistrySettings & {
    /** Address of the service. On this machine the installation is a registry of itself where another does not answer. */
    base?: string
  }

/** Candidates that one source may name. */
const each = 10

const readers: Record<
  Registry,
  { url: typeof a2aUrl; read(answer: RegistryAnswer): Candidate[]; at: keyof RegistrySettings }
> = {
  a2a_registry: { url: a2aUrl, read: fromA2aRegistry, at: 'a2aRegistry' },
  mcp_registry: { url: mcpUrl, read: fromMcpRegistry, at: 'mcpRegistry' },
  x402_bazaar: { url: bazaarUrl, read: fromBazaar, at: 'x402Bazaar' },
}

const askAt = async (
  { fetch, clock }: DiscoverPorts,
  source: Registry,
  registry: string,
  capability: string,
  signal: AbortSignal,
) => {
  const { url: toUrl, read } = readers[source]
  const url = toUrl(registry, capability, each)
  try {
    const candidates = read(await fetchRegistry(fetch, url, signal, clock.now())).slice(0, each)
    return { candidates, state: { source, ok: true, url, count: candidates.length, error: null } }
  } catch (cause) {
    const error = toToolError(cause).message
    return { candidates: [], state: { source, ok: false, url, count: 0, error } }
  }
}

const askOne = async (ports: DiscoverPorts, source: Registry, capability: string, signal: AbortSignal) => {
  const { origin, hostname } = new URL(ports.base ?? ports[readers[source].at])
  const named = askAt(ports, source, ports[readers[source].at], capability, signal)
  if (!isLoopbackName(hostname)) return named
  const own = askAt(ports, source, `${origin}/discovery`, capability, signal)
  const answer = await named
  const ownAnswer = await own
  return answer.state.ok || !ownAnswer.state.ok ? answer : ownAnswer
}

/** Seconds that what the registries said is kept: shorter when one of them was silent. */
const cacheSeconds = { whole: 600, partial: 30 }

/**
 * Asks the public registries for a capability, all at once. One that is down leaves the others; throws `upstream` when all
 * are. What they say is kept for 10 minutes.
 */
export const discoverCandidates = async (
  ports: DiscoverPorts,
  capability: string,
  sources: readonly Registry[] = registries,
) => {
  const key = `gateway discover ${[...sources].sort().join()} ${capability}`
  return ports.cache.take(key, async () => {
    const signal = AbortSignal.timeout(6000)
    const answers = await Promise.all(sources.map(source => askOne(ports, source, capability, signal)))
    const states = answers.map(({ state }) => state)
    const up = states.filter(({ ok }) => ok).length
    if (up === 0)
      throw new ToolError('upstream', `No registry answered: ${states.map(({ error }) => error).join(' ')}`)
    const value: RegistryDiscovery = { candidates: answers.flatMap(({ candidates }) => candidates), states }
    return { value, seconds: up === states.length ? cacheSeconds.whole : cacheSeconds.partial }
  })
}
