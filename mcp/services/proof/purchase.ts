import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { tellPeople } from '../../kernel/inbox.ts'
import type { Books } from '../../ports/books/port.ts'
import type { Tx } from '../../ports/store/port.ts'
import { keyPrefix } from './account/account.ts'
import { loadBalance, toWalletAccount, toWalletBook } from './account/wallet.ts'
import { missingOffer, type Offer, offersIn } from './offer.ts'
import { splitPrice } from './prices.ts'
import { countActs } from './residence.ts'
import { countTrade } from './trade.ts'

/** Purchase of an offer. */
type OfferPurchase = {
  id: string
  offer: string
  title: string
  seller: string
  buyer: string
  price_sats: number
  seller_sats: number
  fee_sats: number
  intent: string | null
  buyer_input: string | null
  fulfilled: boolean
  fulfillment_ref: string | null
  fulfilled_at: string | null
  created_at: string
  /** True when the seller is judged by it: not where both sides look like one owner. */
  is_judged: boolean
}

export const offerPurchasesIn = collection<OfferPurchase>({
  name: 'proof.purchases',
  indexes: [
    { name: 'seller', fields: ['seller', 'created_at'] },
    { name: 'buyer', fields: ['buyer', 'created_at'] },
    { name: 'offer', fields: ['offer', 'created_at'] },
  ],
  bounded: 'As many as were paid for.',
})

/** The house's fees on sales. */
export const marketFees = 'house:proof-market' as const

export const purchaseId = z
  .string()
  .regex(/^[0-9a-f]{24}$/, 'must be 24 hexadecimal digits')
  .describe('Id of the purchase')

/** The offer, if this account may buy it. Throws `not_found`, `gone` for one that was withdrawn, `conflict` for its own. */
export const readBuyable = async (tx: Pick<Tx, 'collection'>, buyer: string, id: string): Promise<Offer> => {
  const offer = await offersIn(tx).get(id)
  if (!offer) throw missingOffer(id)
  if (offer.state === 'withdrawn')
    throw new ToolError('gone', `The seller withdrew offer ${id}.`, { next: ['offer_list'] })
  if (offer.seller === buyer)
    throw new ToolError('conflict', 'This offer is yours: nobody buys from itself.', {
      reason: 'own_offer',
    })
  return offer
}

/** Throws `conflict` where the balance does not cover a price. */
export const checkFunds = async (tx: Tx, books: Books, buyer: string, sats: number): Promise<void> => {
  const { available } = await loadBalance(tx, books, buyer)
  if (available >= sats) return
  throw new ToolError('conflict', `It costs ${sats} sats; your balance is ${available}.`, {
    reason: 'insufficient_balance',
    params: { price_sats: sats, balance_sats: available },
    next: ['top_up'],
  })
}

type Order = {
  buyer: string
  offer: string
  intent?: string | undefined
  input?: string | undefined
  now: Date
}

/** Buys an offer and moves its price from the balance of the buyer, in the transaction of the call. */
export const buyOffer = async (
  tx: Tx,
  books: Books,
  { buyer, offer: id, intent, input, now }: Order,
): Promise<OfferPurchase> => {
  const offer = await readBuyable(tx, buyer, id)
  await checkFunds(tx, books, buyer, offer.price_sats)
  const { earned, fee } = splitPrice(offer.price_sats)
  const purchase: OfferPurchase = {
    id: randomBytes(12).toString('hex'),
    offer: id,
    title: offer.title,
    seller: offer.seller,
    buyer,
    price_sats: offer.price_sats,
    seller_sats: earned,
    fee_sats: fee,
    intent: intent ?? null,
    buyer_input: input ?? null,
    fulfilled: false,
    fulfillment_ref: null,
    fulfilled_at: null,
    created_at: now.toISOString(),
    is_judged: await countTrade(tx, {
      payer: buyer,
      payee: offer.seller,
      sats: earned,
      isSale: true,
      now,
    }),
  }
  if (!(await offerPurchasesIn(tx).insert(purchase))) throw new Error('a purchase id came up twice')
  await offersIn(tx).put({
    ...offer,
    sales: offer.sales + 1,
    earned_sats: offer.earned_sats + earned,
  })
  await books.credit(tx, {
    id: `trade:${purchase.id}`,
    book: toWalletBook(offer.seller),
    source: toWalletAccount(buyer),
    spent: { book: toWalletBook(buyer), value: BigInt(offer.price_sats) * 1000n },
    value: BigInt(earned) * 1000n,
    fee: { to: marketFees, value: BigInt(fee) * 1000n },
    memo: 'marketplace_buy',
  })
  await tellPeople(tx, [{ prefix: keyPrefix, holder: offer.seller }], {
    service: 'proof',
    type: 'offer_sold',
    subject: offer.id,
    data: { purchase_id: purchase.id, earned_sats: earned },
  })
  return purchase
}

/** Marks a purchase as fulfilled, once. Throws `not_found` for another's, `conflict` for another reference than before. */
export const fulfillPurchase = async (
  tx: Tx,
  { seller, id, ref, now }: { seller: string; id: string; ref: string; now: Date },
): Promise<OfferPurchase> => {
  const purchase = await offerPurchasesIn(tx).get(id)
  if (purchase?.seller !== seller) throw new ToolError('not_found', `You have sold no purchase ${id}.`)
  if (purchase.fulfilled && purchase.fulfillment_ref === ref) return purchase
  if (purchase.fulfilled)
    throw new ToolError('conflict', 'This purchase was fulfilled with another reference.', {
      reason: 'already_fulfilled',
      params: { fulfillment_ref: purchase.fulfillment_ref, fulfilled_at: purchase.fulfilled_at },
    })
  const next = { ...purchase, fulfilled: true, fulfillment_ref: ref, fulfilled_at: now.toISOString() }
  await offerPurchasesIn(tx).put(next)
  if (purchase.is_judged) await countActs(tx, seller, { fulfilled: 1 }, now)
  return next
}

export const OfferPurchaseOut = z
  .object({
    purchase_id: z.string().describe('Id of the purchase'),
    offer_id: z.string().describe('Id of the offer'),
    title: z.string().describe('What was bought'),
    seller: z.string().describe('Account that sold it'),
    buyer: z.string().describe('Account that bought it'),
    price_sats: z.int().describe('What the buyer paid'),
    seller_sats: z.int().describe('What of it the seller got'),
    fee_sats: z.int().describe('What of it the house kept'),
    intent: z.string().nullable().describe('What the buyer wants it for'),
    buyer_input: z.string().nullable().describe('What the buyer gave the seller for it'),
    fulfilled: z.boolean().describe('The seller says that it has delivered'),
    fulfillment_ref: z.string().nullable().describe('Where or what was delivered, by the seller'),
    fulfilled_at: z.string().nullable().describe('When it said so'),
    created_at: z.string().describe('When it was bought'),
  })
  .describe('A purchase')

export const toPurchaseOut = ({ id, offer, is_judged: _, ...purchase }: OfferPurchase) => ({
  purchase_id: id,
  offer_id: offer,
  ...purchase,
})
