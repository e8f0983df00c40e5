import type { Hex, TransactionReceipt } from 'viem'
import type { Chain } from '../../../ports/chain/chain.ts'
import { onChain } from '../../../ports/chain/failure.ts'
import type { Found, Offer, Refusal, Settled } from '../../method.ts'
import type { Authorization } from './authorization.ts'
import { transferIn, type Use, useOf } from './authorization-use.ts'
import type { FacilitatorAnswer } from './facilitator.ts'
import { refusalOf } from './refusal.ts'

type Send = (authorization: Authorization, offer: Offer) => Promise<FacilitatorAnswer>

type Settlement = {
  settle(authorization: Authorization, offer: Offer): Promise<Settled>
  find(authorization: Authorization): Promise<Found>
}

type Options = {
  chain: Chain
  confirmMs: number
  identityOf(authorization: Authorization): string
  /** Resolves to what hands an authorization to a facilitator. A throw of that leaves open whether the money moves. */
  open(): Promise<Send>
}

const isHash = (text: string): text is Hex => /^0x[0-9a-f]{64}$/i.test(text)

/** A facilitator that answers with an HTTP error throws its reason; a connection that breaks has none. */
const thrownRefusal = (thrown: unknown): Refusal | undefined =>
  thrown instanceof Error && 'errorReason' in thrown && thrown.errorReason
    ? refusalOf(String(thrown.errorReason))
    : undefined

/**
 * Moves the money of authorizations, each once. What the chain says decides, before and after: a facilitator may time
 * out on a transaction that is mined a second later, and its word is no proof that we were paid.
 */
export const openSettlement = ({ chain, confirmMs, identityOf, open }: Options): Settlement => {
  /** Sent and not seen on the chain yet; '' when a facilitator did not say under which hash. */
  const sent = new Map<string, Hex | ''>()
  const settling = new Map<string, Promise<Settled>>()

  const foundOf = (use: Use, authorization: Authorization, hash: Hex | '' | undefined): Found => {
    if (use.state === 'elsewhere') return { state: 'failed', reason: 'already_used' }
    if (use.state === 'paid')
      return { state: 'settled', transaction: use.transaction, payer: authorization.from, log: use.log }
    if (use.expired) return { state: 'failed', reason: 'expired' }
    return hash === undefined ? { state: 'unused' } : { state: 'pending', transaction: hash }
  }

  const find = (authorization: Authorization): Promise<Found> =>
    onChain(chain.network, async () => {
      const id = identityOf(authorization)
      const hash = sent.get(id)
      const reader = await chain.reader()
      const receipt = hash && (await reader.getTransactionReceipt({ hash }).catch(() => undefined))
      const own = receipt ? await transferIn(chain, receipt, authorization) : undefined
      // Mined without moving this money: reverted, or overtaken by another transaction with the same authorization.
      if (receipt && !own) sent.delete(id)
      const use = own ?? (await useOf(chain, authorization))
      const found = foundOf(use, authorization, sent.get(id))
      if (found.state !== 'pending') sent.delete(id)
      return found
    })

  const wait = (hash: Hex) => chain.confirm(hash, confirmMs).catch(() => undefined)

  /** `reason` of a refusal; none when the authorization was sent or may have been. `receipt` is from our own node. */
  const hand = async (
    send: Send,
    authorization: Authorization,
    offer: Offer,
  ): Promise<{ reason?: Refusal; receipt?: TransactionReceipt | undefined }> => {
    const id = identityOf(authorization)
    try {
      const { success, errorReason, transaction, receipt } = await send(authorization, offer)
      const pending = errorReason === 'settlement_pending'
      if (isHash(transaction)) sent.set(id, transaction)
      else if (success || pending) sent.set(id, '')
      if (success && isHash(transaction)) return { receipt: receipt ?? (await wait(transaction)) }
      return success || pending ? {} : { reason: refusalOf(errorReason) }
    } catch (thrown) {
      const reason = thrownRefusal(thrown)
      if (reason !== undefined) return { reason }
      sent.set(id, '')
      return {}
    }
  }

  /** What a receipt that our own node gave proves; undefined where that is not enough. */
  const provenBy = async (
    receipt: TransactionReceipt | undefined,
    authorization: Authorization,
  ): Promise<Settled | undefined> => {
    const use = receipt && (await transferIn(chain, receipt, authorization))
    if (use?.state !== 'paid') return undefined
    sent.delete(identityOf(authorization))
    return { state: 'settled', transaction: use.transaction, payer: authorization.from, log: use.log }
  }

  const settleOnce = async (authorization: Authorization, offer: Offer): Promise<Settled> => {
    const id = identityOf(authorization)
    const hash = sent.get(id)
    if (hash) {
      await wait(hash)
      const before = await find(authorization)
      if (before.state !== 'unused') return before
    }
    // Where it was used before, sending it is refused, and what the chain says of it decides.
    const { reason, receipt } = await hand(await onChain(chain.network, open), authorization, offer)
    const proven = await provenBy(receipt, authorization)
    if (proven) return proven
    const after = await find(authorization).catch(thrown => {
      const transaction = sent.get(id)
      if (transaction === undefined) throw thrown
      return { state: 'pending', transaction } as const
    })
    if (after.state !== 'unused') return after
    // A node that counts what is not mined yet sees it used: it was sent before, by an earlier process or by another.
    if (reason === 'already_used') return { state: 'pending', transaction: '' }
    return { state: 'failed', reason: reason ?? 'settlement_failed' }
  }

  return {
    find,
    settle: (authorization, offer) => {
      const id = identityOf(authorization)
      const running = settling.get(id)
      if (running) return running
      const settled = settleOnce(authorization, offer).finally(() => settling.delete(id))
      settling.set(id, settled)
      return settled
    },
  }
}
