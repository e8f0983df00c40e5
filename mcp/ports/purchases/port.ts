import type { Tx } from '../store/port.ts'

/** Direct payments that a buyer broadcasts: USDC on Base by transferWithAuthorization (EIP-3009), no facilitator. */
export type Purchases = {
  /** Why direct payments cannot be taken; empty when they can. Throws never. */
  blocking(): Promise<string[]>
  /** Returns where and in what to pay. Throws `unavailable` while something is blocking. */
  offer(): Promise<DirectOffer>
  /** Keeps a nonce for a purchase: a transfer under it pays nothing else. */
  expect(tx: Pick<Tx, 'collection'>, offer: DirectOffer, nonce: string): Promise<void>
  /** The block of a transaction and its time. Throws `upstream` when the chain does not answer. */
  minedAt(transaction: string): Promise<{ block: string; at: string }>
}

export type DirectOffer = {
  /** CAIP-2 network, `eip155:8453`. */
  network: string
  chainId: number
  asset: string
  assetName: string
  assetVersion: string
  payTo: string
  devnet: boolean
}
