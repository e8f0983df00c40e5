import { type Stablecoin, stablecoinOn } from '../../../lib/stablecoins.ts'
import { usdcByNetwork } from '../../../lib/usd-tokens.ts'
import { networksV1 } from '../../../lib/x402-networks.ts'

/** A network that x402 names: an EVM chain, a Solana cluster, or one of another kind. */
export type NamedNetwork =
  | { kind: 'evm'; chainId: number; coin: Stablecoin | undefined }
  | { kind: 'solana'; title: string; usdc: string }
  | { kind: 'other' }

const clusters: Readonly<Record<string, { title: string; usdc: string }>> = {
  [networksV1.solana]: { title: 'Solana', usdc: usdcByNetwork[networksV1.solana] },
  [networksV1['solana-devnet']]: { title: 'Solana Devnet', usdc: usdcByNetwork[networksV1['solana-devnet']] },
}

/** True when a text has the form of CAIP-2. */
export const isCaip2 = (text: string): boolean => /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/.test(text)

/** Reads the network of a CAIP-2 id. */
export const readNetwork = (id: string): NamedNetwork => {
  const chainId = /^eip155:([1-9]\d{0,14})$/.exec(id)?.[1]
  if (chainId !== undefined)
    return { kind: 'evm', chainId: Number(chainId), coin: stablecoinOn(Number(chainId)) }
  const cluster = clusters[id]
  return cluster ? { kind: 'solana', title: cluster.title, usdc: cluster.usdc } : { kind: 'other' }
}
