import type { Hex } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import type { Chain } from '../../../ports/chain/port.ts'
import { readCollector } from '../../collector.ts'
import type { Offer, Refusal } from '../../method.ts'
import type { SignedAuthorization } from './authorization.ts'
import { type FacilitatorAnswer, isUnsent } from './facilitator.ts'

const payment = [
  {
    type: 'tuple',
    components: [
      { name: 'from', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'validAfter', type: 'uint256' },
      { name: 'validBefore', type: 'uint256' },
      { name: 'nonce', type: 'bytes32' },
      { name: 'signature', type: 'bytes' },
    ],
  },
] as const

/** The words of tokens and contracts that take an authorization once, for one that they have taken. */
const usedWords = /used|AlreadyBridged|already/i
const fundsWords = /exceeds balance|insufficient/i

const messages = (cause: unknown): string =>
  cause instanceof Error ? `${cause.message} ${messages(cause.cause)}` : ''

const toReason = (cause: unknown): Refusal => {
  const words = messages(cause)
  if (usedWords.test(words)) return 'already_used'
  return fundsWords.test(words) ? 'insufficient_funds' : 'settlement_failed'
}

const noRelayer = () =>
  new ToolError('unavailable', 'Payments that a contract collects cannot be taken: no relayer is configured.')

/** The call of the contract that collects: both structs are dynamic, so their offsets come first. */
const encodeCall = async (
  { from, value, validAfter, validBefore, nonce, signature }: SignedAuthorization,
  offer: Offer,
): Promise<{ to: Hex; data: Hex } | undefined> => {
  const collector = readCollector(offer)
  if (!collector) return undefined
  const { concatHex, encodeAbiParameters, numberToHex, size, slice } = await import('viem')
  const signed = encodeAbiParameters(payment, [
    { from, value, validAfter, validBefore, nonce, signature },
  ] as const)
  // The first word is the offset that a lone struct has.
  const first = slice(signed, 32)
  const offsets = [64, 64 + size(first)].map(offset => numberToHex(offset, { size: 32 }))
  const data = concatHex([collector.selector as Hex, ...offsets, first, collector.argument as Hex])
  return { to: collector.contract as Hex, data }
}

/**
 * Payments that a contract collects itself: this process calls it from the wallet of `relayerKey`. The contract takes an
 * authorization once, so the call may be sent again where it was lost, by whichever process.
 */
export const openCollecting = (
  chain: Chain,
  relayerKey: (() => Promise<Hex>) | undefined,
  confirmMs: number,
) => {
  const openRelayer = async () => {
    if (!relayerKey) throw noRelayer()
    return chain.wallet(await relayerKey())
  }
  return {
    /** Has the contract carry it out without sending it: why it would fail, or undefined. */
    tryOut: async (authorization: SignedAuthorization, offer: Offer): Promise<Refusal | undefined> => {
      const [call, relayer, reader] = await Promise.all([
        encodeCall(authorization, offer),
        openRelayer(),
        chain.reader(),
      ])
      if (!call) return 'unreadable'
      try {
        await reader.call({ account: relayer.address, ...call })
        return undefined
      } catch (cause) {
        if (isUnsent(cause)) return toReason(cause)
        throw cause
      }
    },
    /** Sends it. The estimate of its gas is the last look before that: what reverts there has left this process for nobody. */
    send: async (authorization: SignedAuthorization, offer: Offer): Promise<FacilitatorAnswer> => {
      const call = await encodeCall(authorization, offer)
      if (!call) return { success: false, unsent: true, errorReason: 'invalid_payload', transaction: '' }
      const relayer = await openRelayer()
      try {
        const { hash, receipt } = await relayer.carry(call, confirmMs)
        return { success: true, transaction: hash, receipt }
      } catch (cause) {
        if (!isUnsent(cause)) throw cause
        const reason = toReason(cause)
        const errorReason = reason === 'already_used' ? 'nonce_already_used' : reason
        return { success: false, unsent: true, errorReason, transaction: '' }
      }
    },
  }
}
