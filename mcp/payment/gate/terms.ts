import type { AcceptedTerms, Offer, Refusal } from '../method.ts'
import type { PaymentRun } from './payment-run.ts'

const sameText = (one: string, other: string): boolean =>
  one === other || (/^0x/i.test(one) && one.toLowerCase() === other.toLowerCase())

/** Extra of an offer beside its price that a quote of ours holds, as its payer sends it back. */
export const pinnedExtra = ({ extra: { rate, collector } }: AcceptedTerms) => ({
  ...(rate !== undefined && { rate }),
  ...(collector !== undefined && { collector }),
})

/**
 * The offer that a payment takes: ours as it stands now, or with the price that a quote of ours still holds for this call.
 * What the payment says of itself is only compared; the method checks what was signed.
 */
export const matchingOffer = async (
  { deps: { quotes }, attempt: { accepted }, method, request }: PaymentRun,
  offer: Offer,
): Promise<{ offer: Offer } | { reason: Refusal }> => {
  if (!accepted) return { offer }
  // What was set aside for a call pays it at the price that it was set aside for.
  if (method.book) return { offer: { ...offer, amount: accepted.amount } }
  if (!sameText(accepted.asset, offer.asset)) return { reason: 'wrong_asset' }
  const isNow = sameText(accepted.payTo, offer.payTo)
  const previous = isNow ? undefined : await method.previousPayTo?.(offer)
  if (!isNow && (previous === undefined || !sameText(accepted.payTo, previous)))
    return { reason: 'wrong_recipient' }
  const { method: id, network, asset } = offer
  const payTo = previous ?? offer.payTo
  if (quotes.holds({ ...accepted, method: id, network, asset, payTo }, request)) {
    const extra = { ...offer.extra, ...pinnedExtra(accepted) }
    return { offer: { ...offer, payTo, amount: accepted.amount, extra } }
  }
  if (!isNow) return { reason: 'wrong_recipient' }
  if (BigInt(accepted.amount) < BigInt(offer.amount)) return { reason: 'too_little' }
  if (BigInt(accepted.amount) > BigInt(offer.amount)) return { reason: 'too_much' }
  return { offer }
}

/** When a quote of ours for this very call was made, which the payment brings; undefined for any other payment. */
export const quotedAt = (
  { attempt: { accepted }, method, deps: { quotes }, request }: PaymentRun,
  { network, asset, maxTimeoutSeconds }: Offer,
): Date | undefined =>
  accepted && quotes.madeAt({ ...accepted, method: method.id, network, asset }, request, maxTimeoutSeconds)

/** The terms of a payment that are ours, whichever call they are for. */
export const issuedOffer = (
  { method }: PaymentRun,
  { asset, payTo, amount, extra }: AcceptedTerms,
): Offer => ({
  method: method.id,
  kind: method.kind,
  network: method.network,
  asset,
  payTo,
  amount,
  extra,
  words: method.toWords?.(amount) ?? amount,
  maxTimeoutSeconds: 0,
})

/** True when a payment that adds to an account was signed by the wallet that the account is, or for a quote to this very call. */
export const namesAccount = (run: PaymentRun, offer: Offer, payer: string): boolean => {
  const { attempt, charge, method, request, deps } = run
  const { accepted, isIssued } = attempt
  if (!charge.tool.credits || isIssued || method.book) return true
  if (charge.caller?.id.toLowerCase() === `${offer.network}:${payer}`.toLowerCase()) return true
  const { network, asset, payTo } = offer
  const terms = accepted && { ...accepted, method: method.id, network, asset, payTo }
  return terms !== undefined && deps.quotes.madeAt(terms, request, 0) !== undefined
}
