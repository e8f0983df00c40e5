import { type Stablecoin, stablecoinOn, stablecoins } from '../../../lib/stablecoins.ts'

/** A network that x402 names: an EVM chain, a Solana cluster, or one of another kind. */
export type NamedNetwork =
  | { kind: 'evm'; chainId: number; coin: Stablecoin | undefined }
  | { kind: 'solana'; title: string; usdc: string }
  | { kind: 'other' }

const clusters: Readonly<Record<string, { title: string; nameV1: string | null; usdc: string }>> = {
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': {
    title: 'Solana',
    nameV1: 'solana',
    usdc: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  },
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': {
    title: 'Solana Devnet',
    nameV1: 'solana-devnet',
    usdc: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  },
}

const namesV1 = new Map<string, string>([
  ...stablecoins.flatMap(({ nameV1, chainId }) =>
    nameV1 === null ? [] : [[nameV1, `eip155:${chainId}`] as const],
  ),
  ...Object.entries(clusters).flatMap(([id, { nameV1 }]) => (nameV1 === null ? [] : [[nameV1, id] as const])),
])

/** The CAIP-2 id behind a name of x402 version 1; undefined for a name that it does not have. */
export const fromNameV1 = (name: string): string | undefined => namesV1.get(name)

/** Whether a text has the form of CAIP-2. */
export const isCaip2 = (text: string): boolean => /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/.test(text)

/** What a CAIP-2 id names. */
export const readNetwork = (id: string): NamedNetwork => {
  const chainId = /^eip155:([1-9]\d{0,14})$/.exec(id)?.[1]
  if (chainId !== undefined)
    return { kind: 'evm', chainId: Number(chainId), coin: stablecoinOn(Number(chainId)) }
  const cluster = clusters[id]
  return cluster ? { kind: 'solana', title: cluster.title, usdc: cluster.usdc } : { kind: 'other' }
}
