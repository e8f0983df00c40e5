import type { SkillGroup } from '../../kernel/service.ts'

/** The A2A skills that are several tools. */
export const skillGroups: readonly SkillGroup[] = [
  {
    id: 'bridge',
    name: 'Bridge USDC',
    description:
      'Brings USDC from Base to 16 chains, or from Arc to Base, to the payer’s own address, by one signed payment. Routes, quotes and the state of transfers are free; the transfer costs its quote over x402.',
    tags: ['bridge', 'usdc', 'cctp', 'x402'],
    default: 'bridge_quote',
  },
  {
    id: 'price-to-beat',
    name: 'Price to beat',
    description:
      'What up-or-down markets for btc, eth, sol and xrp over 5 and 15 minutes are decided by. Windows are listed for free; the price of one is 0.004 USDC.',
    tags: ['prediction-markets', 'prices', 'x402'],
    default: 'price_to_beat',
  },
  {
    id: 'discover-index',
    name: 'Stock index',
    description: 'The four tokenized stocks with live prices, and what the vault of an owner holds. Free.',
    tags: ['stocks', 'vault'],
    default: 'discover_index',
  },
  {
    id: 'rebalance',
    name: 'Rebalance a vault',
    description: 'Calldata that sets the weights of a stock vault and trades it to them. Free.',
    tags: ['stocks', 'vault'],
    default: 'rebalance',
  },
  {
    id: 'gas',
    name: 'Sponsored gas',
    description:
      'Has the gas of calls paid for, in USDC: plain accounts by EIP-7702, smart accounts of EntryPoint 0.8, and transactions on Solana. The quote is free; from 0.03 USDC over x402.',
    tags: ['gas', 'erc-4337', 'eip-7702', 'solana', 'x402'],
    default: 'gas_quote',
  },
  {
    id: 'debug',
    name: 'Why a payment does not work',
    description:
      'Probes priced endpoints, decodes x402 messages, checks authorizations and accounts, explains transactions. Free.',
    tags: ['debugging', 'x402', 'usdc'],
  },
]
