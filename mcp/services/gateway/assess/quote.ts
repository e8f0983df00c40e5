import { z } from 'zod'
import { toCaip2 } from '../../../lib/usd-tokens.ts'
import type { Offer } from '../../../lib/x402-wire.ts'
import { parseUrl } from '../source/fields.ts'
import type { Findings } from './gather.ts'
import { pickDearest } from './payment.ts'

/** One payment as a verdict allows it. */
export const QuoteOut = z.object({
  network: z.string().describe('CAIP-2 network'),
  asset: z.string().describe('Contract or mint of the token'),
  amount: z.string().describe('Atomic units'),
  pay_to: z.string().describe('Who is paid'),
  scheme: z.string().describe('x402 scheme; upto caps the amount'),
  resource: z.string().describe('What is paid for'),
})

export type QuoteOut = z.output<typeof QuoteOut>

/** An offer for a resource, as verdicts have it. */
export const toQuote = ({ network, asset, amount, payTo, scheme }: Offer, resource: string): QuoteOut => ({
  network: toCaip2(network),
  asset,
  amount,
  pay_to: payTo,
  scheme,
  resource,
})

/** Offers that may be paid: the dearest, by which the price is judged, and all of them. */
export const collectQuotes = (findings: Findings | null): { quote: QuoteOut | null; quotes: QuoteOut[] } => {
  const offers = findings?.quote?.offers ?? []
  const resource = parseUrl(findings?.quote?.resource) ?? findings?.endpoint ?? ''
  const dearest = pickDearest(offers)
  return {
    quote: dearest ? toQuote(dearest, resource) : null,
    quotes: offers.map(offer => toQuote(offer, resource)),
  }
}
