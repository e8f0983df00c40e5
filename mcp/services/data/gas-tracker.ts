import { z } from 'zod'
import { chainNames, parseChainName } from './evm/chains.ts'
import { GasFields } from './evm/fee-fields.ts'
import { skill } from './skill.ts'

export default skill({
  id: 'gas-tracker',
  argument: 'chain',
  price: '0.002',
  tags: ['evm', 'blockchain', 'gas'],
  keywords: ['expensive', 'cheap', 'priority', 'gwei', 'current'],
  openWorld: true,
  untrusted: false,
  cacheSec: 5,
  title: 'Read gas prices',
  description:
    'Returns gas price, base fee, tips for slow, standard and fast inclusion from the last 20 blocks and the cost of a transfer, on Ethereum, Base, Arbitrum, Optimism or Polygon, or on all of them. Use it before sending a transaction. Free over A2A and MCP, else 0.002 USD.',
  input: z.object({
    chain: z
      .preprocess(parseChainName, z.enum([...chainNames, 'all']))
      .prefault('eth')
      .describe('Chain that is asked, or all'),
  }),
  output: GasFields,
  needs: ['evm'],
  examples: [{ chain: 'base' }, { chain: 'all' }],
  summary: ({ chain, gas_price_gwei: gasPriceGwei, ok_count: okCount }) =>
    chain === 'all'
      ? `Gas prices of ${okCount} of ${chainNames.length} chains.`
      : `Gas on ${chain} costs ${gasPriceGwei ?? 'an unknown number of'} gwei.`,
}).run(async ({ evm, signal, clock }, { chain }) => {
  const { trackGas } = await import('./evm/track-gas.ts')
  return trackGas({ evm, signal, now: clock.now() }, chain)
})
