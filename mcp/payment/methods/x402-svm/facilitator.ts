import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { base58, fromBase58 } from '../../../ports/solnet/base58.ts'
import type { SolanaNetwork } from '../../../ports/solnet/network.ts'
import { readTransaction } from '../../../ports/solnet/transaction.ts'
import type { Offer, Refusal } from '../../method.ts'
import { svmRefusalOf } from './refusal.ts'
import type { SvmTransfer } from './transfer.ts'

/** The x402 facilitator of this process for Solana. */
export type SvmFacilitator = {
  /** The wallet that pays the fees. */
  feePayer: string
  /** Checks layout, signatures and a simulated run, as any x402 facilitator does. */
  verify(transfer: SvmTransfer, offer: Offer): Promise<Refusal | undefined>
  /**
   * Signs as the fee payer. The same transaction gets the same signature each time, so what became of it can be asked
   * without having kept anything. To be published only after `verify`.
   */
  sign(transfer: SvmTransfer): Promise<{ wire: string; signature: string }>
}

// The payer chooses the fee and the fee payer pays it: at most 0.0002 SOL above the base fee.
const limits = {
  maxComputeUnits: 200_000,
  maxPriorityFeeMicroLamports: 1_000_000,
  maxRequiredSignatures: 2,
}

/** `key` is the fee payer's secret key, base58 of 64 bytes. */
export const openSvmFacilitator = async (
  network: SolanaNetwork,
  rpc: string,
  key: string,
): Promise<SvmFacilitator> => {
  const [{ createKeyPairSignerFromBytes }, { toFacilitatorSvmSigner }, { ExactSvmScheme }] =
    await Promise.all([import('@solana/kit'), import('@x402/svm'), import('@x402/svm/exact/facilitator')])
  const wallet = await createKeyPairSignerFromBytes(new Uint8Array(fromBase58(key) ?? []))
  const signer = toFacilitatorSvmSigner(wallet, { defaultRpcUrl: rpc })
  const scheme = new ExactSvmScheme(signer, undefined, limits)

  return {
    feePayer: wallet.address,
    verify: async ({ wire, amount }, offer) => {
      // In our own words, so that nothing of what a client says of the offer counts.
      const extra = { feePayer: wallet.address }
      const { network: id, asset, payTo, maxTimeoutSeconds } = offer
      const terms = { network: id, asset, payTo, maxTimeoutSeconds, extra }
      const asked = { scheme: 'exact', ...terms, amount: String(amount) } as PaymentRequirements
      const payload: PaymentPayload = { x402Version: 2, accepted: asked, payload: { transaction: wire } }
      const { isValid, invalidReason } = await scheme.verify(payload, asked)
      return isValid ? undefined : svmRefusalOf(invalidReason)
    },
    sign: async ({ wire }) => {
      const signed = await signer.signTransaction(wire, wallet.address, network.id)
      const [signature] = readTransaction(Buffer.from(signed, 'base64'))?.signatures ?? []
      if (!signature) throw new Error('a signed transaction is unreadable')
      return { wire: signed, signature: base58(signature) }
    },
  }
}
