import { z } from 'zod'
import { bundle } from './bundle/bundle.ts'

const chains = ['eth', 'base', 'arbitrum', 'optimism', 'polygon'] as const

export default bundle({
  name: 'wallet-report',
  title: 'Report on a wallet',
  description:
    'Runs evm-address-intel on one chain, multichain-balance and gas-tracker for one address and one price; a part that fails leaves the others. Free over A2A and MCP (counts as 3 calls), else 0.006 USD.',
  argument: 'address',
  input: z.object({
    address: z.string().max(100).describe('EVM address'),
    chain: z.enum(chains).default('eth').describe('Chain of the close look'),
  }),
  price: '0.006',
  parts: {
    'evm-address-intel': ({ address, chain }) => ({ address, chain }),
    'multichain-balance': ({ address }) => ({ address }),
    'gas-tracker': ({ chain }) => ({ chain }),
  },
  target: ({ address }) => address.toLowerCase(),
  tags: ['evm', 'wallet', 'bundle'],
  keywords: ['overview', 'everything', 'full', 'profile', 'analyse', 'dossier'],
  examples: [{ address: '0x000000000000000000000000000000000000dEaD' }],
})
