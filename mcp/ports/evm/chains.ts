import type { EvmNetwork } from './port.ts'

/** EIP-155 ids, which every endpoint is asked for before it is believed. */
export const evmChains: Readonly<Record<EvmNetwork, { id: number; title: string }>> = {
  eth: { id: 1, title: 'Ethereum' },
  base: { id: 8453, title: 'Base' },
  arbitrum: { id: 42161, title: 'Arbitrum One' },
  optimism: { id: 10, title: 'OP Mainnet' },
  polygon: { id: 137, title: 'Polygon PoS' },
  'base-sepolia': { id: 84532, title: 'Base Sepolia' },
  arc: { id: 5042, title: 'Arc' },
}
