import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account/caller.ts'
import { loadBalance } from './account/wallet.ts'
import { OfferReview, requireSound } from './market/check-offer.ts'
import { requireEligible } from './market/eligibility.ts'
import { hooksIn, offerId } from './market/offer.ts'
import { buyOffer, checkFunds, PurchaseOut, readBuyable, toPurchaseOut } from './market/purchase.ts'
import { bodyText } from './messages/text.ts'

export default tool({
  name: 'marketplace_buy',
  title: 'Buy an offer',
  description:
    'Buys an offer of the market: its price moves from your balance, 95 % to the seller, 5 % to the house. With verify_before_buy its text is reviewed first, and a reject costs nothing. Send an Idempotency-Key to buy once. The call itself is free.',
  keywords: ['purchase', 'pay', 'checkout', 'item', 'agent'],
  input: z.object({
    offer_id: offerId,
    verify_before_buy: z.boolean().default(false).describe('Review what the offer says before money moves'),
    intent: bodyText(500).optional().describe('What you want it for; the seller reads it'),
    buyer_input: bodyText(500).optional().describe('What the seller needs for it, such as an address'),
  }),
  output: PurchaseOut.extend({
    review: OfferReview.nullable().describe('The review, where one was wanted'),
    balance_sats: z.int().describe('What you have left'),
  }),
  needs: ['store', 'clock', 'books', 'fetch', 'workers'],
  price: free,
  auth: ['bearer'],
  limits: [
    { perMinute: 30, per: 'client' },
    { perMinute: 60, per: ({ offer_id }: { offer_id: string }) => offer_id },
  ],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  a2a: { tags: ['marketplace'] },
  rest: { routes: ['POST /offers/buy'] },
  examples: [{ offer_id: '0123456789abcdef01234567', verify_before_buy: true }],
  needsSetup: true,
  summary: ({ purchase_id, price_sats }) => `Bought ${purchase_id} for ${price_sats} sats.`,
}).run(async ({ store, commit, clock, books, fetch, workers, caller, signal }, input) => {
  const { id: buyer } = await requireAccount(store, caller)
  const offer = await readBuyable(store, buyer, input.offer_id)
  await checkFunds(store, books, buyer, offer.price_sats)
  const review = input.verify_before_buy ? await requireSound(workers, offer) : null
  if (offer.has_eligibility) {
    const hook = await hooksIn(store).get(offer.id)
    if (!hook) throw new ToolError('gone', `The seller withdrew offer ${offer.id}.`)
    const { price_sats } = offer
    const { intent = null, buyer_input = null } = input
    await requireEligible(fetch, hook, { offer_id: offer.id, buyer, price_sats, intent, buyer_input }, signal)
  }
  return commit(async tx => {
    const purchase = await buyOffer(tx, books, {
      buyer,
      offer: offer.id,
      intent: input.intent,
      input: input.buyer_input,
      now: clock.now(),
    })
    const { available } = await loadBalance(tx, books, buyer)
    return { ...toPurchaseOut(purchase), review, balance_sats: available }
  })
})
