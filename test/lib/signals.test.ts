import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  correlation,
  inverseVolatilityBps,
  logReturns,
  movingAverage,
  sampleDeviation,
  simpleReturn,
  toBps,
  wilderRsi,
} from '../../mcp/lib/signals.ts'

/** The worked example that goes with Wilder's index. */
const wilder = [
  44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826, 45.8931, 46.0328,
  45.614, 46.282, 46.282, 46.0028, 46.0328, 46.4116, 46.2222, 45.6439,
]

test('the strength index is that of the published example', () => {
  const all = wilder.map((_, index) => wilderRsi(wilder.slice(0, index + 1))?.toFixed(2))
  expect(all.filter(value => value !== undefined)).toEqual([
    '70.53',
    '66.32',
    '66.55',
    '69.41',
    '66.36',
    '57.97',
  ])
})

test('the strength index of what only rises, only falls or stands still', () => {
  const days = Array.from({ length: 30 }, (_, day) => day + 1)
  expect(wilderRsi(days)).toBe(100)
  expect(wilderRsi(days.toReversed())).toBe(0)
  expect(wilderRsi(days.map(() => 7))).toBe(50)
  expect(wilderRsi(days.slice(0, 14))).toBeUndefined()
})

test('returns, averages and the deviation of a sample', () => {
  expect(simpleReturn(100, 110)).toBeCloseTo(0.1)
  expect(logReturns([100, 110, 99]).map(value => value.toFixed(6))).toEqual(['0.095310', '-0.105361'])
  expect(sampleDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(2.13809, 5)
  expect(movingAverage([1, 2, 3, 4], 2)).toBe(3.5)
  expect(movingAverage([1], 2)).toBeUndefined()
})

test('correlation of what moves together, apart, and not at all', () => {
  expect(correlation([1, 2, 3, 4], [2, 4, 6, 8])).toBeCloseTo(1)
  expect(correlation([1, 2, 3, 4], [8, 6, 4, 2])).toBeCloseTo(-1)
  expect(correlation([1, 2, 3], [5, 5, 5])).toBe(0)
})

test('weights are those of the worked example', () => {
  expect(inverseVolatilityBps([0.3, 0.25, 0.2, 0.22])).toEqual([1975, 2370, 2962, 2693])
})

test('ties of the remainder go to the earlier one', () => {
  expect(toBps([1, 1, 1])).toEqual([3334, 3333, 3333])
})

test('weights sum to ten thousand whatever the volatilities, and the calmer never weighs less', () => {
  const volatility = fc.double({ min: 1e-6, max: 1e6, noNaN: true })
  fc.assert(
    fc.property(fc.array(volatility, { minLength: 1, maxLength: 8 }), volatilities => {
      const weights = inverseVolatilityBps(volatilities)
      expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(10_000)
      expect(weights.every(weight => Number.isInteger(weight) && weight >= 0)).toBe(true)
      for (const [i, a] of volatilities.entries())
        for (const [j, b] of volatilities.entries())
          if (a < b) expect((weights[i] ?? 0) + 1).toBeGreaterThanOrEqual(weights[j] ?? 0)
    }),
    { numRuns: 2_000 },
  )
})

test.each([[[0, 1]], [[-1, 2]], [[Number.NaN, 1]], [[Number.POSITIVE_INFINITY, 1, 0]]])(
  'refuses the volatilities %j',
  volatilities => expect(() => inverseVolatilityBps(volatilities)).toThrow(RangeError),
)
