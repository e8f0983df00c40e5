import { z } from 'zod'
import type { CoinSignals, Reading } from './coin-signals.ts'
import { median } from './statistics.ts'

export const RegimeOutput = z
  .object({
    regime: z
      .enum(['risk_on', 'risk_off', 'neutral', 'insufficient_data'])
      .describe('risk_on from a score of 0.25, risk_off from -0.25'),
    score: z.number().nullable().describe('Mean of the components, -1 to 1; null with fewer than three'),
    components: z
      .array(
        z.object({
          name: z.string().describe('Component'),
          score: z.number().describe('-1 to 1'),
          value: z.number().describe('What it is computed from'),
          rule: z.string().describe('How'),
          oldest_age_seconds: z.number().describe('Age of the oldest number in it'),
        }),
      )
      .describe('What the score is made of'),
    missing: z.array(z.string().describe('Component')).describe('Components that could not be computed'),
  })
  .describe('Regime of the market')

export const regimeNotChecked = [
  'interest rates, currencies, shares and other markets than crypto derivatives',
  'whether the regime predicts anything: the thresholds are a convention, not a fit',
]

type RegimeComponent = {
  name: string
  /** From -1, which speaks for falling prices, to 1. */
  score: number
  /** Input of the score. */
  value: number
  rule: string
  oldest_age_seconds: number
}

type MacroRegime = {
  regime: 'risk_on' | 'risk_off' | 'neutral' | 'insufficient_data'
  score: number | null
  components: RegimeComponent[]
  missing: string[]
}

const clamp = (value: number): number => Math.max(-1, Math.min(1, value))

/** Components that a regime needs. */
const minComponents = 3
const threshold = 0.25

const oldest = (readings: readonly Reading[]): number =>
  Math.max(0, ...readings.map(({ age_seconds }) => age_seconds))

/**
 * A regime as the mean of capped components, each of which anybody can compute again. It needs three of them: fewer are no regime.
 */
export const findMacroRegime = (coins: readonly CoinSignals[]): MacroRegime => {
  const components: RegimeComponent[] = []
  const missing: string[] = []
  const add = (
    name: string,
    rule: string,
    readings: readonly (Reading | null)[],
    judge: (values: number[]) => readonly [value: number, score: number] | undefined,
  ) => {
    const there = readings.filter(reading => reading !== null)
    const judged = there.length === 0 ? undefined : judge(there.map(({ value }) => value))
    if (!judged) return void missing.push(name)
    const [value, score] = judged
    components.push({ name, score: clamp(score), value, rule, oldest_age_seconds: oldest(there) })
  }
  const btc = coins.find(({ coin }) => coin === 'BTC')

  add(
    'trend',
    'return of BTC over 7 days, by twice what its volatility of 7 days makes likely',
    btc?.return_7d && btc.realized_vol_7d ? [btc.return_7d, btc.realized_vol_7d] : [],
    ([change = 0, volatility = 0]) =>
      volatility > 0 ? [change, change / (2 * volatility * Math.sqrt(7 / 365))] : undefined,
  )
  add(
    'breadth',
    'share of the coins that rose within 24 hours, from -1 for none to 1 for all; three coins at least',
    coins.map(({ return_24h }) => return_24h),
    values => {
      if (values.length < 3) return undefined
      const share = values.filter(value => value > 0).length / values.length
      return [share, 2 * share - 1]
    },
  )
  add(
    'funding',
    'median funding rate for a year: 1 at 10 %, falling to -1 at 60 %, where longs are crowded; negative below zero',
    coins.map(({ funding_apr }) => funding_apr),
    values => {
      const middle = median(values) ?? 0
      return [middle, middle <= 0.1 ? middle / 0.1 : 1 - ((middle - 0.1) / 0.5) * 2]
    },
  )
  add(
    'volatility',
    'volatility of BTC that expands speaks against risk: 1 less the ratio, over 0.3',
    [btc?.vol_expansion ?? null],
    ([ratio = 1]) => [ratio, (1 - ratio) / 0.3],
  )
  add(
    'fear',
    'change of the volatility index of BTC within a day: -1 at a rise of 10 points',
    [btc?.dvol_change_24h ?? null],
    ([change = 0]) => [change, -change / 10],
  )

  if (components.length < minComponents)
    return { regime: 'insufficient_data', score: null, components, missing }
  const score = components.reduce((sum, component) => sum + component.score, 0) / components.length
  if (score >= threshold) return { regime: 'risk_on', score, components, missing }
  return { regime: score <= -threshold ? 'risk_off' : 'neutral', score, components, missing }
}
