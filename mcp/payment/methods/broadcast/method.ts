import type { Hash, Hex } from 'viem'
import { onChain } from '../../../ports/chain/failure.ts'
import { evmMovements } from '../../evm-movements.ts'
import { openRefunds } from '../../evm-refund.ts'
import type { Attempt, FindResult, Offer, PaymentMethod } from '../../method.ts'
import { tokenTerms, tokenWords } from '../../token-terms.ts'
import type { TransferChain } from '../../transfers/transfers.ts'
import { blockingReasons } from './blocking.ts'
import { proveBroadcast } from './proof.ts'

type Options = TransferChain & {
  /** Private key of the wallet that is paid; without it refunds are `unavailable`. */
  refundKey?: (() => Promise<Hex>) | undefined
  confirmMs?: number
  now?: () => Date
}

const isHash = (text: unknown): text is Hash => typeof text === 'string' && /^0x[0-9a-f]{64}$/i.test(text)

/**
 * USDC that the buyer moves: an authorization (EIP-3009) under a nonce of the order, broadcast by whoever pays the gas, and
 * named by its transaction. No facilitator takes part. Throws `upstream` when the chain does not answer.
 */
export const openBroadcast = (options: Options): PaymentMethod => {
  const { chain, wallet, confirmations, refundKey, confirmMs = 15_000, now = () => new Date() } = options
  const { network, devnet } = chain
  const token = { decimals: network.token.decimals, symbol: 'USDC', title: network.title }
  const refund = openRefunds(chain, refundKey, confirmMs)

  const find = async ({ data }: Attempt, offer: Offer): Promise<FindResult> => {
    const { transaction } = data
    if (!isHash(transaction))
      return { state: 'failed', reason: 'unreadable', detail: 'it is no transaction hash' }
    const expected = {
      payTo: offer.payTo,
      amount: BigInt(offer.amount),
      nonce: String(offer.extra.nonce),
      validBefore: Number(offer.extra.validBefore),
    }
    const proof = await onChain(network, () =>
      proveBroadcast(chain, transaction, expected, confirmations, now()),
    )
    if (proof.state === 'rejected') {
      const { detail, moved } = proof
      const transfer = moved && { transaction: transaction.toLowerCase(), payer: moved.payer, log: moved.log }
      return {
        state: 'failed',
        reason: 'settlement_failed',
        detail,
        ...(moved && transfer && { moved: { amount: moved.amount, transfer } }),
      }
    }
    if (proof.state === 'confirmed')
      return { state: 'settled', transaction: transaction.toLowerCase(), payer: proof.payer, log: proof.log }
    return {
      state: 'pending',
      transaction,
      params: { ...(data.params as object), confirmations: proof.confirmations, needed: proof.needed },
    }
  }

  return {
    id: 'broadcast',
    kind: 'broadcast',
    network: network.id,
    name: network.name,
    moves: 'payer',
    takes: ({ unit, terms, network: name }) =>
      unit !== 'credit' && terms?.kind === 'broadcast' && (name === undefined || name === network.name),
    blocked: async () => (await blockingReasons(options)).join(', ') || undefined,
    offer: async (quote, rates) => {
      const { rate, ...terms } = await tokenTerms(quote, rates, token, wallet)
      return {
        method: 'broadcast',
        kind: 'broadcast',
        network: network.id,
        asset: network.token.address,
        ...terms,
        maxTimeoutSeconds: 900,
        extra: { ...quote.price.terms?.data, ...(devnet && { devnet: true }), ...(rate && { rate }) },
      }
    },
    identify: ({ data }, settled) =>
      settled &&
      [network.id, network.token.address.toLowerCase(), settled.payer, String(data.nonce).toLowerCase()].join(
        '|',
      ),
    verify: async (attempt, offer) => {
      const status = await find(attempt, offer)
      if (status.state === 'settled') return { ok: true, payer: status.payer }
      return { ok: false, reason: status.state === 'failed' ? status.reason : 'settlement_failed' }
    },
    settle: async (attempt, offer) => {
      const status = await find(attempt, offer)
      return status.state === 'unused' ? { state: 'failed', reason: 'settlement_failed' } : status
    },
    find,
    refund: async (id, payer, amount, _to, _asset, notes) => ({
      state: 'sent',
      transaction: await refund(id, payer, amount, notes),
    }),
    toWords: amount => tokenWords(amount, token),
    movements: transaction => evmMovements(chain, transaction),
    close: async () => undefined,
  }
}
