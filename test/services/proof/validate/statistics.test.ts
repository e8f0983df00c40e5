import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalCdf, normalQuantile } from '../../../../mcp/lib/normal.ts'
import { readDecay, studentCdf } from '../../../../mcp/services/proof/validate/decay.ts'
import {
  expectedMaxSharpe,
  minTrackRecord,
  probabilisticSharpe,
  probabilisticSharpeUnderNull,
  readMoments,
} from '../../../../mcp/services/proof/validate/sharpe.ts'
import { sampledP, signFlip } from '../../../../mcp/services/proof/validate/sign-flip.ts'

const ten = [0.012, -0.004, 0.009, 0.015, -0.006, 0.003, 0.011, -0.002, 0.007, 0.001]

const generate = (count: number): number[] => {
  let x = 42
  return Array.from({ length: count }, () => {
    x = (1_664_525 * x + 1_013_904_223) % 2 ** 32
    return 0.0008 + 0.01 * normalQuantile(x / 2 ** 32)
  })
}

const near = (value: number | null | undefined, expected: number) =>
  expect(Math.abs((value ?? Number.NaN) - expected)).toBeLessThan(1e-9)

describe('published numbers', () => {
  const paper = { sharpe: 2.5 / Math.sqrt(250), count: 1250, skewness: -3, kurtosis: 10 }

  test('the deflated Sharpe ratio of Bailey and López de Prado 2014', () => {
    near(expectedMaxSharpe(100, 0.5 / 250), 0.11317200186513214)
    near(probabilisticSharpe(paper, expectedMaxSharpe(100, 0.5 / 250)), 0.9003968344493903)
    near(probabilisticSharpe(paper, expectedMaxSharpe(46, 0.5 / 250)), 0.9505017068755787)
    const normal = { ...paper, skewness: 0, kurtosis: 3 }
    near(probabilisticSharpe(normal, expectedMaxSharpe(88, 0.5 / 250)), 0.9504908166760139)
  })

  test.each([
    [24, 0, 3, 0.9816749190910771],
    [24, -2.448, 10.164, 0.913361083860933],
    [36, -2.448, 10.164, 0.9535052188653401],
  ])(
    'the probabilistic Sharpe ratio of 2012 with %i months, skewness %d and kurtosis %d',
    (count, skewness, kurtosis, expected) => {
      near(probabilisticSharpe({ sharpe: 0.458, count, skewness, kurtosis }), expected)
    },
  )

  test('the minimum track record of 2012 is 2.73 years of days', () => {
    const record = minTrackRecord(
      { sharpe: 2 / Math.sqrt(250), skewness: 0, kurtosis: 3 },
      1 / Math.sqrt(250),
    )
    expect(record).toBeCloseTo(682.796950432, 6)
    expect(minTrackRecord({ sharpe: 0, skewness: 0, kurtosis: 3 })).toBeNull()
  })

  test.each([
    [1, 0],
    [2, 0.5197553442805939],
    [5, 1.1925940010147893],
    [10, 1.57459830134575],
    [50, 2.2763030934203483],
    [100, 2.5306028932016846],
    [1000, 3.255121513652723],
    [1_000_000, 4.867860037846844],
  ])('the best of %i trials of variance 1', (trials, expected) => {
    near(expectedMaxSharpe(trials, 1), expected)
  })

  test('the revision of 2025: variance under the null', () => {
    const shape = { sharpe: 0.036 / 0.079, count: 24, skewness: -2.448, kurtosis: 10.164 }
    expect(probabilisticSharpeUnderNull(shape)).toBeCloseTo(0.987, 3)
    expect(probabilisticSharpeUnderNull(shape, 0.1)).toBeCloseTo(0.939, 3)
    expect(probabilisticSharpeUnderNull(shape, 0, 0.3)).toBeLessThan(0.987)
  })

  test('ten trades', () => {
    const moments = readMoments(ten)
    near(moments.sharpe, 0.6335877125897313)
    near(moments.skewness, -0.08388036760456802)
    near(moments.kurtosis, 1.6418090197896194)
    near(probabilisticSharpe(moments), 0.9639126692698555)
  })

  test('504 generated returns', () => {
    const returns = generate(504)
    const moments = readMoments(returns)
    near(moments.sharpe, 0.14969254082465575)
    near(moments.skewness, 0.19664907022159822)
    near(moments.kurtosis, 2.8555244173756993)
    near(probabilisticSharpe(moments), 0.9996501318735598)
    near(probabilisticSharpe(moments, expectedMaxSharpe(20, 1 / 503)), 0.9293023594209129)
    const { folds, rho } = readDecay(
      returns.map((value, at) => ({ value, at })),
      5,
    )
    const expected = [0.112584576163, 0.145746662947, 0.174910529934, 0.180468848769, 0.133467539243]
    for (const [nth, { sharpe }] of folds.entries()) near(sharpe, expected[nth] ?? 0)
    near(rho, 0.4)
    expect(sampledP(Float64Array.from(returns), 10_000, 1)).toBeCloseTo(0.00039996, 8)
  })
})

describe('distributions', () => {
  test.each([
    [-8, 6.220960574271786e-16],
    [-3, 0.0013498980316300957],
    [0, 0.5],
    [1.96, 0.9750021048517795],
    [5, 0.9999997133484281],
  ])('normal at %d', (x, expected) => {
    expect(Math.abs(normalCdf(x) - expected)).toBeLessThan(2e-15)
    if (x > -8) expect(normalQuantile(expected)).toBeCloseTo(x, 8)
  })

  test.each([
    [-1.812461, 10, 0.05],
    [2.571, 5, 0.9750127],
    [0, 3, 0.5],
    [-1.6602343, 100, 0.05],
    [-12.7062, 1, 0.025],
  ])('t %d with %i degrees of freedom', (t, freedom, expected) => {
    expect(studentCdf(t, freedom)).toBeCloseTo(expected, 5)
  })
})

describe('sign flips', () => {
  const options = { permutations: 2000, seed: 1, dependent: false }

  test('up to 16 returns are enumerated: 44 of 1024', () => {
    expect(signFlip(Float64Array.from(ten), options)).toEqual({
      p: 44 / 1024,
      exact: true,
      permutations: 1024,
      block: 1,
    })
    expect(signFlip(Float64Array.from(generate(16)), options).exact).toBe(true)
    expect(signFlip(Float64Array.from(generate(17)), options).exact).toBe(false)
  })

  test('the enumeration is that of every sign, one by one', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 1, maxLength: 9 }), list => {
        const sum = list.reduce((sum, value) => sum + value, 0)
        let reached = 0
        for (let mask = 0; mask < 2 ** list.length; mask++)
          if (list.reduce((sum, value, bit) => sum + ((mask >> bit) & 1 ? -value : value), 0) >= sum)
            reached++
        const { p } = signFlip(Float64Array.from(list), options)
        expect(p).toBe(reached / 2 ** list.length)
      }),
    )
  })

  test('the samples come near the enumeration, whatever the length', () => {
    for (const count of [10, 15, 16]) {
      const returns = Float64Array.from(generate(count))
      const { p } = signFlip(returns, options)
      expect(Math.abs(sampledP(returns, 100_000, 3) - p)).toBeLessThan(0.006)
    }
  })

  test('the same seed gives the same answer, another seed another', () => {
    const returns = Float64Array.from(generate(60))
    expect(sampledP(returns, 3000, 5)).toBe(sampledP(returns, 3000, 5))
    expect(sampledP(returns, 3000, 5)).not.toBe(sampledP(returns, 3000, 6))
  })

  test('returns that hang together are flipped in blocks', () => {
    expect(signFlip(Float64Array.from(generate(504)), { ...options, dependent: true })).toMatchObject({
      block: 8,
      exact: false,
    })
    expect(signFlip(Float64Array.from(generate(60)), { ...options, dependent: true })).toMatchObject({
      block: 4,
      exact: true,
    })
  })
})

describe('folds', () => {
  const trade = (nth: number, days: number) => ({
    value: nth % 3 ? 0.01 : -0.005,
    at: nth,
    entry: nth,
    exit: nth + days,
  })

  test('trades that are open over a border are left out, and what comes too soon after it', () => {
    const { folds, embargo } = readDecay(
      Array.from({ length: 40 }, (_, nth) => trade(nth, 2)),
      4,
    )
    expect(embargo).toBe(1)
    expect(folds.map(({ purged }) => purged)).toEqual([2, 3, 3, 1])
  })

  test('trades that end before the next begins lose the embargo alone', () => {
    const { folds } = readDecay(
      Array.from({ length: 40 }, (_, nth) => trade(nth, 0.5)),
      4,
    )
    expect(folds.map(({ purged }) => purged)).toEqual([0, 1, 1, 1])
  })

  test('ordered by exit, a trade that began in the fold before is left out', () => {
    const rows = Array.from({ length: 40 }, (_, nth) => ({
      value: nth % 3 ? 0.01 : -0.005,
      at: nth,
      entry: nth - 1.5,
      exit: nth,
    }))
    expect(readDecay(rows, 2).folds.map(({ purged }) => purged)).toEqual([0, 1])
  })

  test('an edge that dies is seen', () => {
    const noise = generate(400).map(value => value - 0.0008)
    const rows = noise.map((value, at) => ({ value: value + (at < 160 ? 0.006 : -0.001), at }))
    expect(readDecay(rows, 5)).toMatchObject({ decays: true })
    expect(
      readDecay(
        noise.map((value, at) => ({ value: value + 0.004, at })),
        5,
      ).decays,
    ).toBe(false)
  })
})
