import { randomBytes } from 'node:crypto'
import type { Ports } from '../../../ports/index.ts'
import { readCard } from '../assess/card.ts'
import { evidenceOf, jsonOf, look } from '../assess/look.ts'
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
  /** To be kept as evidence. */
  probe: Probe
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

/** The card of a candidate, from where it says or from both well-known names. */
const cardOf = async (
  { fetch, clock }: Needs,
  { agent_card_url }: Candidate,
  origin: string,
  signal: AbortSignal,
) => {
  const addresses = agent_card_url === null ? wellKnown.map(path => origin + path) : [agent_card_url]
  for (const url of addresses) {
    const seen = await look(fetch, url, signal, clock.now())
    if (seen.fetched?.status === 200) return { seen, facts: readCard(jsonOf(seen), url) }
    if (seen.failure) return { seen, facts: undefined }
  }
  return undefined
}

/** Where the candidate is called over A2A: the JSON-RPC interface of its card, else its own address. */
const a2aUrl = (facts: ReturnType<typeof readCard> | undefined, candidate: Candidate): string | null => {
  const listed =
    typeof facts === 'object' ? facts.interfaces.find(({ binding }) => /jsonrpc/i.test(binding)) : undefined
  return listed?.url ?? (candidate.protocol === 'a2a' ? candidate.interaction_url : null)
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
  const isOpen = candidate.protocol === null
  const card =
    candidate.protocol === 'a2a' || isOpen ? await cardOf(ports, candidate, origin, signal) : undefined
  const agent = a2aUrl(card?.facts, candidate)
  const path = candidate.interaction_url
  const mcpUrl = candidate.protocol === 'mcp' || (isOpen && path?.endsWith('/mcp')) ? path : null
  const paidUrl = candidate.protocol === 'x402' || (isOpen && !agent && !mcpUrl) ? (path ?? target) : null
  const [a2a, mcp, x402] = await Promise.all([
    agent === null ? undefined : probeA2a(fetch, agent, nonce, signal),
    mcpUrl ? probeMcp(fetch, mcpUrl, nonce, signal) : undefined,
    paidUrl === null ? undefined : probeX402(fetch, clock, paidUrl, signal),
  ])
  const protocols = { ...(a2a && { a2a }), ...(mcp && { mcp }), ...(x402 && { x402 }) }
  const chosen = best(Object.values(protocols))
  const attempts = Object.values(protocols).flatMap(found => found.attempts)
  const status = chosen?.status ?? 'not_callable'
  const failure_class = chosen ? chosen.failure : 'no_result'
  const at = clock.now().toISOString()
  const evidence = card ? [evidenceOf(card.seen)] : []
  const proof_digest = digestOf(JSON.stringify({ target, nonce, status, attempts, evidence, at }))
  return {
    status,
    failure_class,
    protocols,
    attempts,
    proof_digest,
    probe: {
      id: `prb_${nonce}`,
      target,
      status,
      failure_class,
      proof_digest,
      card_digest: card?.seen.digest ?? null,
      pay_to: typeof x402?.detail.pay_to === 'string' ? x402.detail.pay_to : null,
      at,
    },
  }
}
