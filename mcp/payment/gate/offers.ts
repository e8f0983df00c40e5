import { ToolError } from '../../kernel/error.ts'
import { canonicalAddress } from '../../lib/chain-address.ts'
import type { Charge } from '../charge.ts'
import type { AcceptedTerms, BookEntries, Offer, PaymentMethod, Quote } from '../method.ts'
import type { Rates } from '../rates.ts'
import { requestDigest } from './request.ts'
import { settleTime } from './settlement.ts'

/** The quote of a call as methods price it; a call without input is a probe. */
export const quoteFor = (charge: Charge): Quote => ({
  request: charge.input === undefined ? null : requestDigest(charge),
  price: charge.price,
  settle: settleTime(charge.tool) === 'before' ? 'before' : 'after',
  asker: charge.caller?.id ?? charge.sender?.address ?? '',
  client: charge.sender?.address ?? '',
  title: charge.tool.title,
})

/** The offers of a method among those that a call brings. */
const ownOffers = ({ id, network }: PaymentMethod, offers: readonly Offer[]): Offer[] =>
  offers.filter(offer => offer.method === id && offer.network === network)

/** True when a call may be paid from a book: from the balance of its caller, or, as a quote tells, from one that it could have. */
const isPrepaid = ({ unit }: BookEntries, { service, tool, caller }: Charge): boolean =>
  tool.prepaid !== false && unit === (caller?.balance ?? service.prepaid)?.unit

/** The methods that a call can be paid by. */
export const methodsFor = (methods: readonly PaymentMethod[], charge: Charge): PaymentMethod[] => {
  const { price, offers } = charge
  if (offers) return methods.filter(method => ownOffers(method, offers).length > 0)
  const { kind } = price.terms ?? {}
  return methods.filter(
    method =>
      (kind === undefined || kind === method.kind) &&
      method.takes(price) &&
      (method.book === undefined || isPrepaid(method.book, charge)),
  )
}

const sameText = (one: string, other: string): boolean => canonicalAddress(one) === canonicalAddress(other)

/** How much of an offer the terms of a payment name. */
const closeness = ({ asset, payTo, amount }: Offer, accepted: AcceptedTerms): number =>
  (sameText(asset, accepted.asset) ? 4 : 0) +
  (sameText(payTo, accepted.payTo) ? 2 : 0) +
  (amount === accepted.amount ? 1 : 0)

/** Of several offers of one method, the one that a payment means. */
const closest = (offers: readonly Offer[], accepted: AcceptedTerms | undefined): Offer | undefined => {
  if (!accepted) return offers[0]
  return [...offers].sort((one, other) => closeness(other, accepted) - closeness(one, accepted))[0]
}

/**
 * What a method offers for a call, or for a payment of it that names its terms. Throws `unavailable` when it cannot: in its
 * words, or in words that leak nothing.
 */
export const offerOn = async (
  method: PaymentMethod,
  charge: Charge,
  rates: Rates,
  accepted?: AcceptedTerms,
): Promise<Offer> => {
  const own = charge.offers && closest(ownOffers(method, charge.offers), accepted)
  if (own) return own
  try {
    return await method.offer(quoteFor(charge), rates)
  } catch (cause) {
    if (cause instanceof ToolError && cause.code === 'unavailable') throw cause
    throw new ToolError('unavailable', `Payments on ${method.name} cannot be taken right now.`, {
      cause,
      retryAfter: 10,
    })
  }
}

const noMethod = ({ tool, price }: Charge): ToolError =>
  new ToolError(
    'unavailable',
    `${tool.name} costs ${price.amount} ${price.unit}, and no way to pay that is configured here.`,
  )

/**
 * Every offer for a call. A method that cannot offer now is left out; only when none is left the call is `unavailable`, with
 * the reason of the first.
 */
export const offersFor = async (
  methods: readonly PaymentMethod[],
  charge: Charge,
  rates: Rates,
): Promise<Offer[]> => {
  const able = methodsFor(methods, charge)
  if (able.length === 0) throw noMethod(charge)
  const blocks = await Promise.all(able.map(method => method.blocked?.()))
  const open = able.filter((_, at) => blocks[at] === undefined)
  const { offers: brought } = charge
  if (brought && open.length > 0)
    return brought.filter(offer => open.some(method => ownOffers(method, [offer]).length > 0))
  const tried = await Promise.allSettled(open.map(method => offerOn(method, charge, rates)))
  const offers = tried.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  if (offers.length > 0) return offers
  const failure = tried.find(result => result.status === 'rejected')
  if (failure) throw failure.reason
  throw new ToolError('unavailable', `${charge.tool.name} cannot be paid right now: ${blocks.join(' ')}`, {
    retryAfter: 10,
  })
}
