import { createKeyPairSignerFromBytes } from '@solana/kit'
import { x402Client } from '@x402/core/client'
import type { PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { privateKeyToAccount } from 'viem/accounts'
import { fromBase58 } from '../mcp/ports/solnet/base58.ts'

/** A wallet with the stock x402 client. */
export type Payer = {
  /** `fetch` that pays what it is asked to. */
  fetch: typeof fetch
  /** A signed payment for a quote. */
  sign(quote: unknown): Promise<object>
}

const payerWith = (client: x402Client): Payer => ({
  fetch: wrapFetchWithPayment(fetch, client) as typeof fetch,
  sign: quote => client.createPaymentPayload(quote as PaymentRequired),
})

/** Pays on EVM networks with a private key. */
export const evmPayer = (key: `0x${string}`): Payer =>
  payerWith(new x402Client().register('eip155:*', new ExactEvmScheme(privateKeyToAccount(key))))

/** Pays on Solana with a secret key in base58, and asks the chain at `rpcUrl`. */
export const solanaPayer = async (key: string, rpcUrl: string): Promise<Payer> => {
  const signer = await createKeyPairSignerFromBytes(new Uint8Array(fromBase58(key) ?? []))
  return payerWith(new x402Client().register('solana:*', new ExactSvmScheme(signer, { rpcUrl })))
}
