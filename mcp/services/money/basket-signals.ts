import { z } from 'zod'
import { tool, usd } from '../../kernel/tool.ts'
import { EvmAddressInput, readAddress } from './address.ts'
import { toVaultDeps, vaultNeeds, vaultWants } from './vault/needs.ts'

const share = (what: string) =>
  z.number().nullable().describe(`${what}: 0.01 is one percent; null where the history is shorter`)
const bps = (what: string) => z.array(z.number().int().describe('Parts of ten thousand')).describe(what)

export default tool({
  name: 'basket_signals',
  title: 'Signals of the stock basket',
  keywords: ['indicators', 'performance', 'technical', 'momentum', 'moving', 'average'],
  description:
    'Tells of each tokenized stock of the basket: returns over 1, 5, 20 and 60 trading days, volatility, RSI(14) by Wilder, trend, strength against the basket, correlations, and suggested inverse-volatility weightsBps that sum to 10000; with vault, how far it has drifted. Costs 0.007 USDC on Base; too little history is not charged.',
  input: z.object({
    vault: EvmAddressInput.optional().describe('Vault on Base whose drift is told'),
  }),
  output: z.object({
    stocks: z
      .array(
        z.object({
          symbol: z.string().describe('Symbol'),
          price: z.number().describe('Newest price in USD'),
          returns: z
            .object({
              '1d': share('Over 1 day'),
              '5d': share('Over 5 days'),
              '20d': share('Over 20 days'),
              '60d': share('Over 60 days'),
            })
            .describe('Returns over trading days'),
          volatility: z
            .object({ '20d': share('Of 20 days, a year'), '60d': share('Of 60 days, a year') })
            .describe('Deviation of daily logarithmic returns (n − 1), times the root of 252'),
          rsi14: z.number().nullable().describe('Relative strength index of 14 days by Wilder'),
          trend: z
            .enum(['up', 'down', 'flat'])
            .describe('Up: above the averages of 20 and 50 days, that of 20 not falling; down: the reverse'),
          relative_strength: z.number().describe('Return over 20 days less the mean of the basket'),
          weight_bps: z.number().int().describe('Suggested weight, parts of ten thousand'),
        }),
      )
      .describe('The stocks, in the order of the basket'),
    correlation: z
      .array(z.array(z.number().describe('From −1 to 1')).describe('One stock with each'))
      .describe('Correlation of daily returns over up to 60 days, in the order of the stocks'),
    weightsBps: bps('Suggested weights in the order of the stocks; they sum to 10000'),
    days: z.number().int().describe('Trading days that were looked at'),
    last_day: z.string().describe('Newest trading day that all stocks have'),
    as_of: z.string().describe('When the oldest of the newest prices was told, ISO 8601'),
    vault: z
      .object({
        address: z.string().describe('The vault'),
        current_bps: bps('What it holds, by value'),
        drift_bps: bps('Held less suggested'),
        max_drift_bps: z.number().int().describe('The largest of them, without its sign'),
        rebalance_advised: z.boolean().describe('True when that is above 300'),
      })
      .nullable()
      .describe('Drift of the vault; null without one'),
    simulated: z.boolean().describe('True on a local chain: stocks and prices are made up'),
  }),
  needs: vaultNeeds,
  wants: vaultWants,
  price: usd('0.007'),
  async check(ctx, input) {
    const vault = input.vault === undefined ? undefined : await readAddress(input.vault, 'vault')
    const { readSignals } = await import('./signals/basket.ts')
    await readSignals(toVaultDeps(ctx), vault)
  },
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { skill: 'basket-signals', tags: ['stocks', 'x402'] },
  rest: { routes: ['GET /v1/basket-signals'] },
  examples: [{}],
  summary: ({ stocks, days }) =>
    `${stocks.map(({ symbol, weight_bps: weightBps }) => `${symbol} ${weightBps / 100}%`).join(', ')}, from ${days} days.`,
}).run(async (ctx, input) => {
  const vault = input.vault === undefined ? undefined : await readAddress(input.vault, 'vault')
  const { readSignals } = await import('./signals/basket.ts')
  return readSignals(toVaultDeps(ctx), vault)
})
