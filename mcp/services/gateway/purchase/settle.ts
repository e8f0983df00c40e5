import { ToolError } from '../../../kernel/error.ts'
import { type Call, free, type Price, usd } from '../../../kernel/tool.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import {
  type Purchase,
  priceAtomic,
  priceUsd,
  purchaseState,
  purchasesIn,
  toPublicPurchase,
} from './purchase.ts'

type Claim = { purchase_id: string; transaction_hash?: string | undefined }

/** The purchase of an id that cannot be guessed. Throws `not_found`. */
export const loadPurchase = async (tx: Tx, id: string): Promise<Purchase> => {
  const purchase = await purchasesIn(tx).get(id)
  if (purchase) return purchase
  throw new ToolError('not_found', 'There is no such purchase.')
}

const conflict = (reason: string, detail: string) => new ToolError('conflict', detail, { reason })

const refuseOtherTransaction = (purchase: Purchase, hash: string | undefined) => {
  if (hash === undefined || hash.toLowerCase() === purchase.payment?.transaction_hash) return
  throw conflict('payment_replay_conflict', 'This purchase was paid by another transaction.')
}

const expiryError = () =>
  new ToolError('conflict', 'The preparation has expired and was not paid.', {
    reason: 'preparation_expired',
    hint: 'Leave out purchase_id to prepare a new purchase.',
  })

/** Price of a purchase: the transfer that its buyer broadcasts under the nonce of the purchase. */
export const broadcastPrice = (purchase: Purchase, transaction?: string): Price => ({
  ...usd(priceUsd),
  terms: {
    kind: 'broadcast',
    order: purchase.id,
    payTo: purchase.pay_to,
    amount: priceAtomic.toString(),
    data: {
      nonce: purchase.nonce,
      validAfter: purchase.valid_after,
      validBefore: purchase.valid_before,
    },
    ...(transaction && { payment: { transaction, params: { purchase_id: purchase.id } } }),
  },
})

/**
 * What a claim on a purchase costs: nothing once it is entitled, otherwise the transfer it names. Throws 409 for what is no
 * payment of it, and names the transaction where it is missing.
 */
export const claimPrice = (
  { clock }: Pick<Ports, 'clock'>,
  purchase: Purchase,
  transaction_hash: string | undefined,
): Price => {
  if (purchase.state === 'entitled') {
    refuseOtherTransaction(purchase, transaction_hash)
    return free
  }
  if (transaction_hash === undefined && purchaseState(purchase, clock.now()) === 'expired')
    throw expiryError()
  if (transaction_hash === undefined)
    throw new ToolError('invalid_input', 'transaction_hash: the transaction that paid it is needed.', {
      issues: [{ path: 'transaction_hash', message: 'is needed together with purchase_id' }],
    })
  return broadcastPrice(purchase, transaction_hash.toLowerCase())
}

type Ctx = Pick<Ports, 'store' | 'clock' | 'purchases'> & Pick<Call, 'commit' | 'receipt'>

/**
 * Delivers a purchase: entitled by the payment that the call came with, once, and the same bytes whenever it is asked for
 * again.
 */
export const deliver = async ({ store, clock, purchases, commit, receipt }: Ctx, { purchase_id }: Claim) => {
  const purchase = await loadPurchase(store, purchase_id)
  if (purchase.state === 'entitled') return toPublicPurchase(purchase, clock.now(), true)
  if (!receipt) throw new Error('a purchase is delivered without a payment')
  const { transaction, payer } = receipt
  const { block, at } = await purchases.minedAt(transaction)
  return commit(async tx => {
    const current = await loadPurchase(tx, purchase_id)
    if (current.state === 'entitled') return toPublicPurchase(current, clock.now(), true)
    const paidPurchase: Purchase = {
      ...current,
      state: 'entitled',
      transaction_hash: transaction,
      payment: { transaction_hash: transaction, payer, block, paid_at: at },
    }
    await purchasesIn(tx).put(paidPurchase)
    return toPublicPurchase(paidPurchase, clock.now(), false)
  })
}
