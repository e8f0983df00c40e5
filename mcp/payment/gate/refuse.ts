import { PaymentRequired } from '../../kernel/error.ts'
import type { Charge } from '../charge.ts'
import { type Dialect, mergeParts, type Unreadable } from '../dialect.ts'
import type { Offer, PaymentMethod, Refusal } from '../method.ts'
import type { Rates } from '../rates.ts'
import { offersFor, quoteFor } from './offers.ts'
import type { Quotes } from './quote.ts'
import { refusalTexts } from './refusal.ts'

type Deps = { methods: readonly PaymentMethod[]; dialects: readonly Dialect[]; quotes: Quotes; rates: Rates }

/** `0.10 USDC on Base, or 12 sat`: what can be paid, in the order of the methods. */
const inWords = (offers: readonly Offer[]): string =>
  `Pay ${[...new Set(offers.map(({ words }) => words))].join(', or ')}, and repeat the call.`

/** What is the matter, and what the call costs: a model that reads the sentence only knows both. */
const withPrice = (detail: string, offers: readonly Offer[]): string =>
  offers.length > 0 ? `${detail} ${inWords(offers)}` : detail

/**
 * The refusal of a call that must be paid: every offer, in every dialect. Its price is pinned to the call, but for a probe.
 * `reason` tells why a payment was not taken; `unreadable` names one that could not be read.
 */
export const refuse = async (
  { methods, dialects, quotes, rates }: Deps,
  charge: Charge,
  reason?: Refusal,
  unreadable?: Unreadable,
): Promise<PaymentRequired> => {
  const { request } = quoteFor(charge)
  const offers = await offersFor(methods, charge, rates)
  const pinned = request === null ? offers : offers.map(offer => quotes.pin(offer, request))
  const parts = mergeParts(dialects.map(dialect => dialect.ask(pinned, charge, reason)))
  const { reason: why, note } = charge.price
  if (!reason && why) {
    const { detail, ...more } = why
    return new PaymentRequired(parts, withPrice(detail, offers), more)
  }
  if (!reason) return new PaymentRequired(parts, inWords(offers), note)
  const payment = { success: false, errorReason: reason, transaction: '', network: offers[0]?.network ?? '' }
  const { unreadable: where, detail: fault = refusalTexts[reason] } = unreadable ?? {}
  const detail = withPrice(where === undefined ? fault : `${where}: ${fault}`, offers)
  return new PaymentRequired(parts, detail, { ...note, reason, payment })
}
