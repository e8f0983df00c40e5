import { z } from 'zod'
import { tool } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import { prices } from './prices.ts'
import { BasisOutput, CoinOutput, coinList, FailedOutput, readCoins, toBasis } from './signals/output.ts'
import { venues } from './signals/venues.ts'

export default tool({
  name: 'signals',
  title: 'Derivatives signals',
  description:
    'Funding and its change over 24 h, basis, open interest, realized volatility, volatility regime and DVOL of up to 12 coins, from public venues, each number with its source and age. Use it before a trade. 40 sats; nothing where no venue answers.',
  keywords: ['perpetuals', 'futures', 'indicators', 'crypto', 'market', 'rates'],
  input: z.object({
    coins: coinList.default(['BTC', 'ETH', 'SOL', 'XRP']).describe('Coins, such as BTC,ETH'),
  }),
  output: z.object({
    coins: z.array(CoinOutput).describe('The coins of which anything is known'),
    failed: FailedOutput,
    ...BasisOutput,
    read_at: z.string().describe('When it was put together'),
  }),
  needs: ['clock', venues],
  price: prices.signals,
  limits: [{ perMinute: 30, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { tags: ['markets', 'derivatives'], text: ['signals'] },
  rest: { routes: ['GET /signals/full'] },
  examples: [{ coins: ['BTC', 'ETH'] }],
  summary: ({ coins, failed }) =>
    `${coins.map(({ coin, vol_regime }) => `${coin}: ${vol_regime?.value ?? 'regime unknown'}`).join(', ')}${failed.length > 0 ? `; ${countText(failed.length, 'thing')} missing` : ''}.`,
}).run(async ({ clock, venues }, { coins }) => {
  const now = clock.now()
  const readings = await readCoins(coins, venues.list, now)
  return {
    ...readings,
    ...toBasis(),
    read_at: now.toISOString(),
  }
})
