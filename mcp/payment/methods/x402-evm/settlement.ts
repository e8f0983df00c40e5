import type { Hex, TransactionReceipt } from 'viem'
import { onChain } from '../../../ports/chain/failure.ts'
import type { Chain } from '../../../ports/chain/port.ts'
import type {
  CatalogueListing,
  FindResult,
  Offer,
  Refusal,
  SentTransaction,
  SettleResult,
} from '../../method.ts'
import type { SignedAuthorization } from './authorization.ts'
import { type AuthorizationUse, findUse, transferIn } from './authorization-use.ts'
import type { FacilitatorAnswer } from './facilitator.ts'
import { toRefusal } from './refusal.ts'

type Send = (
  authorization: SignedAuthorization,
  offer: Offer,
  listing?: CatalogueListing,
) => Promise<FacilitatorAnswer>

type Settlement = {
  settle(authorization: SignedAuthorization, offer: Offer, listing?: CatalogueListing): Promise<SettleResult>
  find(authorization: SignedAuthorization, sent?: SentTransaction): Promise<FindResult>
}

type Options = {
  chain: Chain
  confirmMs: number
  now: () => Date
  identityOf(authorization: SignedAuthorization): string
  /** True for an address whose transactions this installation pays for. */
  isOwn(address: string): Promise<boolean>
  /** Resolves to what hands the authorization of an offer over. A throw of that leaves open whether the money moves. */
  open(offer: Offer): Promise<Send>
}

/** Under which hash an authorization was handed over, '' where the facilitator did not say, and when. */
type HandedOver = { hash: Hex | ''; at: number }

const isHash = (text: string): text is Hex => /^0x[0-9a-f]{64}$/i.test(text)

/** Milliseconds after which a transaction that no node knows counts as dropped. Until then it may be on its way. */
const dropMs = 45_000

/** Milliseconds before an authorization is handed over again that nobody named a transaction for. */
const resendMs = 20_000

/**
 * Moves the money of authorizations, each once. What the chain says decides, before and after: a facilitator may time
 * out on a transaction that is mined a second later, and its word is no proof that we were paid, or that we were not.
 */
export const openSettlement = ({ chain, confirmMs, now, identityOf, isOwn, open }: Options): Settlement => {
  /** Handed over by this process and not seen on the chain yet. */
  const handedOver = new Map<string, HandedOver>()
  const settling = new Map<string, Promise<SettleResult>>()

  const toSettled = async (
    { transaction, log, cost: { by, wei } }: Extract<AuthorizationUse, { state: 'paid' }>,
    { from }: SignedAuthorization,
  ): Promise<Extract<FindResult, { state: 'settled' }>> => ({
    state: 'settled',
    transaction,
    payer: from,
    log,
    ...((await isOwn(by)) && { fee: { amount: String(wei), coin: chain.network.coin } }),
  })

  const toFound = async (
    use: AuthorizationUse,
    authorization: SignedAuthorization,
    hash: Hex | '' | undefined,
  ): Promise<FindResult> => {
    if (use.state === 'elsewhere') return { state: 'failed', reason: 'already_used' }
    if (use.state === 'paid') return toSettled(use, authorization)
    if (use.expired) return { state: 'failed', reason: 'expired' }
    return hash === undefined ? { state: 'unused' } : { state: 'pending', transaction: hash }
  }

  /** Looks up an earlier hand-over in this process or in the record that another one wrote. */
  const lookUp = (id: string, sent: SentTransaction | undefined): HandedOver | undefined => {
    const own = handedOver.get(id)
    if (own || !sent || !isHash(sent.transaction)) return own
    return { hash: sent.transaction, at: sent.since.getTime() }
  }

  /** True when a transaction without a receipt may still be mined. */
  const isAlive = async (hash: Hex, at: number): Promise<boolean> => {
    if (now().getTime() < at + dropMs) return true
    const reader = await chain.reader()
    return reader.getTransaction({ hash }).then(
      () => true,
      error => !(error instanceof Error && error.name === 'TransactionNotFoundError'),
    )
  }

  const find = (authorization: SignedAuthorization, sent?: SentTransaction): Promise<FindResult> =>
    onChain(chain.network, async () => {
      const id = identityOf(authorization)
      let before = lookUp(id, sent)
      const reader = await chain.reader()
      const hash = before?.hash
      const receipt = hash && (await reader.getTransactionReceipt({ hash }).catch(() => undefined))
      const own = receipt ? await transferIn(chain, receipt, authorization) : undefined
      // Mined without moving this money: reverted, or overtaken by another transaction with the same authorization.
      const isVoid = receipt ? !own : hash && before && !(await isAlive(hash, before.at))
      if (isVoid) {
        handedOver.delete(id)
        before = undefined
      }
      const use = own ?? (await findUse(chain, authorization, now(), sent?.since))
      const status = await toFound(use, authorization, before?.hash)
      if (status.state !== 'pending') handedOver.delete(id)
      return status
    })

  const wait = (hash: Hex) => chain.confirm(hash, confirmMs).catch(() => undefined)

  /** `reason` of a refusal before anything was handed over; none when it was, whatever the facilitator says. `receipt` is from our own node. */
  const hand = async (
    send: Send,
    authorization: SignedAuthorization,
    offer: Offer,
    listing: CatalogueListing | undefined,
  ): Promise<{ reason?: Refusal; receipt?: TransactionReceipt | undefined; facilitator?: string }> => {
    const id = identityOf(authorization)
    const at = now().getTime()
    try {
      const answer = await send(authorization, offer, listing)
      const { success, errorReason, transaction, unsent, receipt } = answer
      const settledBy = answer.facilitator !== undefined && { facilitator: answer.facilitator }
      if (unsent && !success) return { reason: toRefusal(errorReason) }
      handedOver.set(id, { hash: isHash(transaction) ? transaction : '', at })
      if (success && isHash(transaction))
        return { receipt: receipt ?? (await wait(transaction)), ...settledBy }
      return { ...settledBy }
    } catch {
      handedOver.set(id, { hash: '', at })
    }
    return {}
  }

  /** Returns the proof in a receipt of our own node; undefined where it is not enough. */
  const provenBy = async (
    receipt: TransactionReceipt | undefined,
    authorization: SignedAuthorization,
  ): Promise<SettleResult | undefined> => {
    const use = receipt && (await transferIn(chain, receipt, authorization))
    if (use?.state !== 'paid') return undefined
    handedOver.delete(identityOf(authorization))
    return toSettled(use, authorization)
  }

  const settleOnce = async (
    authorization: SignedAuthorization,
    offer: Offer,
    listing: CatalogueListing | undefined,
  ): Promise<SettleResult> => {
    const id = identityOf(authorization)
    const earlier = handedOver.get(id)
    if (earlier?.hash) await wait(earlier.hash)
    const before = earlier && (await find(authorization))
    const isRecent = earlier !== undefined && now().getTime() < earlier.at + resendMs
    if (before?.state === 'pending' && (before.transaction !== '' || isRecent)) return before
    if (before?.state === 'settled' || before?.state === 'failed') return before
    // Where it was used before, sending it is refused, and what the chain says of it decides.
    const send = await onChain(chain.network, () => open(offer))
    const { reason, receipt, facilitator } = await hand(send, authorization, offer, listing)
    const settledBy = facilitator !== undefined && { facilitator }
    const proven = await provenBy(receipt, authorization)
    if (proven) return { ...proven, ...settledBy }
    const after = await find(authorization).catch(error => {
      const transaction = handedOver.get(id)?.hash
      if (transaction === undefined) throw error
      return { state: 'pending', transaction } as const
    })
    if (after.state === 'settled' || after.state === 'pending') return { ...after, ...settledBy }
    if (after.state !== 'unused') return after
    // What a node refuses as used already, and no block shows: it was sent before, by an earlier process or by another.
    if (reason === undefined || reason === 'already_used' || before?.state === 'pending')
      return { state: 'pending', transaction: '', ...settledBy }
    return { state: 'refused', reason }
  }

  return {
    find,
    settle: (authorization, offer, listing) => {
      const id = identityOf(authorization)
      const running = settling.get(id)
      if (running) return running
      const settlement = settleOnce(authorization, offer, listing).finally(() => settling.delete(id))
      settling.set(id, settlement)
      return settlement
    },
  }
}
