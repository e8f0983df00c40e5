import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { tool } from '../../kernel/tool.ts'
import { prices } from './prices.ts'
import { findMacroRegime, RegimeOutput, regimeNotChecked } from './signals/macro-regime.ts'
import { BasisOutput, FailedOutput, readCoins, toBasis } from './signals/output.ts'
import { coins } from './signals/venue.ts'
import { venues } from './signals/venues.ts'

export default tool({
  name: 'market_regime',
  title: 'Macro regime of the market',
  description:
    'Says risk_on, risk_off or neutral for crypto derivatives, as the mean of capped components (trend, breadth, funding, volatility, fear) that anybody can recompute. Use it to size risk. 30 sats; nothing where the data do not suffice.',
  keywords: ['mood', 'sentiment', 'appetite', 'state'],
  input: z.object({}),
  output: z.object({
    ...RegimeOutput.shape,
    failed: FailedOutput,
    ...BasisOutput,
    read_at: z.string().describe('When it was put together'),
  }),
  needs: ['clock', venues],
  price: prices.marketRegime,
  limits: [{ perMinute: 30, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { tags: ['markets'], text: ['market regime'] },
  rest: { routes: ['GET /regime'] },
  examples: [{}],
  summary: ({ regime, score }) => `${regime.replaceAll('_', ' ')} (${score?.toFixed(2) ?? 'no score'}).`,
}).run(async ({ clock, venues }) => {
  const now = clock.now()
  const { coins: signals, failed } = await readCoins(coins, venues.list, now)
  const regime = findMacroRegime(signals)
  if (regime.regime === 'insufficient_data')
    throw new ToolError('upstream', 'The venues tell too little for a regime.', {
      retryable: true,
      retryAfter: 30,
      params: { missing: regime.missing },
    })
  return {
    ...regime,
    failed,
    ...toBasis(regimeNotChecked),
    read_at: now.toISOString(),
  }
})
