import { findUsdToken, toCaip2 } from '../../../lib/usd-tokens.ts'
import type { Assessment } from '../assess/assess.ts'
import { dollars } from '../assess/extras.ts'
import { computeMaxCost, pickDearest } from '../assess/payment.ts'
import type { Candidate } from './candidate.ts'

/** A candidate with what was read of it in place of what it was named by: card, address, protocol, payee, price and terms. */
export const asRead = ({ candidate, findings, offers }: Assessment): Candidate => {
  if (!findings) return candidate
  const { card, endpoint, protocol, quote, listings } = findings
  const facts = typeof card.facts === 'object' ? card.facts : undefined
  const offer = pickDearest(quote?.offers ?? [])
  const token = offer && findUsdToken(offer.network, offer.asset)
  const cost = computeMaxCost(findings)
  const entries = [candidate, ...listings]
  const listed = entries.map(({ price }) => price).find(price => price !== null) ?? null
  const price =
    cost === undefined || (offer && !token)
      ? null
      : offer && token
        ? { amount: dollars(cost), currency: token.symbol, network: toCaip2(offer.network) }
        : (listed ?? { amount: dollars(cost), currency: 'USD', network: null })
  return {
    ...candidate,
    name:
      candidate.source === 'address' ? (facts?.name ?? listings[0]?.name ?? candidate.name) : candidate.name,
    description:
      candidate.description ?? facts?.description ?? quote?.description ?? listings[0]?.description ?? null,
    agent_card_url: facts ? card.look.url : candidate.agent_card_url,
    interaction_url: endpoint,
    protocol: protocol ?? candidate.protocol,
    protocol_version:
      facts?.interfaces.find(({ url }) => url === endpoint)?.version ??
      (protocol === 'x402' && quote ? String(quote.version) : candidate.protocol_version),
    capabilities: offers.length > 0 ? offers : candidate.capabilities,
    pay_to:
      offer?.payTo ??
      entries.map(({ pay_to }) => pay_to).find(payee => payee !== null) ??
      facts?.payTo ??
      null,
    price,
    terms_url:
      facts?.termsUrl ?? entries.map(({ terms_url }) => terms_url).find(terms => terms !== null) ?? null,
  }
}
