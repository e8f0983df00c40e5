import { randomBytes } from 'node:crypto'
import { cut } from '../../../lib/text/cut.ts'
import type { X402Quote } from '../../../lib/x402-wire.ts'
import type { Ports } from '../../../ports/ports.ts'
import { readAgentCard } from '../assess/card.ts'
import { isUnsafe as isUnsafeLook, type Look, look, parseLook, toEvidence } from '../assess/look.ts'
import type { Callability, FailureClass, Probe, Protocol } from '../callability/history.ts'
import type { Candidate } from '../candidate/candidate.ts'
import { computeDigest } from '../source/fetch-registry.ts'
import { type ProbeResult, probeA2a } from './probe-a2a.ts'
import { probeMcp } from './probe-mcp.ts'
import { probeX402 } from './probe-x402.ts'
import type { ProbeAttempt } from './send.ts'

export type ProbeReport = {
  status: Callability
  failure_class: FailureClass | null
  protocols: Partial<Record<Protocol, ProbeResult>>
  attempts: ProbeAttempt[]
  proof_digest: string
  /** To be kept as evidence: one per address that leads to what was probed. */
  probes: Probe[]
}

type ProbePorts = Pick<Ports, 'fetch' | 'clock'>

const order: readonly Callability[] = [
  'callable',
  'callable_with_payment',
  'callable_with_auth',
  'ambiguous',
  'not_callable',
]

const best = (results: readonly ProbeResult[]): ProbeResult | undefined =>
  [...results].sort((one, other) => order.indexOf(one.status) - order.indexOf(other.status))[0]

const wellKnown = ['/.well-known/agent-card.json', '/.well-known/agent.json']

type Card = { reading: Look; facts: ReturnType<typeof readAgentCard> | undefined }

/** The card of a candidate, from where it says or from both well-known names. */
const fetchCard = async (
  { fetch, clock }: ProbePorts,
  { agent_card_url }: Candidate,
  origin: string,
  signal: AbortSignal,
): Promise<Card | undefined> => {
  const addresses = agent_card_url === null ? wellKnown.map(path => origin + path) : [agent_card_url]
  for (const url of addresses) {
    const cardLook = await look(fetch, url, signal, clock.now())
    if (cardLook.fetched?.status === 200)
      return { reading: cardLook, facts: readAgentCard(parseLook(cardLook), url) }
    if (cardLook.failure) return { reading: cardLook, facts: undefined }
  }
  return undefined
}

/** The reading of a card as an attempt. */
const toAttempt = ({ reading: cardLook, facts }: Card, ms: number): ProbeAttempt => ({
  step: 'card',
  url: cardLook.url,
  status: cardLook.fetched?.status ?? null,
  ms,
  outcome: cut(typeof facts === 'string' ? facts : (cardLook.failure?.message ?? 'read'), 200),
  digest: cardLook.digest,
})

/** The candidate's address over A2A: the one that was said, else the JSON-RPC interface of its card. */
const a2aUrl = (facts: Card['facts'], { protocol, interaction_url }: Candidate): string | null => {
  if (protocol === 'a2a' && interaction_url !== null) return interaction_url
  const rpcInterfaces =
    typeof facts === 'object' ? facts.interfaces.filter(({ binding }) => /jsonrpc/i.test(binding)) : []
  return (rpcInterfaces.find(({ url }) => url === interaction_url) ?? rpcInterfaces[0])?.url ?? null
}

type ProbeResults = {
  a2a?: ProbeResult | undefined
  mcp?: ProbeResult | undefined
  x402?: ProbeResult | undefined
}

/** Picks the candidate's result: what was found at the very address that was named, else the best of all. */
const deciding = ({ a2a, mcp, x402 }: ProbeResults, isNamed: boolean): ProbeResult | undefined => {
  if (isNamed && x402 && x402.status !== 'ambiguous') return x402
  return best([a2a, mcp, x402].flatMap(result => result ?? []))
}

const maxKeptOffers = 10

/** A quote as it is kept: offers beyond these count as unread, so that no verdict covers them. */
const trimQuote = (quote: X402Quote): X402Quote => ({
  ...quote,
  offers: quote.offers.slice(0, maxKeptOffers),
  unread: quote.unread + Math.max(0, quote.offers.length - maxKeptOffers),
})

/** True when an address may speak another protocol than x402: it answered, and did not ask for credentials. */
const canSpeak = ({ status, failure }: ProbeResult): boolean =>
  status === 'ambiguous' ||
  (status === 'not_callable' && (failure === 'no_result' || failure === 'protocol_failure'))

/** Addresses that lead to what was probed, so that evidence is found by each of them. */
const findTargets = (candidate: Candidate, target: string, card: Card | undefined, agent: string | null) => {
  const { identifier, agent_card_url, protocol, interaction_url } = candidate
  const isAgent = protocol === 'a2a' || (protocol === null && interaction_url === null)
  const all = isAgent ? [target, identifier, agent_card_url, card?.reading.url ?? null, agent] : [target]
  return [...new Set(all.flatMap(one => (one !== null && /^https?:/.test(one) ? [one] : [])))]
}

/**
 * Calls a candidate as its protocols ask for, once each, with a nonce. This contacts a stranger: only after the caller has
 * authorized it. Nothing is paid.
 */
export const probe = async (
  ports: ProbePorts,
  candidate: Candidate,
  signal: AbortSignal,
): Promise<ProbeReport> => {
  const { fetch, clock } = ports
  const nonce = randomBytes(12).toString('hex')
  const target = candidate.interaction_url ?? candidate.agent_card_url ?? candidate.identifier
  const { origin } = new URL(target)
  const { protocol, interaction_url: path } = candidate
  const began = performance.now()
  const card =
    protocol === 'a2a' || protocol === null ? await fetchCard(ports, candidate, origin, signal) : undefined
  const cardAttempts = card ? [toAttempt(card, Math.round(performance.now() - began))] : []
  const agent = a2aUrl(card?.facts, candidate)
  const mcpUrl =
    protocol === 'mcp' || (protocol === null && path !== null && /\/(?:mcp|sse)\/?$/.test(path)) ? path : null
  const isNamed = protocol === null && path !== null && path !== agent && !mcpUrl
  const paidUrl =
    protocol === 'x402' || isNamed || (protocol === null && !agent && !mcpUrl) ? (path ?? target) : null
  const [a2a, named, x402] = await Promise.all([
    agent === null ? undefined : probeA2a(fetch, clock, agent, nonce, signal),
    mcpUrl ? probeMcp(fetch, clock, mcpUrl, nonce, signal) : undefined,
    paidUrl === null ? undefined : probeX402(fetch, clock, paidUrl, signal),
  ])
  // An address that says nothing of its protocol may be an MCP server at any path.
  const isOpen = protocol === null && !agent && x402 && !x402.quote && canSpeak(x402)
  const mcp = named ?? (isOpen && paidUrl ? await probeMcp(fetch, clock, paidUrl, nonce, signal) : undefined)
  const isMcp = mcp?.status.startsWith('callable') === true
  const protocols = { ...(a2a && { a2a }), ...(mcp && (named || isMcp) && { mcp }), ...(x402 && { x402 }) }
  const decidingResult = isMcp && !named ? mcp : deciding(protocols, isNamed)
  const attempts = [...cardAttempts, ...[a2a, x402, mcp].flatMap(result => result?.attempts ?? [])]
  const isUnsafe = card !== undefined && isUnsafeLook(card.reading)
  const status = isUnsafe ? 'not_callable' : (decidingResult?.status ?? 'not_callable')
  const failure_class = isUnsafe
    ? 'unsafe_destination'
    : decidingResult
      ? decidingResult.failure
      : 'no_result'
  const at = clock.now().toISOString()
  const evidence = card ? [toEvidence(card.reading)] : []
  const proof_digest = computeDigest(JSON.stringify({ target, nonce, status, attempts, evidence, at }))
  const quote = decidingResult?.quote ?? null
  const pay_to = quote?.offers[0]?.payTo ?? null
  const decided = Object.entries({ a2a, mcp, x402 }).find(([, result]) => result === decidingResult)?.[0]
  const card_digest = card?.reading.digest ?? null
  const targets = findTargets(candidate, target, card, agent)
  // Only the row of the address that is called holds what was read there.
  const endpoint = agent !== null && targets.includes(agent) ? agent : target
  const details = { quote: quote && trimQuote(quote), tools: decidingResult?.tools ?? null }
  const probes = targets.map((name, nth) => ({
    id: `prb_${nonce}_${nth}`,
    target: name,
    status,
    failure_class,
    proof_digest,
    card_digest,
    pay_to,
    at,
    protocol: decidingResult ? (decided as Protocol) : null,
    served: decidingResult?.served === true,
    ...(name === endpoint && details),
  }))
  return { status, failure_class, protocols, attempts, proof_digest, probes }
}
