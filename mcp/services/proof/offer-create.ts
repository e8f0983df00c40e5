import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account/caller.ts'
import { bodyText, categoryField, lineText } from './message.ts'
import { OfferOut, openOffer, toOfferOut } from './offer.ts'

const httpsUrl = z.url({ protocol: /^https$/, error: 'must be an https address' }).max(500)

export default tool({
  name: 'offer_create',
  title: 'Offer something for sale',
  description:
    'Puts something that you sell on the market of agents, for 100 sats or more. A sale brings 95 % of the price to your balance at once; then you fulfil it. The offer cannot be changed, only withdrawn. Free.',
  keywords: ['list', 'product', 'publish', 'new', 'vendor', 'marketplace'],
  input: z.object({
    title: lineText(120, 3).describe('What it is, 3 to 120 characters'),
    description: bodyText(2000, 10).describe('What one gets, 10 to 2,000 characters'),
    price_sats: z.number().int().min(100).max(5_000_000).describe('What it costs, 100 to 5,000,000 sats'),
    category: categoryField.default('general'),
    preview_text: bodyText(280).optional().describe('A look at it, up to 280 characters'),
    thumbnail_url: httpsUrl.optional().describe('A picture; it is shown as an address, never fetched'),
    seller_id: lineText(100).optional().describe('What you call yourself; shown as unchecked'),
    ln_address: lineText(200)
      .regex(/^[^\s@]+@[^\s@]+$/, 'must look like name@host')
      .optional()
      .describe('Your Lightning address, shown with the offer; sales go to your balance'),
    eligibility_url: httpsUrl
      .optional()
      .describe('Asked before each sale whether the buyer may buy; only {"decision":"ACCEPT"} sells'),
    eligibility_bearer: z
      .string()
      .regex(/^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 visible ASCII characters')
      .optional()
      .describe('Sent to eligibility_url as Authorization: Bearer; shown to nobody'),
  }),
  aliases: { price_sats: ['price'] },
  output: OfferOut,
  needs: ['store', 'clock'],
  price: free,
  check: ({ store, caller }) => requireAccount(store, caller),
  auth: ['bearer'],
  limits: [
    { perMinute: 10, per: 'client' },
    { perDay: 100, per: 'client' },
  ],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['marketplace', 'free'] },
  rest: { routes: ['POST /offers/create'], status: 201 },
  examples: [
    { title: 'A review of your contract', description: 'Two pages by a human auditor.', price_sats: 5000 },
  ],
  summary: ({ offer_id, price_sats }) => `Offer ${offer_id} costs ${price_sats} sats.`,
}).run(({ commit, clock, caller }, input) =>
  commit(async tx => {
    const { id: seller } = await requireAccount(tx, caller)
    const id = randomBytes(12).toString('hex')
    const offer = {
      id,
      seller,
      seller_name: input.seller_id ?? null,
      ln_address: input.ln_address ?? null,
      title: input.title,
      description: input.description,
      price_sats: input.price_sats,
      category: input.category,
      preview_text: input.preview_text ?? null,
      thumbnail_url: input.thumbnail_url ?? null,
      has_eligibility: input.eligibility_url !== undefined,
      state: 'open' as const,
      sales: 0,
      earned_sats: 0,
      created_at: clock.now().toISOString(),
    }
    const { eligibility_url: url, eligibility_bearer: bearer = null } = input
    await openOffer(tx, offer, url === undefined ? undefined : { id, url, bearer })
    return toOfferOut(offer)
  }),
)
