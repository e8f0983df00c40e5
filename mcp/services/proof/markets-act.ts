import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { tool } from '../../kernel/tool.ts'
import type { Workers } from '../../ports/workers/port.ts'
import { prices } from './prices.ts'
import { tradingState } from './review/config.ts'
import { severities } from './review/finding.ts'
import { reviewText } from './review/review-text.ts'
import type { TradingState } from './review/trading-state.ts'
import { policyVersion } from './review/verdict.ts'
import { BriefOutput, readBrief } from './signals/brief.ts'
import type { CoinSignals } from './signals/coin-signals.ts'
import { findMacroRegime, RegimeOutput, regimeNotChecked } from './signals/macro-regime.ts'
import { BasisOutput, CoinOutput, coinList, FailedOutput, readCoins, toBasis } from './signals/output.ts'
import { coins as allCoins } from './signals/venue.ts'
import { venues } from './signals/venues.ts'

const parts = ['regime', 'signals', 'brief', 'review'] as const

const ReviewOutput = z
  .object({
    verdict: z
      .enum(['approve', 'approve_with_concerns', 'reject'])
      .describe('The worst that was found of the trade'),
    confidence: z.number().describe('How much of it could be judged'),
    issues: z
      .array(
        z.object({
          rule: z.string().describe('Id of the rule'),
          severity: z.enum(severities).describe('A blocker rejects; high and medium are concerns'),
          detail: z.string().describe('What was found'),
          suggested_fix: z.string().describe('What to do about it'),
        }),
      )
      .describe('What was found, worst first'),
    mark_price_usd: z.number().nullable().describe('Mark price that it was held against'),
    with_trading_state: z.boolean().describe('It was held against the trading state'),
    engine: z.string().describe('The layers that decided'),
    policy_version: z.string().describe('Version of the review'),
    checks_run: z.array(z.string().describe('One thing')).describe('Families of checks that were run'),
  })
  .describe('Verdict on the trade')

const Input = z.object({
  coins: coinList.default(['BTC', 'ETH', 'SOL', 'XRP']).describe('Coins, such as BTC,ETH'),
  artifact: z
    .string()
    .regex(/\S/, 'must not be empty')
    .max(20_000, 'must have at most 20000 characters')
    .optional()
    .describe('A trade to review against the rules and the market; up to 20,000 characters'),
  artifact_type: z.enum(['trade', 'plan', 'analysis', 'general']).default('trade').describe('What it is'),
  context: z.string().max(4000).optional().describe('What it is for'),
})

const reviewTrade = async (
  workers: Workers,
  { artifact: text, artifact_type: type, context }: z.output<typeof Input> & { artifact: string },
  signals: readonly CoinSignals[],
  state: TradingState | undefined,
): Promise<z.output<typeof ReviewOutput>> => {
  const marks = signals.flatMap(({ coin, mark_price_usd: mark }) =>
    mark && !mark.stale ? [{ coin, price: mark.value }] : [],
  )
  const judged = await reviewText({ workers }, { type, text, context, state, marks })
  return {
    verdict: judged.verdict,
    confidence: judged.confidence,
    issues: judged.findings
      .slice(0, 100)
      .map(({ rule, severity, detail, fix }) => ({ rule, severity, detail, suggested_fix: fix })),
    mark_price_usd: judged.mark,
    with_trading_state: state !== undefined,
    engine: judged.engine,
    policy_version: policyVersion,
    checks_run: [...judged.checksRun],
  }
}

const explainFailure = (error: unknown): string => {
  if (error instanceof ToolError) return error.message
  throw error
}

export default tool({
  name: 'markets_act',
  title: 'Markets before you act',
  description:
    'One look before a trade: macro regime, derivatives signals, a brief of all perpetuals, and on request the review of a trade against rules and market. What failed is listed. 105 sats, 205 with a trade; nothing where no market answers.',
  keywords: ['bundle', 'check', 'pre', 'combined', 'everything'],
  input: Input,
  aliases: { artifact: ['action', 'proposed_action', 'trade'] },
  output: z.object({
    regime: RegimeOutput.nullable().describe('Regime of the market; null where it failed'),
    signals: z.array(CoinOutput).nullable().describe('Signals of the coins; null where they failed'),
    brief: BriefOutput.nullable().describe('All perpetuals of a venue; null where it failed'),
    review: ReviewOutput.nullable().describe('Verdict on the trade; null without one'),
    failed_parts: z
      .array(
        z.object({
          part: z.enum(parts).describe('Part'),
          reason: z.string().describe('Why there is none'),
        }),
      )
      .describe('Parts that were asked for and are not there'),
    failed: FailedOutput,
    ...BasisOutput,
    read_at: z.string().describe('When it was put together'),
  }),
  needs: ['clock', 'workers', venues],
  wants: [tradingState],
  price: prices.marketsAct,
  quote: (_, { artifact }) => (artifact === undefined ? prices.marketsAct : prices.marketsActReviewed),
  limits: [{ perMinute: 30, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { tags: ['markets', 'trading'] },
  rest: { routes: ['POST /markets/act'] },
  examples: [
    { coins: ['BTC', 'ETH'] },
    {
      coins: ['BTC'],
      artifact: '{"symbol":"BTC","side":"buy","size":0.01,"price":60000,"stop_loss":58000,"equity":50000}',
    },
  ],
  summary: ({ regime, review, failed_parts }) =>
    [
      regime ? regime.regime.replaceAll('_', ' ') : 'no regime',
      ...(review ? [`the trade: ${review.verdict.replaceAll('_', ' ')}`] : []),
      ...(failed_parts.length > 0 ? [`missing: ${failed_parts.map(({ part }) => part).join(', ')}`] : []),
    ].join('; '),
}).run(async ({ clock, venues, workers, tradingState }, input) => {
  const now = clock.now()
  const [markets, brief, state] = await Promise.allSettled([
    readCoins(allCoins, venues.list, now),
    readBrief(venues.list, now),
    input.artifact === undefined ? undefined : tradingState?.read(),
  ])
  const failedParts: { part: (typeof parts)[number]; reason: string }[] = []
  const all = markets.status === 'fulfilled' ? markets.value : undefined
  const coins = all?.coins.filter(({ coin }) => input.coins.includes(coin)) ?? []
  if (markets.status === 'rejected') {
    failedParts.push({ part: 'regime', reason: explainFailure(markets.reason) })
    failedParts.push({ part: 'signals', reason: explainFailure(markets.reason) })
  } else if (coins.length === 0)
    failedParts.push({ part: 'signals', reason: 'No venue tells anything of these coins.' })
  if (brief.status === 'rejected') failedParts.push({ part: 'brief', reason: explainFailure(brief.reason) })
  const regime = all ? findMacroRegime(all.coins) : undefined
  const isRegime = regime !== undefined && regime.regime !== 'insufficient_data'
  if (regime && !isRegime)
    failedParts.push({ part: 'regime', reason: 'The venues tell too little for a regime.' })
  if (!isRegime && coins.length === 0 && brief.status === 'rejected')
    throw new ToolError('upstream', 'No venue tells anything just now.', { retryable: true, retryAfter: 30 })

  let review: z.output<typeof ReviewOutput> | null = null
  if (input.artifact !== undefined) {
    const book = state.status === 'fulfilled' ? state.value : undefined
    if (state.status === 'rejected')
      failedParts.push({ part: 'review', reason: `Without trading state: ${explainFailure(state.reason)}` })
    review = await reviewTrade(workers, { ...input, artifact: input.artifact }, all?.coins ?? [], book)
  }
  return {
    regime: regime && isRegime ? regime : null,
    signals: coins.length > 0 ? coins : null,
    brief: brief.status === 'fulfilled' ? brief.value : null,
    review,
    failed_parts: failedParts,
    failed: all?.failed.filter(({ coin }) => input.coins.includes(coin)) ?? [],
    ...toBasis([
      ...regimeNotChecked,
      ...(review ? ['whether the trade is a good one: the review looks for what is wrong with it'] : []),
    ]),
    read_at: now.toISOString(),
  }
})
