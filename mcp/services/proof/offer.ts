import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import type { Tx } from '../../ports/store/port.ts'

/** Offer of an account. Its text never changes: a buyer gets what it read. */
export type Offer = {
  id: string
  seller: string
  seller_name: string | null
  ln_address: string | null
  title: string
  description: string
  price_sats: number
  category: string
  preview_text: string | null
  thumbnail_url: string | null
  has_eligibility: boolean
  state: 'open' | 'withdrawn'
  sales: number
  earned_sats: number
  created_at: string
}

/** Hook that tells if a buyer may buy an offer. Only the program reads it. */
export type Hook = { id: string; url: string; bearer: string | null }

/** How many offers a seller has open. */
type Shelf = { id: string; open: number }

/** Offers that one account may have open. */
export const maxOpenOffers = 50

export const offersIn = collection<Offer>({
  name: 'proof.offers',
  indexes: [
    { name: 'open', fields: ['state', 'created_at'] },
    { name: 'category', fields: ['state', 'category', 'created_at'] },
    { name: 'seller', fields: ['seller', 'created_at'] },
  ],
  budget: {
    what: 'offers',
    owner: ({ seller }) => seller,
    counts: ({ state }) => state === 'open',
    each: { rows: 50, bytes: 1 << 20 },
    network: { rows: 400, bytes: 4 << 20 },
    allBytes: 32 << 20,
    ends: 'Withdraw one; it counts while it is open.',
  },
})
export const hooksIn = collection<Hook>({
  name: 'proof.offer_hooks',
  bounded: 'One for each open offer.',
})
const shelvesIn = collection<Shelf>({
  name: 'proof.offer_shelves',
  bounded: 'One for each seller.',
})

export const offerId = z
  .string()
  .regex(/^[0-9a-f]{24}$/, 'must be 24 hexadecimal digits')
  .describe('Id of the offer')

export const missingOffer = (id: string) =>
  new ToolError('not_found', `There is no offer ${id}.`, { next: ['offer_list'] })

/** Puts an offer on the market. Throws `conflict` where the seller has too many. */
export const openOffer = async (tx: Tx, offer: Offer, hook: Hook | undefined): Promise<void> => {
  const shelf = (await shelvesIn(tx).get(offer.seller)) ?? { id: offer.seller, open: 0 }
  if (shelf.open >= maxOpenOffers)
    throw new ToolError('conflict', `You have ${shelf.open} offers open, as many as may be.`, {
      reason: 'quota',
      next: ['offer_withdraw'],
    })
  if (!(await offersIn(tx).insert(offer))) throw new Error('an offer id came up twice')
  if (hook) await hooksIn(tx).put(hook)
  await shelvesIn(tx).put({ ...shelf, open: shelf.open + 1 })
}

/** Takes an offer of the seller's off the market; what was sold stays. Throws `not_found` for another's. */
export const withdrawOffer = async (tx: Tx, seller: string, id: string): Promise<Offer> => {
  const offer = await offersIn(tx).get(id)
  if (offer?.seller !== seller) throw missingOffer(id)
  if (offer.state === 'withdrawn') return offer
  const shelf = await shelvesIn(tx).get(seller)
  const next: Offer = { ...offer, state: 'withdrawn' }
  await offersIn(tx).put(next)
  await hooksIn(tx).delete(id)
  if (shelf) await shelvesIn(tx).put({ ...shelf, open: shelf.open - 1 })
  return next
}

export const OfferOut = z
  .object({
    offer_id: z.string().describe('Id of the offer'),
    seller: z.string().describe('Account that sells it'),
    seller_name: z.string().nullable().describe('What the seller calls itself; nobody checked it'),
    ln_address: z.string().nullable().describe('Lightning address of the seller, as it says'),
    title: z.string().describe('What it is'),
    description: z.string().describe('What one gets'),
    price_sats: z.int().describe('What it costs'),
    category: z.string().describe('What it is about'),
    preview_text: z.string().nullable().describe('A look at it'),
    thumbnail_url: z.string().nullable().describe('A picture, where the seller has it'),
    asks_eligibility: z.boolean().describe('The seller is asked whether a buyer may buy'),
    state: z.enum(['open', 'withdrawn']).describe('Whether it can be bought'),
    sales: z.int().describe('How often it was bought'),
    created_at: z.string().describe('When it was made'),
  })
  .describe('An offer')

export const toOfferOut = ({ id, has_eligibility, earned_sats: _, ...offer }: Offer) => ({
  offer_id: id,
  ...offer,
  asks_eligibility: has_eligibility,
})
