import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import type { Fetch } from '../../ports/fetch/port.ts'
import type { Workers } from '../../ports/workers/port.ts'
import { requireAccount } from './account/caller.ts'
import { loadBalance } from './account/wallet.ts'
import { bodyText } from './message.ts'
import { type Hook, hooksIn, type Offer, offerId } from './offer.ts'
import { buyOffer, checkFunds, OfferPurchaseOut, readBuyable, toPurchaseOut } from './purchase.ts'
import { severities } from './review/finding.ts'
import { reviewText } from './review/review-text.ts'
import { policyVersion } from './review/verdict.ts'

const Answer = z.object({ decision: z.literal('ACCEPT') })

/** Facts of a buyer for the seller: its public id, never a key or an address. */
type Applicant = {
  offer_id: string
  buyer: string
  price_sats: number
  intent: string | null
  buyer_input: string | null
}

const refuse = (): ToolError =>
  new ToolError('forbidden', 'The seller did not accept this buyer. Nothing was charged.', {
    reason: 'not_eligible',
    hint: 'Only an explicit ACCEPT of its address lets a purchase through.',
  })

const readAnswer = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Asks the seller whether a buyer may buy. Throws `forbidden` for anything but 200 and `{"decision": "ACCEPT"}`, whatever went wrong. */
const requireEligible = async (
  fetch: Fetch,
  { url, bearer }: Hook,
  applicant: Applicant,
  signal: AbortSignal,
): Promise<void> => {
  let answer: unknown
  try {
    const fetched = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify(applicant),
      accept: 'application/json',
      maxBytes: 4096,
      maxRedirects: 0,
      deadlineMs: 5000,
      fresh: true,
      // A stranger wrote the address into its offer.
      namedBy: 'page',
      signal,
    })
    answer = fetched.status === 200 && !fetched.truncated ? readAnswer(fetched.text().text) : undefined
  } catch {
    signal.throwIfAborted()
    throw refuse()
  }
  if (!Answer.safeParse(answer).success) throw refuse()
}

const OfferReview = z
  .object({
    verdict: z.enum(['approve', 'approve_with_concerns', 'reject']).describe('The worst that was found'),
    confidence: z.number().describe('How much of it could be judged, 0 to 1'),
    issues: z
      .array(
        z.object({
          severity: z.enum(severities).describe('How bad it is'),
          rule: z.string().describe('The rule that found it'),
          detail: z.string().describe('What it is'),
        }),
      )
      .describe('What was found, worst first'),
    policy_version: z.string().describe('Version of the review'),
  })
  .describe('The review of the text of the offer')

/** Reviews what an offer says as `review` does, without a model. Throws `conflict` where it is rejected. */
const requireSound = async (workers: Workers, offer: Offer): Promise<z.output<typeof OfferReview>> => {
  const texts = [offer.title, offer.description, offer.preview_text ?? '']
  const text = texts.join('\n\n').trim()
  const { verdict, confidence, findings } = await reviewText({ workers }, { type: 'general', text })
  const issues = findings.slice(0, 20).map(({ severity, rule, detail }) => ({ severity, rule, detail }))
  if (verdict !== 'reject') return { verdict, confidence, issues, policy_version: policyVersion }
  throw new ToolError('conflict', 'The review rejects what this offer says. Nothing was charged.', {
    reason: 'rejected_by_review',
    params: { verdict, confidence, issues, policy_version: policyVersion },
    hint: 'To buy it all the same, send verify_before_buy as false.',
  })
}

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
  output: OfferPurchaseOut.extend({
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
