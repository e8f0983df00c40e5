import { getDomain } from 'tldts'
import { asRecord } from '../../../lib/json.ts'
import { clean } from '../../../lib/text/clean.ts'
import { parseQuote, type Quote } from '../../../lib/x402-wire.ts'
import type { Ports } from '../../../ports/index.ts'
import { loadProbes, type Probe } from '../callability/history.ts'
import type { Candidate } from '../candidate/candidate.ts'
import { type CardFacts, readCard } from './card.ts'
import { isUnsafe, type Look, look, parseLook } from './look.ts'

export type GatherPorts = Pick<Ports, 'fetch' | 'store' | 'clock' | 'cache'> & Partial<Pick<Ports, 'rdap'>>

/** All that was read about a candidate: looks, and what was made of them. */
export type Findings = {
  candidate: Candidate
  /** Where its evidence starts: the origin of its card or interface. */
  origin: string
  card: { look: Look; facts: CardFacts | string } | null
  service: Look | null
  quote: Quote | null
  manifest: Look
  probes: Probe[]
  /** When the domain was registered; null when nobody says. */
  domainCreated: string | null
  now: Date
}

const wellKnown = ['/.well-known/agent-card.json', '/.well-known/agent.json']

const mayBeCard = ({ fetched }: Look) => fetched?.status === 200

/** The card at the address that is told, else at both well-known names; the first look when there is none. */
const lookForCard = async (
  { fetch, clock }: GatherPorts,
  { agent_card_url }: Candidate,
  origin: string,
  signal: AbortSignal,
) => {
  const addresses = agent_card_url === null ? wellKnown.map(path => origin + path) : [agent_card_url]
  let first: Look | undefined
  for (const url of addresses) {
    const candidateLook = await look(fetch, url, signal, clock.now())
    if (mayBeCard(candidateLook) || isUnsafe(candidateLook)) return candidateLook
    first ??= candidateLook
  }
  return first as Look
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

/**
 * Reads everything about a candidate at once, within the time of `signal`: card, its service's answer to an unpaid GET, its
 * x402 manifest, our own probes and the age of its domain. GET only; nothing is executed or paid.
 */
export const gather = async (
  ports: GatherPorts,
  candidate: Candidate,
  signal: AbortSignal,
): Promise<Findings> => {
  const { fetch, clock, store } = ports
  const at = candidate.interaction_url ?? candidate.agent_card_url ?? candidate.identifier
  const { origin, hostname } = new URL(at)
  const isAgent = candidate.protocol === 'a2a' || candidate.protocol === null
  const isResource = candidate.protocol === 'x402' || candidate.protocol === null
  const serviceUrl = candidate.interaction_url ?? (isResource ? at : null)
  const [cardLook, service, manifest, probes, domainCreated] = await Promise.all([
    isAgent ? lookForCard(ports, candidate, origin, signal) : null,
    serviceUrl === null ? null : look(fetch, serviceUrl, signal, clock.now()),
    look(fetch, `${origin}/.well-known/x402`, signal, clock.now()),
    loadProbes(store, at),
    lookUpCreation(ports, hostname, signal),
  ])
  const now = clock.now()
  const card = cardLook && { look: cardLook, facts: readCard(parseLook(cardLook), cardLook.url) }
  const quote = (service?.fetched && parseQuote(service.fetched, now)) ?? null
  return { candidate, origin, card, service, quote, manifest, probes, domainCreated, now }
}

/** The payee and terms that a manifest names. */
export const manifestFacts = (manifest: Look): { payTo: string | null; termsUrl: string | null } => {
  const { payTo, termsUrl } = asRecord(parseLook(manifest))
  return {
    payTo: clean(payTo, 120),
    termsUrl: clean(termsUrl, 200),
  }
}
