import { type Listing, liveDays } from '../mcp/services/broker/listing.ts'
import { hashTerms, type Terms } from '../mcp/services/broker/terms.ts'

const terms: Terms = {
  price_micro: '12500000',
  currency: 'USD',
  quantity: 1,
  deliverables: ['One PDF a week'],
  acceptance_criteria: [],
  delivery_deadline_days: 7,
  license: null,
  refund: null,
  notes: null,
}
const terms_hash = hashTerms(terms)

/** Listing number `at` of a board: some 700 bytes of JSON with 30 words, of which one is its own. */
export const toListing = (at: number, postedAt: Date): Listing => ({
  id: `lst_${String(at).padStart(9, '0')}`,
  account: `acc_${at % 5000}`,
  handle: String(at % 5000).padStart(12, '0'),
  listing_type: at % 3 === 0 ? 'buy' : 'sell',
  state: 'live',
  title: `Weekly market briefing ${at}`,
  body: `Ten pages on agent markets, every ${at % 2 === 0 ? 'Monday' : 'Friday'}, with prices, volumes and what changed since the week before.`,
  category: at % 2 === 0 ? 'research' : 'data',
  terms,
  terms_hash,
  paid: true,
  created_at: new Date(postedAt.getTime() + at).toISOString(),
  expires_at: new Date(postedAt.getTime() + liveDays.paid * 86_400_000).toISOString(),
  deal: null,
})
