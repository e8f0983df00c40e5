import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { base58, fromBase58 } from '../../../ports/solnet/base58.ts'
import type { SolanaNetwork } from '../../../ports/solnet/network.ts'
import { readTransaction } from '../../../ports/solnet/transaction.ts'
import type { CatalogueListing, Offer, Refusal, SentTransaction } from '../../method.ts'
import type { Cluster } from './cluster.ts'
import { toSvmRefusal } from './refusal.ts'
import type { SvmTransfer } from './transfer.ts'

/** Checks and settles transactions on Solana: in this process, or elsewhere. */
export type SvmFacilitator = {
  /** The wallets that pay fees; the first one is offered. */
  feePayers(): Promise<readonly string[]>
  /** Checks layout, signatures and a simulated run, as any x402 facilitator does. */
  verify(transfer: SvmTransfer, offer: Offer): Promise<Refusal | undefined>
  /**
   * Under which signature the transaction lands, or has landed. In this process the same transaction gets the same one each time,
   * so what became of it can be asked without having kept anything; of one elsewhere the chain has to be asked.
   */
  signature(transfer: SvmTransfer, sent?: SentTransaction): Promise<string | undefined>
  /** Signs and hands over a transaction that was verified; `signature` where it is worth waiting for. A throw leaves open whether it lands. */
  send(
    transfer: SvmTransfer,
    offer: Offer,
    listing?: CatalogueListing,
  ): Promise<{ signature: string | undefined; facilitator?: string }>
  /** The transaction is on the chain, or never will be. */
  forget?(transfer: SvmTransfer): void
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
  cluster: Cluster,
): Promise<SvmFacilitator> => {
  const [{ createKeyPairSignerFromBytes }, { toFacilitatorSvmSigner }, { ExactSvmScheme }] =
    await Promise.all([import('@solana/kit'), import('@x402/svm'), import('@x402/svm/exact/facilitator')])
  const wallet = await createKeyPairSignerFromBytes(new Uint8Array(fromBase58(key) ?? []))
  const signer = toFacilitatorSvmSigner(wallet, { defaultRpcUrl: rpc })
  const scheme = new ExactSvmScheme(signer, undefined, limits)

  const sign = async ({ wire }: SvmTransfer) => {
    const signed = await signer.signTransaction(wire, wallet.address, network.id)
    const [signature] = readTransaction(Buffer.from(signed, 'base64'))?.signatures ?? []
    if (!signature) throw new Error('a signed transaction is unreadable')
    return { wire: signed, signature: base58(signature) }
  }

  return {
    feePayers: async () => [wallet.address],
    verify: async ({ wire, amount }, offer) => {
      // In our own words, so that nothing of what a client says of the offer counts.
      const extra = { feePayer: wallet.address }
      const { network: id, asset, payTo, maxTimeoutSeconds } = offer
      const terms = { network: id, asset, payTo, maxTimeoutSeconds, extra }
      const requirements = { scheme: 'exact', ...terms, amount: String(amount) } as PaymentRequirements
      const payload: PaymentPayload = {
        x402Version: 2,
        accepted: requirements,
        payload: { transaction: wire },
      }
      const { isValid, invalidReason } = await scheme.verify(payload, requirements)
      return isValid ? undefined : toSvmRefusal(invalidReason)
    },
    signature: async transfer => (await sign(transfer)).signature,
    send: async transfer => {
      const { wire, signature } = await sign(transfer)
      // A node that says no has the transaction all the same, but it is not waited for.
      return { signature: (await cluster.send(wire)) === 'refused' ? undefined : signature }
    },
  }
}
