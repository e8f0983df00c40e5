import { z } from 'zod'
import { AccountInput, addressKey } from './evm/account-input.ts'
import { ChainInput } from './evm/chains.ts'
import { TokenFields } from './evm/token-fields.ts'
import { skill } from './skill.ts'

export default skill({
  id: 'token-metadata',
  argument: 'address',
  price: '0.003',
  tags: ['evm', 'blockchain', 'token'],
  keywords: ['coin', 'stablecoin', 'usdc', 'ticker', 'erc20', 'fake'],
  openWorld: true,
  cacheSec: 300,
  key: ({ address, chain }) => ({ address: addressKey(address), chain }),
  title: 'Read the metadata of a token',
  description:
    'Returns name, symbol, decimals and total supply of a token contract on Ethereum, Base, Arbitrum, Optimism or Polygon, its standard, whether it is a proxy, and a warning when it looks like a well-known token that it is not. Free over A2A and MCP, else 0.003 USD.',
  input: z.object({ address: AccountInput, chain: ChainInput }),
  output: TokenFields,
  needs: ['evm', 'fetch'],
  texts: ['token-metadata <address> <chain>'],
  examples: [
    { address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' },
    { address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', chain: 'base' },
  ],
  summary: ({ name, symbol, decimals, chain }) =>
    `${name ?? 'A contract without a name'} (${symbol ?? 'no symbol'}) on ${chain}, ${decimals ?? 'unknown'} decimals.`,
}).run(async (ports, input) => {
  const { describeToken } = await import('./evm/describe-token.ts')
  return describeToken(ports, input)
})
