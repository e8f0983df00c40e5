import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { ToolError } from '../../../kernel/error.ts'
import { canonicalAddress } from '../../../lib/chain-address.ts'
import { isRecord } from '../../../lib/json.ts'
import type {
  Attempt,
  FindResult,
  Offer,
  PaymentMethod,
  Refusal,
  SentTransaction,
  SettleResult,
  VerifyResult,
} from '../../method.ts'

const hash = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('base64url')

/** The message of a Solana transaction: what is signed, without the signatures that anybody may strip. */
const readMessage = (base64: string): Buffer => {
  const bytes = Buffer.from(base64, 'base64')
  const [signatures = 0] = bytes
  return bytes.subarray(1 + 64 * signatures)
}

const text = (value: unknown): value is string => typeof value === 'string' && value !== ''

/**
 * Names the money of an exact payment: payer and nonce of an authorization (EIP-3009, as the method with our own look at
 * the chain names it; Permit2), else the message of a Solana transaction, else all that was sent.
 */
const identifyExact = ({ network, accepted, data }: Attempt, asset: string): string | undefined => {
  const { authorization, permit2Authorization: permit, transaction } = data
  if (isRecord(authorization) && text(authorization.from) && text(authorization.nonce))
    return [network, accepted?.asset ?? asset, authorization.from, authorization.nonce]
      .join('|')
      .toLowerCase()
  if (isRecord(permit) && text(permit.from) && text(permit.nonce))
    return [network, 'permit2', permit.from, permit.nonce].join('|').toLowerCase()
  if (text(transaction)) return [network, hash(readMessage(transaction))].join('|')
  const whole = canonicalize(data)
  return whole === undefined || whole === '{}' ? undefined : [network, hash(whole)].join('|')
}

/** Requests to a seller's own x402 server and its facilitator. A throw leaves open what became of the money. */
export type Carrier = {
  verify(
    attempt: Attempt,
    offer: Offer,
  ): Promise<{ isValid: boolean; invalidReason?: string | undefined; payer?: string | undefined }>
  settle(
    attempt: Attempt,
    offer: Offer,
  ): Promise<{
    success: boolean
    errorReason?: string | undefined
    transaction: string
    payer?: string | undefined
    /** Only where it is sure that the payment was handed to nobody. */
    unsent?: boolean
  }>
}

/** Chain access that a method with its own lends to this one. */
export type ChainView = Pick<PaymentMethod, 'find' | 'refund' | 'isSignedBy' | 'inspect'>

export type X402ServerOptions = {
  /** CAIP-2. */
  network: string
  kind: string
  /** For people: `Base`. */
  title: string
  /** Asset of payments that name none, such as those of x402 v1. */
  asset: string
  carrier: Carrier
  /** A facilitator's reason as a Refusal. */
  toRefusal(reason: string | undefined): Refusal
  /**
   * Looks at the chain for one asset, and gives money back; where there is none, only the facilitator can say what became of a
   * payment.
   */
  chain?: ((asset: string) => ChainView) | undefined
  /** True when the chain is asked also for what the facilitator calls settled. */
  proves: boolean
  /** Milliseconds that the chain may take to show what the facilitator calls settled. Default 5,000. */
  showMs?: number
}

const payerIn = ({ data }: Attempt): string => {
  const { authorization, permit2Authorization: permit } = data
  const from = (isRecord(authorization) && authorization.from) || (isRecord(permit) && permit.from)
  return typeof from === 'string' ? canonicalAddress(from) : ''
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** Refuses an authorization that pays something else than the offer, whoever signed it. */
const termsRefusal = ({ data }: Attempt, offer: Offer): Refusal | undefined => {
  const { authorization } = data
  if (!isRecord(authorization)) return undefined
  const { to, value } = authorization
  if (canonicalAddress(String(to)) !== canonicalAddress(offer.payTo)) return 'wrong_recipient'
  if (!/^\d{1,78}$/.test(String(value))) return 'unreadable'
  return BigInt(String(value)) < BigInt(offer.amount) ? 'too_little' : undefined
}

/**
 * x402 `exact` on a network of a seller's own x402 server: its facilitator checks and moves the money. What it calls settled is
 * believed, unless the chain is to prove it; what it calls failed, or leaves open, is not: then the chain is asked.
 */
export const openX402Server = (options: X402ServerOptions): PaymentMethod => {
  const { network, kind, title, asset, carrier, toRefusal, chain, proves, showMs = 5_000 } = options
  const identify = (attempt: Attempt) => identifyExact(attempt, asset)

  /** Transactions sent but not yet seen on the chain. */
  const transactions = new Map<string, string>()

  const find = async (attempt: Attempt, offer: Offer, earlier?: SentTransaction): Promise<FindResult> => {
    const name = identify(attempt) ?? ''
    if (chain) {
      const status = await chain(offer.asset).find(attempt, offer, earlier)
      const transaction = transactions.get(name)
      if (status.state === 'unused' && transaction !== undefined) return { state: 'pending', transaction }
      if (status.state !== 'pending') transactions.delete(name)
      return status
    }
    const { isValid } = await carrier.verify(attempt, offer)
    if (isValid) return { state: 'unused' }
    // Used, or gone: only the facilitator can tell which, and one that settled it before says so again.
    const answer = await carrier.settle(attempt, offer)
    if (answer.success) return toSettled(attempt, answer)
    throw new Error('nobody knows what became of this payment')
  }

  const toSettled = (
    attempt: Attempt,
    { transaction, payer }: { transaction: string; payer?: string | undefined },
  ): Extract<SettleResult, { state: 'settled' }> => ({
    state: 'settled',
    transaction,
    payer: canonicalAddress(payer ?? payerIn(attempt)),
    log: `${network}:${transaction}:${identify(attempt) ?? ''}`,
  })

  /** The chain's word for what the facilitator calls settled: a node may be a moment behind. */
  const prove = async (attempt: Attempt, offer: Offer, transaction: string): Promise<SettleResult> => {
    transactions.set(identify(attempt) ?? '', transaction)
    const until = Date.now() + showMs
    for (;;) {
      const status = await find(attempt, offer)
      if (status.state === 'settled' || status.state === 'failed') return status
      if (Date.now() > until) return { state: 'pending', transaction }
      await pause(250)
    }
  }

  return {
    id: 'x402-server',
    kind,
    network,
    name: title,
    moves: 'us',
    takes: () => false,
    offer: () =>
      Promise.reject(new ToolError('unavailable', `${title} takes only offers that a route brings.`)),
    identify,
    verify: async (attempt, offer) => {
      const wrong = termsRefusal(attempt, offer)
      if (wrong) return { ok: false, reason: wrong }
      const { isValid, invalidReason, payer } = await carrier.verify(attempt, offer)
      if (!isValid) return { ok: false, reason: toRefusal(invalidReason) }
      return { ok: true, payer: canonicalAddress(payer ?? payerIn(attempt)) }
    },
    settle: async (attempt, offer) => {
      const wrong = termsRefusal(attempt, offer)
      if (wrong) return { state: 'refused', reason: wrong }
      const answer = await carrier.settle(attempt, offer)
      const { success, errorReason, transaction, unsent } = answer
      if (success) return proves ? prove(attempt, offer, transaction) : toSettled(attempt, answer)
      if (unsent) return { state: 'refused', reason: toRefusal(errorReason) }
      if (errorReason !== 'settlement_pending') return { state: 'failed', reason: toRefusal(errorReason) }
      transactions.set(identify(attempt) ?? '', transaction)
      return { state: 'pending', transaction }
    },
    find,
    refund: async (id, payer, amount, to, paidAsset = asset) => {
      if (chain) return chain(paidAsset).refund(id, payer, amount, to)
      throw new ToolError('unavailable', `There is no way to give money back on ${title} from here.`, {
        hint: 'Send the money from your own wallet.',
      })
    },
    ...(chain && {
      inspect: async (attempt: Attempt, offer: Offer): Promise<VerifyResult> =>
        (await chain(offer.asset).inspect?.(attempt, offer)) ?? { ok: false, reason: 'unreadable' },
      isSignedBy: async (payer: string, text: string, signature: string) =>
        (await chain(asset).isSignedBy?.(payer, text, signature)) ?? false,
    }),
    close: async () => undefined,
  }
}
