import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { prices } from './prices.ts'
import { BasisOutput, CoinOutput, FailedOutput, readCoins, toBasis } from './signals/output.ts'
import { venues } from './signals/venues.ts'

export default tool({
  name: 'btc_regime',
  title: 'Volatility regime of BTC',
  description:
    'Says whether the volatility of BTC expands, contracts or neither, with its source and age. Use it as a first look before buying the full signals. Free.',
  keywords: ['bitcoin', 'state', 'calm', 'turbulent'],
  input: z.object({}),
  output: z.object({
    coin: z.literal('BTC').describe('BTC'),
    vol_regime: CoinOutput.shape.vol_regime,
    vol_expansion: CoinOutput.shape.vol_expansion,
    failed: FailedOutput,
    ...BasisOutput,
    full: z
      .object({
        tool: z.string().describe('Tool with all signals'),
        price: z.string().describe('What it costs'),
      })
      .describe('Where there is more'),
    read_at: z.string().describe('When it was put together'),
  }),
  needs: ['clock', venues],
  price: free,
  limits: [{ perMinute: 30, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { tags: ['markets'], text: ['btc regime'] },
  rest: { routes: ['GET /signals'] },
  examples: [{}],
  summary: ({ vol_regime }) => `Volatility of BTC: ${vol_regime?.value ?? 'not known'}.`,
}).run(async ({ clock, venues }) => {
  const now = clock.now()
  const { coins, failed } = await readCoins(['BTC'], venues.list, now)
  const [btc] = coins
  return {
    coin: 'BTC' as const,
    vol_regime: btc?.vol_regime ?? null,
    vol_expansion: btc?.vol_expansion ?? null,
    failed: failed.filter(({ field }) => field === 'closes' || field.startsWith('vol_')),
    ...toBasis(),
    full: { tool: 'signals', price: `${prices.signals.amount} sats` },
    read_at: now.toISOString(),
  }
})
