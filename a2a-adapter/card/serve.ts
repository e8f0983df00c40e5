import type { World } from '../../mcp/kernel/call.ts'
import type { Request, Route } from '../../mcp/kernel/http.ts'
import { type Representation, sendRepresentation, toRepresentation } from '../../mcp/kernel/representation.ts'
import type { Service } from '../../mcp/kernel/service.ts'
import type { Ports } from '../../mcp/ports/ports.ts'
import { readVersion } from '../wire/version.ts'
import { cardFacts } from './facts.ts'
import { signedCards } from './sign.ts'
import { type AgentCard, card03, card10, supersetCard } from './views.ts'

/** All fields for everybody, or exactly A2A 1.0, or exactly 0.3. */
export type CardView = 'superset' | 'v1' | 'v03'

type CardSet = Record<CardView, Representation> & { base: string; at: Date }

const bytes = (card: AgentCard) => toRepresentation('application/json', JSON.stringify(card))

const build = async (world: World, service: Service): Promise<CardSet> => {
  const base = world.base(service)
  const facts = cardFacts(world, service)
  const { sign } = world.ports
  const cards = sign
    ? await signedCards(facts, sign, `${base}/.well-known/jwks.json`)
    : { superset: supersetCard(facts), v1: card10(facts), v03: card03(facts) }
  return {
    base,
    at: new Date(Math.floor(Date.now() / 1000) * 1000),
    superset: bytes(cards.superset),
    v1: bytes(cards.v1),
    v03: bytes(cards.v03),
  }
}

const requestedView = (req: Request): CardView | undefined => {
  const requestedVersion = readVersion(req)
  if (requestedVersion?.startsWith('1.')) return 'v1'
  return requestedVersion === '0.3' ? 'v03' : undefined
}

/**
 * Serves the card as bytes that are built once, at the first request, and again if the service's address changes.
 * `unasked` is for clients that name neither 1.x nor 0.3.
 */
export const cardHandler = (
  world: World,
  service: Service,
  defaultView: CardView = 'superset',
): Route['handle'] => {
  let cardSet: Promise<CardSet> | undefined
  const current = async (): Promise<CardSet> => {
    cardSet ??= build(world, service)
    const now = await cardSet
    if (now.base === world.base(service)) return now
    cardSet = build(world, service)
    return cardSet
  }
  return async (req, res) => {
    const cards = await current().catch((error: unknown) => {
      cardSet = undefined
      throw error
    })
    await sendRepresentation(req, res, cards[requestedView(req) ?? defaultView], {
      maxAge: 300,
      vary: 'A2A-Version',
      modified: cards.at,
      headers: { 'Access-Control-Allow-Origin': '*' },
    })
  }
}

/** Serves the public keys of signed cards (RFC 7517). */
export const jwksHandler =
  (sign: Ports['sign']): Route['handle'] =>
  async (_, res) => {
    const body = Buffer.from(JSON.stringify(await sign.jwks()))
    res.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      'Cache-Control': 'public, max-age=300',
      'Access-Control-Allow-Origin': '*',
    })
    res.end(body)
  }
