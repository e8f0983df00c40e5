import {
  correlation,
  inverseVolatilityBps,
  logReturns,
  movingAverage,
  sampleDeviation,
  simpleReturn,
  toBps,
  wilderRsi,
} from '../../../lib/signals.ts'

/** Closes of one stock, oldest first, on the same days as those of the others. */
export type Series = { symbol: string; prices: readonly number[] }

/** Trading days of a year, by which volatility is put on a year. */
const yearDays = 252

const spans = [1, 5, 20, 60] as const

/** Drift past which the vault is worth the gas of a rebalancing, in parts of ten thousand. */
const tolerableDrift = 300

const round = (value: number, digits = 6): number => Number(value.toFixed(digits))

const returnOver = (prices: readonly number[], days: number): number | null => {
  const [from, to] = [prices.at(-1 - days), prices.at(-1)]
  return from === undefined || to === undefined ? null : round(simpleReturn(from, to))
}

const volatilityOver = (returns: readonly number[], days: number): number | null =>
  returns.length < days ? null : round(sampleDeviation(returns.slice(-days)) * Math.sqrt(yearDays))

const computeTrend = (prices: readonly number[]): 'up' | 'down' | 'flat' => {
  const price = prices.at(-1) ?? 0
  const short = movingAverage(prices, 20) ?? price
  const before = movingAverage(prices.slice(0, -5), 20) ?? short
  const long = movingAverage(prices, 50) ?? short
  if (price > short && short >= before && price > long) return 'up'
  return price < short && short <= before && price < long ? 'down' : 'flat'
}

/** Signals of a basket. All series have one length of 21 closes or more. Throws RangeError where one never moves. */
export const computeSignals = (basket: readonly Series[]) => {
  const returns = basket.map(({ prices }) => logReturns(prices).slice(-60))
  const ofTwenty = basket.map(({ prices }) => returnOver(prices, 20) ?? 0)
  const average = ofTwenty.reduce((sum, value) => sum + value, 0) / basket.length
  const volatilities = returns.map(list => sampleDeviation(list) * Math.sqrt(yearDays))
  const weights = inverseVolatilityBps(volatilities)
  return {
    stocks: basket.map(({ symbol, prices }, index) => {
      const list = returns[index] ?? []
      const [day, week, month, quarter] = spans.map(span => returnOver(prices, span))
      const rsi = wilderRsi(prices)
      return {
        symbol,
        price: round(prices.at(-1) ?? 0),
        returns: { '1d': day ?? null, '5d': week ?? null, '20d': month ?? null, '60d': quarter ?? null },
        volatility: { '20d': volatilityOver(list, 20), '60d': volatilityOver(list, 60) },
        rsi14: rsi === undefined ? null : round(rsi, 2),
        trend: computeTrend(prices),
        relative_strength: round((ofTwenty[index] ?? 0) - average),
        weight_bps: weights[index] ?? 0,
      }
    }),
    correlation: returns.map(one => returns.map(other => round(correlation(one, other), 4))),
    weightsBps: weights,
    days: basket[0]?.prices.length ?? 0,
  }
}

/** How far the holdings of a vault, by their values, are from suggested weights. */
export const computeDrift = (values: readonly number[], suggested: readonly number[]) => {
  const isEmpty = values.every(value => value === 0)
  const current = isEmpty ? values.map(() => 0) : toBps(values)
  const drift = isEmpty ? values.map(() => 0) : current.map((part, index) => part - (suggested[index] ?? 0))
  const max = Math.max(...drift.map(Math.abs))
  return {
    current_bps: current,
    drift_bps: drift,
    max_drift_bps: max,
    rebalance_advised: max > tolerableDrift,
  }
}
