import { getDomain } from 'tldts'
import { asList, asRecord } from '../../../lib/json.ts'
import { clean } from '../../../lib/text/clean.ts'
import { dayMs } from '../../../lib/time.ts'
import { parseQuote, type X402Quote } from '../../../lib/x402-wire.ts'
import type { Ports } from '../../../ports/ports.ts'
import { loadProbes, type Probe, type Protocol, type ToolList } from '../callability/history.ts'
import type { Candidate } from '../candidate/candidate.ts'
import type { Check } from '../check/check.ts'
import { type Execution, loadOutcomes } from '../execution/execution.ts'
import { findListings, type ListingPorts } from '../source/listing.ts'
import { type CandidateCardFacts, readAgentCard } from './card.ts'
import { isUnsafe, type Look, look, parseLook, toEvidence } from './look.ts'

export type GatherPorts = Pick<Ports, 'fetch' | 'store' | 'clock' | 'cache'> &
  Partial<Pick<Ports, 'rdap'>> &
  ListingPorts

/** All that was read about a candidate: looks, and what was made of them. */
export type Findings = {
  candidate: Candidate
  /** Address it is called at, however it was named. */
  endpoint: string
  protocol: Protocol | null
  card: { look: Look; facts: CandidateCardFacts | string }
  service: Look
  /** The quote of an unpaid GET, else of our probe of the last 24 hours. */
  quote: X402Quote | null
  quoteEvidence: Check['evidence']
  manifest: Look
  /** Entries of the registries for the same address. */
  listings: Candidate[]
  isListingSilent: boolean
  /** The newest first. */
  probes: Probe[]
  /** Results of its paid calls, one of each payer. */
  outcomes: Execution[]
  /** The newest probe of the last 24 hours. */
  recent: Probe | undefined
  tools: ToolList | null
  /** When the domain was registered; null when nobody says. */
  domainCreated: string | null
  now: Date
}

const wellKnown = ['/.well-known/agent-card.json', '/.well-known/agent.json']
const mayBeCard = ({ fetched }: Look) => fetched?.status === 200

/** Milliseconds that the card may take where all the rest waits for it. */
const cardMs = 3500

/** The card at the address that is named, else at both well-known names; the first look when there is none. */
const lookForCard = async (
  { fetch, clock }: GatherPorts,
  { agent_card_url }: Candidate,
  origin: string,
  signal: AbortSignal,
): Promise<Look> => {
  const [first = '', ...rest] =
    agent_card_url === null ? wellKnown.map(path => origin + path) : [agent_card_url]
  const firstLook = await look(fetch, first, signal, clock.now())
  if (mayBeCard(firstLook) || isUnsafe(firstLook)) return firstLook
  for (const url of rest) {
    const other = await look(fetch, url, signal, clock.now())
    if (mayBeCard(other) || isUnsafe(other)) return other
  }
  return firstLook
}

const lookUpCreation = async (
  { rdap, cache }: GatherPorts,
  host: string,
  signal: AbortSignal,
): Promise<string | null> => {
  const domain = getDomain(host)
  if (!rdap || !domain) return null
  try {
    const { value } = await cache.take(`gateway domain ${domain}`, async () => {
      const { created } = await rdap.domain(domain, { signal })
      return { value: created?.at ?? null, seconds: 86_400 }
    })
    return value
  } catch {
    return null
  }
}

/** Our probes of an address under every name that it has, the newest first. */
const loadAllProbes = async (store: GatherPorts['store'], names: readonly string[]): Promise<Probe[]> => {
  const rows = await Promise.all([...new Set(names)].map(name => loadProbes(store, name)))
  // The row of the first name holds the details.
  const byProof = new Map(
    rows
      .flat()
      .reverse()
      .map(probe => [`${probe.proof_digest} ${probe.at}`, probe]),
  )
  return [...byProof.values()].sort((one, other) => (one.at < other.at ? 1 : -1))
}

/** Picks its address: over JSON-RPC, else by the first interface of its card. */
const pickInterface = (facts: CandidateCardFacts | string): string | undefined => {
  if (typeof facts === 'string') return undefined
  const { interfaces } = facts
  return (interfaces.find(({ binding }) => /jsonrpc/i.test(binding)) ?? interfaces[0])?.url
}

const isMcpPath = (endpoint: string): boolean => /\/(?:mcp|sse)\/?$/.test(new URL(endpoint).pathname)

type Clues = Pick<Findings, 'candidate' | 'endpoint' | 'card' | 'quote' | 'listings' | 'recent'>

const findProtocol = ({ candidate, endpoint, card, quote, listings, recent }: Clues): Protocol | null => {
  const { facts } = card
  const own = typeof facts === 'object' ? facts.interfaces.find(({ url }) => url === endpoint) : undefined
  if (own && !/mcp|streamable/i.test(own.binding)) return 'a2a'
  if (own) return 'mcp'
  const listed = listings.map(({ protocol }) => protocol).find(protocol => protocol !== null)
  const protocol = candidate.protocol ?? listed ?? recent?.protocol
  if (protocol) return protocol
  if (quote) return 'x402'
  return isMcpPath(endpoint) ? 'mcp' : null
}

/**
 * Reads everything about a candidate, within the time of `signal`: its card, the answer of its endpoint to an unpaid GET, its x402
 * manifest, its entries in the registries, our own probes and the age of its domain. GET only; nothing is executed or paid.
 */
export const gatherCandidate = async (
  ports: GatherPorts,
  candidate: Candidate,
  signal: AbortSignal,
): Promise<Findings> => {
  const { fetch, clock, store } = ports
  const at = candidate.interaction_url ?? candidate.agent_card_url ?? candidate.identifier
  const visit = (url: string) => look(fetch, url, signal, clock.now())
  const readRest = async (endpoint: string) => {
    const { origin, hostname } = new URL(endpoint)
    const [service, manifest, listed, probes, outcomes, domainCreated] = await Promise.all([
      visit(endpoint),
      visit(`${origin}/.well-known/x402`),
      findListings(ports, endpoint, candidate),
      loadAllProbes(store, [endpoint, at]),
      loadOutcomes(store, endpoint, clock.now()),
      lookUpCreation(ports, hostname, signal),
    ])
    return { endpoint, service, manifest, listed, probes, outcomes, domainCreated }
  }
  const { interaction_url: named } = candidate
  const { origin } = new URL(at)
  const toCard = (seen: Look) => ({ look: seen, facts: readAgentCard(parseLook(seen), seen.url) })
  const cardFirst = async () => {
    const within = AbortSignal.any([signal, AbortSignal.timeout(cardMs)])
    const card = toCard(await lookForCard(ports, candidate, origin, within))
    return [card, await readRest(pickInterface(card.facts) ?? at)] as const
  }
  const [card, others] =
    named === null
      ? await cardFirst()
      : await Promise.all([lookForCard(ports, candidate, origin, signal).then(toCard), readRest(named)])
  const { endpoint, service, manifest, listed, probes, outcomes, domainCreated } = others
  const now = clock.now()
  const recent = probes.find(probe => now.getTime() - Date.parse(probe.at) <= dayMs)
  const live = service.fetched ? parseQuote(service.fetched, now) : undefined
  const quote = live ?? recent?.quote ?? null
  const quoteEvidence =
    live || !recent?.quote
      ? [toEvidence(service)]
      : [{ url: recent.target, observed_at: recent.at, digest: recent.proof_digest }]
  const clues = { candidate, endpoint, card, quote, listings: listed.entries, recent }
  return {
    ...clues,
    protocol: findProtocol(clues),
    service,
    quoteEvidence,
    manifest,
    isListingSilent: listed.silent.length > 0,
    probes,
    outcomes,
    tools: recent?.tools ?? null,
    domainCreated,
    now,
  }
}

/** The payee, the terms and the licence that a manifest names, and whether it sells anything. */
export const manifestFacts = (manifest: Look) => {
  const { payTo, termsUrl, license, resources } = asRecord(parseLook(manifest))
  return {
    payTo: clean(payTo, 120),
    termsUrl: clean(termsUrl, 200),
    license: clean(license, 200),
    isSelling: manifest.fetched?.status === 200 && asList(resources).length > 0,
  }
}
