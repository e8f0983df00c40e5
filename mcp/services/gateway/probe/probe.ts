import { randomBytes } from 'node:crypto'
import { cut } from '../../../lib/text/cut.ts'
import type { Ports } from '../../../ports/index.ts'
import { readCard } from '../assess/card.ts'
import { evidenceOf, isUnsafe as isUnsafeLook, jsonOf, type Look, look } from '../assess/look.ts'
import type { Callability, FailureClass, Probe } from '../callability/history.ts'
import type { Candidate } from '../candidate/candidate.ts'
import { digestOf } from '../source/ask.ts'
import { type Found, probeA2a } from './probe-a2a.ts'
import { probeMcp } from './probe-mcp.ts'
import { probeX402 } from './probe-x402.ts'
import type { Attempt } from './send.ts'

export type Protocol = 'a2a' | 'mcp' | 'x402'

export type Probed = {
  status: Callability
  failure_class: FailureClass | null
  protocols: Partial<Record<Protocol, Found>>
  attempts: Attempt[]
  proof_digest: string
  /** To be kept as evidence: one per address that leads to what was probed. */
  probes: Probe[]
}

type Needs = Pick<Ports, 'fetch' | 'clock'>

const order: readonly Callability[] = [
  'callable',
  'callable_with_payment',
  'callable_with_auth',
  'ambiguous',
  'not_callable',
]

const best = (found: readonly Found[]): Found | undefined =>
  [...found].sort((one, other) => order.indexOf(one.status) - order.indexOf(other.status))[0]

const wellKnown = ['/.well-known/agent-card.json', '/.well-known/agent.json']

type Card = { seen: Look; facts: ReturnType<typeof readCard> | undefined }

/** The card of a candidate, from where it says or from both well-known names. */
const cardOf = async (
  { fetch, clock }: Needs,
  { agent_card_url }: Candidate,
  origin: string,
  signal: AbortSignal,
): Promise<Card | undefined> => {
  const addresses = agent_card_url === null ? wellKnown.map(path => origin + path) : [agent_card_url]
  for (const url of addresses) {
    const seen = await look(fetch, url, signal, clock.now())
    if (seen.fetched?.status === 200) return { seen, facts: readCard(jsonOf(seen), url) }
    if (seen.failure) return { seen, facts: undefined }
  }
  return undefined
}

/** The reading of a card as an attempt. */
const attemptOf = ({ seen, facts }: Card, ms: number): Attempt => ({
  step: 'card',
  url: seen.url,
  status: seen.fetched?.status ?? null,
  ms,
  outcome: cut(typeof facts === 'string' ? facts : (seen.failure?.message ?? 'read'), 200),
  digest: seen.digest,
})

/** Where the candidate is called over A2A: where it was said, else the JSON-RPC interface of its card. */
const a2aUrl = (facts: Card['facts'], { protocol, interaction_url }: Candidate): string | null => {
  if (protocol === 'a2a' && interaction_url !== null) return interaction_url
  const listed =
    typeof facts === 'object' ? facts.interfaces.filter(({ binding }) => /jsonrpc/i.test(binding)) : []
  return (listed.find(({ url }) => url === interaction_url) ?? listed[0])?.url ?? null
}

type Founds = { a2a?: Found | undefined; mcp?: Found | undefined; x402?: Found | undefined }

/** What counts for the candidate: what was found at the very address that was named, else the best of all. */
const deciding = ({ a2a, mcp, x402 }: Founds, isNamed: boolean): Found | undefined => {
  if (isNamed && x402 && x402.status !== 'ambiguous') return x402
  return best([a2a, mcp, x402].flatMap(found => found ?? []))
}

/** Addresses that lead to what was probed, so that evidence is found by each of them. */
const targetsOf = (candidate: Candidate, target: string, card: Card | undefined, agent: string | null) => {
  const { identifier, agent_card_url, protocol, interaction_url } = candidate
  const isAgent = protocol === 'a2a' || (protocol === null && interaction_url === null)
  const all = isAgent ? [target, identifier, agent_card_url, card?.seen.url ?? null, agent] : [target]
  return [...new Set(all.flatMap(one => (one !== null && /^https?:/.test(one) ? [one] : [])))]
}

/**
 * Calls a candidate as its protocols ask for, once each, with a nonce. This contacts a stranger: only after the caller has
 * authorized it. Nothing is paid.
 */
export const probe = async (ports: Needs, candidate: Candidate, signal: AbortSignal): Promise<Probed> => {
  const { fetch, clock } = ports
  const nonce = randomBytes(12).toString('hex')
  const target = candidate.interaction_url ?? candidate.agent_card_url ?? candidate.identifier
  const { origin } = new URL(target)
  const { protocol, interaction_url: path } = candidate
  const began = performance.now()
  const card =
    protocol === 'a2a' || protocol === null ? await cardOf(ports, candidate, origin, signal) : undefined
  const read = card ? [attemptOf(card, Math.round(performance.now() - began))] : []
  const agent = a2aUrl(card?.facts, candidate)
  const mcpUrl = protocol === 'mcp' || (protocol === null && path?.endsWith('/mcp')) ? path : null
  const isNamed = protocol === null && path !== null && path !== agent && !mcpUrl
  const paidUrl =
    protocol === 'x402' || isNamed || (protocol === null && !agent && !mcpUrl) ? (path ?? target) : null
  const [a2a, mcp, x402] = await Promise.all([
    agent === null ? undefined : probeA2a(fetch, agent, nonce, signal),
    mcpUrl ? probeMcp(fetch, mcpUrl, nonce, signal) : undefined,
    paidUrl === null ? undefined : probeX402(fetch, clock, paidUrl, signal),
  ])
  const protocols = { ...(a2a && { a2a }), ...(mcp && { mcp }), ...(x402 && { x402 }) }
  const chosen = deciding(protocols, isNamed)
  const attempts = [...read, ...Object.values(protocols).flatMap(found => found.attempts)]
  const isUnsafe = card !== undefined && isUnsafeLook(card.seen)
  const status = isUnsafe ? 'not_callable' : (chosen?.status ?? 'not_callable')
  const failure_class = isUnsafe ? 'unsafe_destination' : chosen ? chosen.failure : 'no_result'
  const at = clock.now().toISOString()
  const evidence = card ? [evidenceOf(card.seen)] : []
  const proof_digest = digestOf(JSON.stringify({ target, nonce, status, attempts, evidence, at }))
  const pay_to = typeof x402?.detail.pay_to === 'string' ? x402.detail.pay_to : null
  const card_digest = card?.seen.digest ?? null
  const probes = targetsOf(candidate, target, card, agent).map((target, nth) => ({
    id: `prb_${nonce}_${nth}`,
    ...{ target, status, failure_class, proof_digest, card_digest, pay_to, at },
  }))
  return { status, failure_class, protocols, attempts, proof_digest, probes }
}
