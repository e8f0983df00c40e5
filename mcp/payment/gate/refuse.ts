import { type PaymentParts, PaymentRequired } from '../../kernel/error.ts'
import { toAccepted } from '../accept-payment.ts'
import type { Charge } from '../charge.ts'
import { type Dialect, mergeParts, type Unreadable } from '../dialect.ts'
import type { Offer, PaymentMethod, Refusal } from '../method.ts'
import type { People } from '../people.ts'
import type { Rates } from '../rates.ts'
import { offersFor, quoteFor } from './offers.ts'
import type { Quotes } from './quote.ts'

/** Texts for a refused payer, beside the reason itself. */
const refusalTexts: Readonly<Record<Refusal, string>> = {
  expired: 'The payment has expired. Sign a new one against these offers.',
  not_yet_valid: 'The payment is not valid yet. Send it again later, or sign one that is.',
  wrong_network: 'The payment is for a network that this call is not offered on.',
  wrong_asset: 'The payment is in an asset that is not offered.',
  wrong_recipient: 'The payment goes to somebody else.',
  too_little: 'The payment is less than the price.',
  too_much:
    'The payment is more than the price, which is exact. Sign one over the price, or over a quote that still holds.',
  insufficient_funds: 'The payer does not hold the amount.',
  balance_too_low: 'The balance is too low; nothing was charged.',
  limit_per_call: 'The call costs more than its client may spend on one; nothing was charged.',
  limit_per_day: 'The client has spent what it may in a day; nothing was charged.',
  limit_service: 'The client may not spend anything on this service; nothing was charged.',
  factory_not_allowed:
    'The smart account that pays is not deployed, and its factory is none that this server deploys from. Deploy the account first, or pay from another one.',
  invalid_signature: 'The signature of the payment is not that of its payer.',
  already_used: 'The authorization was used already.',
  unreadable: 'The payment cannot be read.',
  other_account:
    'The payment does not name the account that it is to be credited to. Nothing was moved. Pay over the quote that this call answers, sent back with the payment as it is (x402 version 2), or from the wallet of the account.',
  ambiguous_payment: 'Two different payments came with one call. Nothing was moved: send one of them.',
  settlement_failed: 'The payment could not be settled. Nothing was charged.',
}

type Deps = {
  methods: readonly PaymentMethod[]
  dialects: readonly Dialect[]
  quotes: Quotes
  rates: Rates
  people?: People | undefined
}

/** Details of a refusal beyond its reason: where a payment could not be read, or which limit a call is past. */
export type RefusalFacts = Partial<Unreadable> & { params?: Readonly<Record<string, unknown>> }

/** `0.10 USDC on Base, or 12 sat`: what can be paid, in the order of the methods. */
const inWords = (offers: readonly Offer[]): string =>
  `Pay ${[...new Set(offers.map(({ words }) => words))].join(', or ')}, and repeat the call.`

/** An offer of a book with what its caller has there. */
const withBalance = async (
  offer: Offer,
  methods: readonly PaymentMethod[],
  charge: Charge,
): Promise<Offer> => {
  const { balance } = charge.caller ?? {}
  const method =
    balance && methods.find(({ id, network }) => id === offer.method && network === offer.network)
  if (!balance || !method?.book) return offer
  const available = await method.book.available(balance.account)
  const words = `${method.toWords?.(offer.amount) ?? offer.amount} from your balance, which has ${available.words}`
  return { ...offer, words, extra: { ...offer.extra, available: available.amount } }
}

const methodPattern = /^Payment\s.*?\bmethod="([^"]*)".*?\bintent="([^"]*)"/i

/** The challenges that a client asks for in `Accept-Payment`, alone: some clients read the first line of any scheme. */
const withAccepted = (parts: PaymentParts, header: string | undefined): PaymentParts => {
  if (header === undefined || !parts.challenges) return parts
  const challenges = toAccepted(parts.challenges, header, line => {
    const [, method, intent] = methodPattern.exec(line) ?? []
    return method !== undefined && intent !== undefined ? { method, intent } : undefined
  })
  return { ...parts, challenges }
}

/** States the problem and the price of the call: a model that reads the sentence only knows both. */
const withPrice = (detail: string, offers: readonly Offer[]): string =>
  offers.length > 0 ? `${detail} ${inWords(offers)}` : detail

/**
 * The refusal of a call that must be paid: every offer, in every dialect. Its price is pinned to the call, but for a probe.
 * `reason` tells why a payment was not taken; `facts` what more there is to say of it.
 */
export const refuse = async (
  { methods, dialects, quotes, rates, people }: Deps,
  charge: Charge,
  reason?: Refusal,
  facts: RefusalFacts = {},
): Promise<PaymentRequired> => {
  const { request } = quoteFor(charge)
  const unbalanced = await offersFor(methods, charge, rates)
  const offers = await Promise.all(unbalanced.map(offer => withBalance(offer, methods, charge)))
  const pinned = request === null ? offers : offers.map(offer => quotes.pin(offer, request))
  const merged = mergeParts(dialects.map(dialect => dialect.ask(pinned, charge, reason)))
  const parts = withAccepted(merged, charge.evidence.headers['accept-payment'])
  const { reason: why, note } = charge.price
  if (!reason && why) {
    const { detail, ...more } = why
    return new PaymentRequired(parts, withPrice(detail, offers), more)
  }
  const invitation = charge.caller || charge.channel !== 'mcp' ? undefined : people?.invitation()
  if (!reason)
    return new PaymentRequired(parts, [inWords(offers), invitation].filter(Boolean).join(' '), note)
  const payment = { success: false, errorReason: reason, transaction: '', network: offers[0]?.network ?? '' }
  const { unreadable: where, detail: fault = refusalTexts[reason], params } = facts
  // What a limit forbids is no way to pay.
  const ways = reason.startsWith('limit_') ? offers.filter(({ kind }) => kind !== 'account') : offers
  const detail = withPrice(where === undefined ? fault : `${where}: ${fault}`, ways)
  const more = params && { params: { ...note?.params, ...params } }
  return new PaymentRequired(parts, detail, { ...note, ...more, reason, payment })
}
