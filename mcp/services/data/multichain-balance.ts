import { z } from 'zod'
import { countText } from '../../lib/text/count.ts'
import { AccountInput, addressKey } from './evm/account-input.ts'
import { BalanceFields } from './evm/balance-fields.ts'
import { skill } from './skill.ts'

export default skill({
  id: 'multichain-balance',
  argument: 'address',
  price: '0.004',
  tags: ['evm', 'blockchain', 'balance'],
  keywords: ['eth', 'wallet', 'across', 'holdings', 'funds', 'amount'],
  openWorld: true,
  untrusted: false,
  cacheSec: 15,
  key: ({ address }) => addressKey(address),
  title: 'Read balances on five chains',
  description:
    'Returns the native coins of an address or ENS name on Ethereum, Base, Arbitrum, Optimism and Polygon at once, as far as the chains answer. Use it to find where an account has gas. Free over A2A and MCP, else 0.004 USD.',
  input: z.object({ address: AccountInput }),
  output: BalanceFields,
  needs: ['evm', 'fetch'],
  examples: [{ address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' }],
  summary: ({ address, non_zero: nonZero, ok_count: okCount }) =>
    `${address} has coins on ${nonZero.join(', ') || 'none'} of ${countText(okCount, 'chain')} that answered.`,
}).run(async (ports, { address }) => {
  const { readBalances: balancesOf } = await import('./evm/balances.ts')
  return balancesOf(ports, address)
})
