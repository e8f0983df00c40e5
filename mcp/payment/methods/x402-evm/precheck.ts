import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import type { Attempt, CatalogueListing, Offer, Refusal } from '../../method.ts'
import type { SignedAuthorization } from './authorization.ts'

const sameText = (one: unknown, other: string): boolean =>
  typeof one === 'string' && one.toLowerCase() === other.toLowerCase()

/** An authorization needs these seconds left, as facilitators ask: one that expires on its way only costs gas. */
const minSeconds = 6n

/** Finds faults in the terms of an authorization, whatever the time: past it, the money may still have moved. */
export const refusalOfTerms = (
  { network, accepted }: Attempt,
  authorization: SignedAuthorization,
  offer: Offer,
): Refusal | undefined => {
  if (!sameText(network, offer.network)) return 'wrong_network'
  if (accepted && !sameText(accepted.asset, offer.asset)) return 'wrong_asset'
  if (!sameText(authorization.to, offer.payTo)) return 'wrong_recipient'
  if (authorization.value < BigInt(offer.amount)) return 'too_little'
  return undefined
}

/** Finds faults that show without asking anybody. `now` is in seconds. */
export const precheck = (
  attempt: Attempt,
  authorization: SignedAuthorization,
  offer: Offer,
  now: bigint,
): Refusal | undefined => {
  const reason = refusalOfTerms(attempt, authorization, offer)
  if (reason) return reason
  // What arrived all the same counts as what it is: only a payment that has not moved is refused for this.
  if (authorization.value > BigInt(offer.amount)) return 'too_much'
  if (authorization.validBefore < now + minSeconds) return 'expired'
  return authorization.validAfter > now ? 'not_yet_valid' : undefined
}

/** The payload in our own words, so that nothing of what a client says of the offer reaches a facilitator. */
export const toFacilitatorRequest = (
  { from, to, value, validAfter, validBefore, nonce, signature }: SignedAuthorization,
  offer: Offer,
  listing?: CatalogueListing,
) => {
  const { network, asset, payTo, maxTimeoutSeconds, extra } = offer
  const terms = { network, asset, payTo, maxTimeoutSeconds, extra }
  const requirements = { scheme: 'exact', ...terms, amount: String(value) } as PaymentRequirements
  const times = { validAfter: String(validAfter), validBefore: String(validBefore) }
  const authorization = { from, to, value: String(value), ...times, nonce }
  const payload: PaymentPayload = {
    x402Version: 2,
    ...listing,
    accepted: requirements,
    payload: { authorization, signature },
  }
  return { payload, requirements }
}
