import { z } from 'zod'
import { chainNames, readChain } from './evm/chains.ts'
import { GasFields } from './evm/fee-fields.ts'
import { skill } from './skill.ts'

export default skill({
  id: 'gas-tracker',
  argument: 'chain',
  price: '0.002',
  tags: ['evm', 'blockchain', 'gas'],
  keywords: [
    'current base fee',
    'cost of a transfer',
    'how much is gas',
    'fee estimate',
    'when is it cheap',
    'network congestion',
    'send cheaply',
    'L2 fees',
    'swap cost',
    'fast confirmation fee',
    'gas fees',
    'network fees',
    'transaction cost now',
    'how expensive is ethereum',
    'gwei',
    'base fee',
    'priority fee',
    'cheapest chain',
    'cheap time to transact',
    'Gasgebühren',
    'Gaspreis',
    'frais de gas',
    'prix du gas',
    'precio del gas',
    'comisiones de red',
    'costo del gas',
    'gasprijs',
    'gas费',
    'ガス代',
    'ガス料金',
    'wie hoch ist Gas',
    'gas price today',
    'frais de réseau',
    'taxa de gas',
    'kosten van een transactie',
    'Transaktionsgebühren',
  ],
  openWorld: true,
  untrusted: false,
  cacheSec: 5,
  title: 'Read gas prices',
  description:
    'Returns gas price, base fee, tips for slow, standard and fast inclusion from the last 20 blocks and the cost of a transfer, on Ethereum, Base, Arbitrum, Optimism or Polygon, or on all of them. Use it before sending a transaction. Free over A2A and MCP, else 0.002 USD.',
  input: z.object({
    chain: z
      .preprocess(readChain, z.enum([...chainNames, 'all']))
      .prefault('eth')
      .describe('Chain that is asked, or all'),
  }),
  output: GasFields,
  needs: ['evm'],
  examples: [{ chain: 'base' }, { chain: 'all' }],
  summary: ({ chain, gasPriceGwei, okCount }) =>
    chain === 'all'
      ? `Gas prices of ${okCount} of ${chainNames.length} chains.`
      : `Gas on ${chain} costs ${gasPriceGwei ?? 'an unknown number of'} gwei.`,
}).run(async ({ evm, signal, clock }, { chain }) => {
  const { trackGas } = await import('./evm/track-gas.ts')
  return trackGas({ evm, signal, now: clock.now() }, chain)
})
