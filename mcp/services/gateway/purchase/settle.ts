import { ToolError } from '../../../kernel/error.ts'
import type { Call } from '../../../kernel/tool.ts'
import type { Ports, Tx } from '../../../ports/index.ts'
import { type Purchase, priceAtomic, purchasesIn, shown, stateOf } from './purchase.ts'

type Ctx = Pick<Ports, 'store' | 'clock' | 'purchases'> & Pick<Call, 'commit'>

type Claim = { purchase_id: string; transaction_hash?: string | undefined }

/** The purchase of an id that cannot be guessed. Throws `not_found`. */
export const purchaseOf = async (tx: Tx, id: string): Promise<Purchase> => {
  const purchase = await purchasesIn(tx).get(id)
  if (purchase) return purchase
  throw new ToolError('not_found', 'There is no such purchase.')
}

const conflict = (reason: string, detail: string) => new ToolError('conflict', detail, { reason })

const replayed = (purchase: Purchase, hash: string | undefined) => {
  if (hash === undefined || hash.toLowerCase() === purchase.payment?.transaction_hash) return
  throw conflict('payment_replay_conflict', 'This purchase was paid by another transaction.')
}

/** Milliseconds after the last moment of an authorization that a chain may still be late with what it did. */
const graceMs = 10 * 60_000

const expired = () =>
  new ToolError('conflict', 'The preparation has expired and was not paid.', {
    reason: 'preparation_expired',
    hint: 'Leave out purchase_id to prepare a new purchase.',
  })

/** A transaction that has paid for another purchase is refused before the chain is asked. */
const refuseReused = async (store: Tx, id: string, hash: string) => {
  const where = { transaction_hash: hash }
  const { rows } = await purchasesIn(store).find({ index: 'transaction', where, limit: 1 })
  if (rows.some(row => row.id !== id))
    throw conflict('payment_replay_conflict', 'This transaction has paid for something else.')
}

/**
 * Entitles a purchase by the transaction that paid it, once: the same bytes are delivered again for the same transaction, and
 * a transaction that paid for anything else pays for nothing. Throws 202 while it is young and 409 for what is no payment.
 */
export const settle = async (
  { store, clock, purchases, commit }: Ctx,
  { purchase_id, transaction_hash }: Claim,
) => {
  const purchase = await purchaseOf(store, purchase_id)
  if (purchase.state === 'entitled') {
    replayed(purchase, transaction_hash)
    return shown(purchase, clock.now(), true)
  }
  const now = clock.now()
  if (transaction_hash === undefined && stateOf(purchase, now) === 'expired') throw expired()
  if (transaction_hash === undefined)
    throw new ToolError('invalid_input', 'transaction_hash: the transaction that paid it is needed.', {
      issues: [{ path: 'transaction_hash', message: 'is needed together with purchase_id' }],
    })
  const hash = transaction_hash.toLowerCase()
  await refuseReused(store, purchase_id, hash)
  const proof = await purchases.prove(hash, {
    payTo: purchase.pay_to,
    value: priceAtomic,
    nonce: purchase.nonce,
    validAfter: purchase.valid_after,
    validBefore: purchase.valid_before,
  })
  const isLate = now.getTime() > purchase.valid_before * 1000 + graceMs
  if (proof.state === 'pending' && proof.confirmations === 0 && isLate) throw expired()
  if (proof.state === 'pending')
    throw new ToolError(
      'payment_pending',
      `The transaction has ${proof.confirmations} of ${proof.needed} confirmations.`,
      {
        reason: 'payment_pending',
        retryAfter: 2,
        params: { purchase_id, confirmations: proof.confirmations, needed: proof.needed },
        hint: 'Send the same call again.',
      },
    )
  if (proof.state === 'rejected')
    throw conflict('payment_rejected', `This transaction does not pay the purchase: ${proof.reason}.`)
  return commit(async tx => {
    const current = await purchaseOf(tx, purchase_id)
    if (current.state === 'entitled') {
      replayed(current, hash)
      return shown(current, clock.now(), true)
    }
    if (!(await purchases.spend(tx, proof.log, `purchase:${purchase_id}`)))
      throw conflict('payment_replay_conflict', 'This transaction has paid for something else.')
    const { log, payer, block, at } = proof
    const paid: Purchase = {
      ...current,
      state: 'entitled',
      transaction_hash: hash,
      payment: { transaction_hash: hash, log, payer, block, paid_at: at },
    }
    await purchasesIn(tx).put(paid)
    return shown(paid, clock.now(), false)
  })
}
