import { expect, test } from 'vitest'
import {
  type Forecast,
  openRandom,
  score,
  timeWeightedBrier,
  toCells,
  wilson,
} from '../../../mcp/services/forecast/scoring.ts'

const repeat = (probability: number, yes: number, no: number): Forecast[] => [
  ...Array.from({ length: yes }, () => ({ probability, outcome: 1 as const })),
  ...Array.from({ length: no }, () => ({ probability, outcome: 0 as const })),
]

const scoreRows = (rows: readonly Forecast[]) => {
  const result = score(toCells(rows))
  if (!result) throw new Error('nothing to score')
  return result
}

const random = openRandom(7)
const drawRows = (n: number): Forecast[] =>
  Array.from({ length: n }, () => {
    const probability = random()
    return { probability, outcome: random() < probability ** 1.3 ? 1 : 0 }
  })

test('the vector of twenty forecasts has the scores that algebra gives', () => {
  const result = scoreRows([...repeat(0.1, 1, 9), ...repeat(0.9, 8, 2)])
  const { murphy } = result
  expect(result).toMatchObject({ n: 20, yes: 9, baseRate: 0.45 })
  expect(result.brier).toBeCloseTo(0.13, 12)
  expect(murphy.reliability).toBeCloseTo(0.005, 12)
  expect(murphy.resolution).toBeCloseTo(0.1225, 12)
  expect(murphy.uncertainty).toBeCloseTo(0.2475, 12)
  expect(murphy.withinVariance).toBeCloseTo(0, 12)
  expect(result.skill).toBeCloseTo(0.4747, 4)
  expect(result.ece).toBeCloseTo(0.05, 12)
  expect(result.maxCalibrationError).toBeCloseTo(0.1, 12)
  expect(result.sharpness).toBeCloseTo(0.16, 12)
  expect(result.accuracy).toBeCloseTo(0.85, 12)
  // 8 of 9 that came true had 0.9, 9 of 11 that did not had 0.1.
  expect(result.auc).toBeCloseTo((8 * 9 + 8 * 1 + 0.5 * (8 * 2 + 1 * 9) - 8) / 99, 12)
})

test('the terms of the decomposition sum to the Brier score for forecasts of any probability', () => {
  for (const n of [1, 2, 3, 17, 400, 3000]) {
    const { brier, murphy } = scoreRows(drawRows(n))
    const { reliability, resolution, uncertainty, withinVariance, withinCovariance } = murphy
    expect(reliability - resolution + uncertainty + withinVariance - withinCovariance).toBeCloseTo(brier, 12)
  }
})

test('ranks count pairs, as a count of all pairs does', () => {
  const rows = drawRows(60).map(({ probability, outcome }) => ({
    probability: Math.round(probability * 10) / 10,
    outcome,
  }))
  const ups = rows.filter(({ outcome }) => outcome === 1)
  const downs = rows.filter(({ outcome }) => outcome === 0)
  const wins = ups.flatMap(up =>
    downs.map(down =>
      up.probability > down.probability ? 1 : up.probability === down.probability ? 0.5 : 0,
    ),
  )
  const share = wins.reduce<number>((sum, win) => sum + win, 0) / wins.length
  expect(scoreRows(rows).auc).toBeCloseTo(share, 12)
})

test('the interval of the Brier score is the same for every reader, and as wide as the spread says', () => {
  for (const n of [30, 500, 20_000]) {
    const rows = drawRows(n)
    const result = scoreRows(rows)
    expect(scoreRows([...rows].reverse()).brierInterval).toEqual(result.brierInterval)
    const [low, high] = result.brierInterval ?? [0, 0]
    const losses = rows.map(({ probability, outcome }) => (probability - outcome) ** 2)
    const variance = losses.reduce((sum, loss) => sum + (loss - result.brier) ** 2, 0) / n
    const width = 2 * 1.96 * Math.sqrt(variance / n)
    expect(low).toBeLessThan(result.brier)
    expect(high).toBeGreaterThan(result.brier)
    expect((high - low) / width).toBeGreaterThan(0.85)
    expect((high - low) / width).toBeLessThan(1.15)
  }
})

test('a bucket says how many it holds, and is marked below twenty', () => {
  const { curve } = scoreRows([...repeat(0.15, 3, 16), ...repeat(0.95, 20, 0), ...repeat(1, 1, 0)])
  expect(curve[1]).toMatchObject({ from: 0.1, to: 0.2, n: 19, small: true })
  expect(curve[9]).toMatchObject({ n: 21, yes: 21, observed: 1, small: false })
  expect(curve[4]).toMatchObject({ n: 0, observed: null, interval: null, small: true })
  expect(wilson(0, 10)[0]).toBe(0)
  expect(wilson(10, 10)[1]).toBe(1)
  expect(wilson(5, 10)[0]).toBeCloseTo(0.2366, 4)
  expect(scoreRows(repeat(0.3, 1, 1)).curve[3]?.n).toBe(2)
})

test('nothing is said of nothing, and of what cannot be compared', () => {
  expect(score([])).toBeNull()
  expect(scoreRows(repeat(0.8, 5, 0))).toMatchObject({ skill: null, auc: null })
  expect(scoreRows(repeat(0.8, 1, 0)).brierInterval).toBeNull()
  expect(scoreRows(repeat(0, 1, 0)).logScore).toBeCloseTo(-Math.log(1e-4), 9)
  expect(() => toCells([{ probability: 1.2, outcome: 1 }])).toThrow(RangeError)
})

test('a question is scored over the time that it was open, by the forecast that stood', () => {
  const forecast = { question: 'a', outcome: 1 as const, closesAt: 100 }
  const rows = [
    { ...forecast, probability: 0.5, at: 0 },
    { ...forecast, probability: 0.9, at: 75 },
    { question: 'b', outcome: 0 as const, probability: 0.2, at: 50, closesAt: 60 },
  ]
  expect(timeWeightedBrier(rows)).toBeCloseTo((0.75 * 0.25 + 0.25 * 0.01 + 0.04) / 2, 12)
  expect(timeWeightedBrier([])).toBeNull()
})

test('a hundred thousand forecasts are drawn together into few cells, and scored alike', () => {
  const rows = drawRows(100_000)
  const { brier, n } = scoreRows(rows)
  expect(n).toBe(100_000)
  expect(brier).toBeCloseTo(
    rows.reduce((sum, { probability, outcome }) => sum + (probability - outcome) ** 2, 0) / n,
    10,
  )
})

test('scores are those that others publish for the same forecasts', () => {
  const rows = (outcomes: number[], probabilities: number[]): Forecast[] =>
    probabilities.map((probability, index) => ({ probability, outcome: outcomes[index] === 1 ? 1 : 0 }))
  // scikit-learn, examples of brier_score_loss, log_loss and roc_auc_score (BSD-3-Clause).
  expect(scoreRows(rows([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3])).brier).toBeCloseTo(0.0375, 4)
  expect(scoreRows(rows([1, 0, 0, 1], [0.9, 0.1, 0.2, 0.65])).logScore).toBeCloseTo(0.21616, 4)
  expect(scoreRows(rows([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).auc).toBeCloseTo(0.75, 4)
  // ForecastBench: always one half, whatever came true.
  expect(scoreRows([...repeat(0.5, 183, 833)]).brier).toBeCloseTo(0.25, 4)
  expect(scoreRows([...repeat(0, 306, 694)]).brier).toBeCloseTo(0.306, 4)
})
