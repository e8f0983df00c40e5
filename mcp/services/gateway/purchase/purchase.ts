import canonicalize from 'canonicalize'
import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'
import { type Price, usd } from '../../../kernel/tool.ts'
import type { ExtraInput } from '../assess/extras.ts'
import { computeDigest } from '../source/fetch-registry.ts'
import { Content } from './content.ts'

/** Price of route intelligence. */
export const priceUsd = '0.05'
export const priceAtomic = 50_000n
/** Price shown in lists; each call is paid under the nonce of its purchase, and in no other way. */
export const listPrice: Price = { ...usd(priceUsd), terms: { kind: 'broadcast' } }
export const sku = 'route-intelligence-v1'

/** Minutes that a prepared purchase waits for its payment. */
export const waitMinutes = 15

/** A purchase: the frozen result and what must be paid for it. */
export type Purchase = {
  id: string
  state: 'prepared' | 'entitled'
  need: string
  candidate_identifier: string | null
  /** Digest of max_cost, authority and accepted_licenses; missing in older rows. */
  terms?: string
  result: z.output<typeof Content>
  digest: string
  nonce: string
  pay_to: string
  valid_after: number
  valid_before: number
  prepared_at: string
  /** Digest of the network address that had it prepared. */
  origin?: string
  expires_at: string
  /** Transaction that paid it; one may carry the authorizations of several. */
  transaction_hash: string | null
  payment: { transaction_hash: string; payer: string; block: string; paid_at: string } | null
}

const table = {
  name: 'gateway.purchases',
  indexes: [
    { name: 'state', fields: ['state', 'expires_at'] },
    { name: 'origin', fields: ['origin', 'state', 'prepared_at'] },
  ],
} as const

export const purchasesIn = collection<Purchase>({
  name: table.name,
  indexes: table.indexes,
  archive: { afterHours: 24 },
  budget: {
    what: 'prepared purchases',
    counts: ({ state }) => state === 'prepared',
    network: { rows: 120, bytes: 5 << 20 },
    allBytes: 64 << 20,
    ends: 'An unpaid one is dropped after 7 days.',
  },
})

/** One name for the terms that a purchase was prepared under. */
export const hashPurchaseTerms = (terms: ExtraInput): string => computeDigest(canonicalize(terms) ?? '')

/** A prepared purchase whose time is over is expired, whoever notices. */
export const purchaseState = (
  { state, expires_at }: Purchase,
  now: Date,
): 'prepared' | 'entitled' | 'expired' =>
  state === 'prepared' && expires_at <= now.toISOString() ? 'expired' : state

export const PurchaseOut = z.object({
  state: z
    .enum(['prepared', 'entitled', 'expired', 'guidance'])
    .describe('entitled: paid, the result is yours'),
  purchase_id: z.string().nullable().describe('Id of the purchase'),
  prepared_result_digest: z.string().nullable().describe('sha256: of the canonical result'),
  result: Content.nullable().describe('What was bought; null until it is paid'),
  payment: z
    .object({
      transaction_hash: z.string().describe('The transaction'),
      payer: z.string().describe('Who paid'),
      block: z.string().describe('Its block'),
      paid_at: z.iso.datetime().describe('When'),
    })
    .nullable()
    .describe('What paid it; null until then'),
  expires_at: z.iso.datetime().nullable().describe('Until when it can be paid'),
  idempotent_replay: z.boolean().describe('True when it was delivered before'),
  guidance: z.string().nullable().describe('What to do; over A2A there is nothing else'),
})

const toPublicPayment = ({ payment }: Purchase) => {
  if (!payment) return null
  const { transaction_hash, payer, block, paid_at } = payment
  return { transaction_hash, payer, block, paid_at }
}

/** A purchase as its buyer sees it. */
export const toPublicPurchase = (
  purchase: Purchase,
  now: Date,
  replay: boolean,
): z.output<typeof PurchaseOut> => {
  const state = purchaseState(purchase, now)
  return {
    state,
    purchase_id: purchase.id,
    prepared_result_digest: purchase.digest,
    result: state === 'entitled' ? purchase.result : null,
    payment: toPublicPayment(purchase),
    expires_at: purchase.expires_at,
    idempotent_replay: replay,
    guidance: null,
  }
}
