import { x402Client } from '@x402/core/client'
import type { PaymentRequired, SchemeNetworkClient } from '@x402/core/types'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { clean } from '../../../lib/text/clean.ts'

/** True when the stock client, as it comes, would pay a quote; `reason` is what it says where it would not. */
export type ClientVerdict = { pays: boolean; reason: string | null }

/** Decides as the stock scheme for Solana does, and builds nothing: a transaction needs a node. */
const openSolanaScheme = async (): Promise<SchemeNetworkClient> => {
  const { findDefaultAsset } = await import('@x402/svm')
  return {
    scheme: 'exact',
    findDefaultAsset: (asset: string, network: string) => findDefaultAsset(asset, network as never),
    createPaymentPayload: async (x402Version: number) => ({ x402Version, payload: {} }),
  }
}

/** The client's reason without the offers that it repeats. */
const toReason = (problem: unknown): string =>
  clean(problem instanceof Error ? problem.message.replace(/\s*\{[\s\S]*$/, '') : '', 300) ??
  'it gives no reason'

/**
 * Lets the stock client (`@x402/core`, default spend controls) sign a quote with a key that is made for it and forgotten. Nothing is
 * sent, and the key owns nothing.
 */
export const tryStockClient = async (quote: unknown): Promise<ClientVerdict> => {
  const client = new x402Client()
  registerExactEvmScheme(client, { signer: privateKeyToAccount(generatePrivateKey()) })
  if (JSON.stringify(quote).includes('"solana')) client.register('solana:*', await openSolanaScheme())
  try {
    await client.createPaymentPayload(quote as PaymentRequired)
    return { pays: true, reason: null }
  } catch (problem) {
    return { pays: false, reason: toReason(problem) }
  }
}
