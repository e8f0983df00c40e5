import { usdcByNetwork } from '../../lib/usd-tokens.ts'

/** A Solana cluster that payments are taken on, with its USDC. */
export type SolanaNetwork = {
  /** The name that prices use. */
  name: 'solana'
  title: string
  /** CAIP-2. */
  id: `solana:${string}`
  /** Hash of its first block. */
  genesis: string
  /** Address of the USDC mint, as Circle publishes it. */
  mint: string
  decimals: 6
}

export const solanaNetworks = {
  mainnet: {
    name: 'solana',
    title: 'Solana',
    id: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    genesis: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    mint: usdcByNetwork['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
    decimals: 6,
  },
  devnet: {
    name: 'solana',
    title: 'Solana devnet',
    id: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    genesis: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
    mint: usdcByNetwork['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'],
    decimals: 6,
  },
} as const satisfies Record<string, SolanaNetwork>

/** The SPL Token program, which USDC is kept by. */
export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

/** The associated token account of a wallet: where stock clients send to and pay from. */
export const findTokenAccount = async (mint: string, owner: string): Promise<string> => {
  const { address } = await import('@solana/kit')
  const { findAssociatedTokenPda } = await import('@solana-program/token')
  const seeds = { mint: address(mint), owner: address(owner), tokenProgram: address(tokenProgram) }
  const [account] = await findAssociatedTokenPda(seeds)
  return account
}
