import type { Offer, Rail, Refusal } from '../rail.ts'
import type { Bench, Flight } from './flight.ts'
import { offerOn, railsFor } from './required.ts'

/** Hexadecimal addresses are the same in any case; others are not. */
const same = (one: string, other: string): boolean =>
  one === other || (/^0x/i.test(one) && one.toLowerCase() === other.toLowerCase())

const isOffered = (rails: readonly Rail[], rail: Rail): boolean => rails.includes(rail)

/**
 * The offer that a payload takes: ours as it stands now, or with the price that a quote of ours still holds for this
 * call. What the payload says of itself is only compared; the rail checks what was signed.
 */
export const matching = async (
  { rails, quotes }: Pick<Bench, 'rails' | 'quotes'>,
  { charge, payload, rail, request }: Pick<Flight, 'charge' | 'payload' | 'rail' | 'request'>,
): Promise<{ offer: Offer } | { reason: Refusal }> => {
  if (!isOffered(railsFor(rails, charge.price), rail)) return { reason: 'wrong_network' }
  const offer = await offerOn(rail, charge)
  const { accepted } = payload
  if (!same(accepted.asset, offer.asset)) return { reason: 'wrong_asset' }
  if (!same(accepted.payTo, offer.payTo)) return { reason: 'wrong_recipient' }
  if (quotes.holds({ ...accepted, asset: offer.asset, payTo: offer.payTo }, request))
    return { offer: { ...offer, amount: accepted.amount } }
  if (BigInt(accepted.amount) < BigInt(offer.amount)) return { reason: 'too_little' }
  if (BigInt(accepted.amount) > BigInt(offer.amount)) return { reason: 'expired' }
  return { offer }
}
