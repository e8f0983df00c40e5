import type { Ports } from '../../../ports/ports.ts'
import { sha256 } from '../record/canonical.ts'
import { refuse } from './refusal.ts'
import type { Basis, ConsultTier } from './tiers.ts'

const type = 'forecast-quote+jwt'
const validSeconds = 3600

type Asked = { question: string; domain: string }

const hashAsked = ({ question, domain }: Asked): string =>
  sha256(JSON.stringify([question.normalize('NFC').replace(/\s+/g, ' ').trim(), domain]))

/** A quote that pins tier, basis and price of a question for an hour: signed, so that nothing has to be stored for it. */
export const makeQuote = (
  sign: Ports['sign'],
  asked: Asked,
  { tier, price, basis }: { tier: ConsultTier; price: string; basis: Basis | 'model' },
  now: Date,
): { quote_id: string; expires_at: string } => {
  const exp = Math.floor(now.getTime() / 1000) + validSeconds
  return {
    quote_id: sign.jws({ kind: type, asked: hashAsked(asked), tier, price, basis, exp }, type),
    expires_at: new Date(exp * 1000).toISOString(),
  }
}

/** Terms a quote pins. Throws `invalid_input` on `quote_id` for one that is not ours, over, or for something else. */
export const requireQuotedTerms = (
  sign: Ports['sign'],
  quoteId: string,
  asked: Asked,
  now: Date,
): { tier: ConsultTier; price: string; basis: Basis | 'model' } => {
  const claims = sign.open(quoteId)
  const again = 'Ask price_estimate again; it is free.'
  if (claims?.kind !== type) throw refuse('quote_id', 'is no quote of this service', 'unknown_quote', again)
  if (Number(claims.exp) * 1000 <= now.getTime())
    throw refuse('quote_id', 'has expired', 'quote_expired', again)
  if (claims.asked !== hashAsked(asked))
    throw refuse('quote_id', 'is for another question or domain', 'quote_mismatch', again)
  return {
    tier: claims.tier as ConsultTier,
    price: String(claims.price),
    basis: claims.basis as Basis | 'model',
  }
}
