import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { toVaultDeps, vaultNeeds, vaultWants } from './vault/needs.ts'

const text = (what: string) => z.string().describe(what)

export default tool({
  name: 'discover_index',
  title: 'Look at the stock index',
  keywords: ['basket', 'invest', 'overview', 'equities', 'addresses', 'apple'],
  description:
    'Tells of the four tokenized stocks on Base that a vault holds: tokens, live prices with their ages, whether the exchange trades, what a vault costs, and which tools come in which order. Start here. Free.',
  input: z.object({}),
  output: z.object({
    chainId: z.number().int().describe('EIP-155 id'),
    stablecoin: text('USDC that vaults take'),
    constituents: z
      .array(
        z.object({
          symbol: text('Symbol'),
          token: text('Token'),
          decimals: z.number().int().describe('Decimals of the token'),
          feed: text('Chainlink feed of its price'),
          price: z.string().nullable().describe('USD; null when the feed is dead'),
          price_at: z.string().nullable().describe('When it was told, ISO 8601'),
          price_age_seconds: z.number().int().nullable().describe('Its age'),
          state: z
            .enum(['live', 'frozen', 'stale', 'dead'])
            .describe(
              'Live; frozen at the last close while the exchange is closed; too old for vaults; or no price',
            ),
        }),
      )
      .describe('The stocks, in the order that weights have'),
    market: z
      .object({
        open: z.boolean().describe('The exchange trades now'),
        since: text('Since when it does or does not, ISO 8601'),
      })
      .describe('The exchange of the stocks (New York)'),
    fees: z
      .object({
        vault_bps: z.number().int().describe('What the vault takes: nothing'),
        max_slippage_bps: z
          .number()
          .int()
          .describe('What a purchase may cost at most, by the price; each answer says what it costs'),
      })
      .describe('Costs, parts of ten thousand'),
    contracts: z
      .object({
        factory: text('Opens vaults'),
        oracle: text('Reads the feeds'),
        venue: text('Where vaults trade'),
      })
      .describe('Contracts on the chain'),
    flow: z.array(text('A step')).describe('What to call in which order'),
    note: text('Who may not hold these stocks'),
    warnings: z.array(text('In words')).describe('What to know before buying'),
    simulated: z.boolean().describe('True on a local chain: stocks and prices are made up'),
  }),
  needs: vaultNeeds,
  wants: vaultWants,
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'discover-index', text: ['discover-index'], tags: ['stocks'] },
  rest: { routes: ['GET /v1/discover-index'] },
  examples: [{}],
  summary: ({ constituents }) =>
    constituents.map(({ symbol, price }) => `${symbol} ${price ?? 'without a price'}`).join(', '),
}).run(async ctx => {
  const { openBasket } = await import('./vault/basket.ts')
  const { describeIndex } = await import('./vault/index-facts.ts')
  return describeIndex(await openBasket(toVaultDeps(ctx)))
})
