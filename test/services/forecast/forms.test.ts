import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { betaCdf, betaQuantile, logGamma, negativeBinomialCdf } from '../../../mcp/lib/distributions.ts'
import { logit, trimmedMean } from '../../../mcp/lib/log-odds.ts'
import { normalCdf } from '../../../mcp/lib/normal.ts'
import { readLevel } from '../../../mcp/services/forecast/consult/question.ts'
import { answerForm } from '../../../mcp/services/forecast/forms/answer.ts'
import { measureOnSeries } from '../../../mcp/services/forecast/forms/own-record.ts'
import { type CompleteForm, FormInput } from '../../../mcp/services/forecast/forms/schema.ts'
import { drawNormal, fitSlope, openRandom } from '../../../mcp/services/forecast/scoring.ts'
import { runs } from '../../stress.ts'

const many = { numRuns: runs(1000, 60) }
const whole = (max: number) => fc.integer({ min: 1, max })
const between = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const chance = (form: object, days: number): number =>
  answerForm(FormInput.parse(form) as CompleteForm, days).probability

const refusal = (form: object, days = 100): string | undefined => {
  try {
    chance(form, days)
    return undefined
  } catch (error) {
    const { extra } = error as { extra: { reason: string; issues: { path: string }[]; hint: string } }
    return `${extra.issues[0]?.path}: ${extra.reason}`
  }
}

test('distributions agree with their tables', () => {
  expect(normalCdf(1.2815515655446004)).toBeCloseTo(0.9, 6)
  expect(normalCdf(0) + normalCdf(-0)).toBe(1)
  expect(logGamma(10)).toBeCloseTo(Math.log(362_880), 10)
  expect(betaCdf(0.3, 2, 5)).toBeCloseTo(0.579825, 6)
  expect(betaQuantile(0.5, 3, 3)).toBeCloseTo(0.5, 10)
  // Size 2 and mean 4: p = 1/3, and P(0) = 1/9.
  expect(negativeBinomialCdf(0, 4, 2)).toBeCloseTo(1 / 9, 10)
  expect(negativeBinomialCdf(1, 4, 2)).toBeCloseTo(1 / 9 + 4 / 27, 10)
})

describe('each form by hand', () => {
  test.each([
    // Jeffreys' posterior of 0 of 10, over one period: 0.5 / 11.
    [{ kind: 'event', events: 0, n: 10, period_days: 30 }, 30, 0.5 / 11],
    [{ kind: 'event', events: 6, n: 22 }, 999, 6.5 / 23],
    [{ kind: 'state', events: 6, n: 22 }, 999, 1 - 6.5 / 23],
    [{ kind: 'rank', rate_of_moving: 0.5, period_days: 7 }, 14, 0.25 + 0.75 / 2],
    [{ kind: 'price', market_price: 0.37 }, 10, 0.37],
    // 2 Φ(−ln 2 / (0.9 × 0.8)).
    [{ kind: 'level', value: 100, volatility: 0.8, threshold: 200, is: '>', when: 'until' }, 365.25, 0.3357],
    [{ kind: 'level', value: 100, volatility: 0.8, threshold: 200, is: '>', when: 'at' }, 365.25, 0.1678],
  ])('%o over %d days', (form, days, expected) => {
    expect(chance(form, days)).toBeCloseTo(expected, 4)
  })

  test('a count with a long exposure is that of Poisson, and one with a short exposure is wider', () => {
    const atLeast = (exposure_days: number) =>
      answerForm(
        FormInput.parse({
          kind: 'count',
          events: exposure_days / 10,
          exposure_days,
          threshold: 4,
        }) as CompleteForm,
        10,
      )
    expect(atLeast(1_000_000 / 50).probability).toBeCloseTo(1 - Math.exp(-1) * (1 + 1 + 1 / 2 + 1 / 6), 2)
    expect(atLeast(20).probability).toBeGreaterThan(atLeast(20_000).probability)
  })

  test('a season is found, and where it leads decides', () => {
    const series = Array.from({ length: 800 }, (_, n) => 10 - 8 * Math.cos((2 * Math.PI * (n + 1)) / 365.25))
    const noisy = series.map((value, n) => value + ((n * 7919) % 13) / 6 - 1)
    const at = (days: number) =>
      chance({ kind: 'change', series: noisy, seasonal: true, traded: false }, days)
    // 800 days on it is spring: warmer in summer, colder in winter.
    expect(at(120)).toBeGreaterThan(0.9)
    expect(at(300)).toBeLessThan(0.2)
  })
})

describe('forms that have nothing to say', () => {
  const rising = (n: number, noise = 1) => Array.from({ length: n }, (_, at) => at + noise * ((at * 37) % 11))
  test.each([
    [{ kind: 'change', series: rising(30), traded: true }, 'form.traded: no_basis'],
    [{ kind: 'change', series: rising(7), traded: false }, 'form.series: no_basis'],
    [{ kind: 'change', series: Array(20).fill(3), traded: false }, 'form.series: no_basis'],
    [{ kind: 'change', series: rising(300), traded: false, seasonal: true }, 'form.series: no_basis'],
    [{ kind: 'change', series: rising(12, 40), traded: false }, 'form.series: no_basis'],
    [{ kind: 'level', threshold: 3, is: '>', when: 'at' }, 'form: no_basis'],
    [{ kind: 'level', value: 3, threshold: 3, is: '>', when: 'at' }, 'form: no_basis'],
    [{ kind: 'level', series: [1, 2, 3], threshold: 3, is: '>', when: 'at' }, 'form.series: no_basis'],
  ])('%o is refused', (form, expected) => {
    expect(refusal(form)).toBe(expected)
  })
})

describe('coherence', () => {
  test('sides of a level and of a count sum to 1, and a higher threshold is never more likely', () => {
    fc.assert(
      fc.property(
        between(1, 1e6),
        between(0.05, 3),
        between(0.1, 5),
        between(0.1, 5),
        between(0.1, 4000),
        (value, volatility, a, b, days) => {
          const [low, high] = [Math.min(a, b), Math.max(a, b)]
          const at = (is: string, times: number, when = 'at') =>
            chance({ kind: 'level', value, volatility, threshold: value * times, is, when }, days)
          expect(at('>', a) + at('<=', a)).toBeCloseTo(1, 9)
          expect(at('>', high)).toBeLessThanOrEqual(at('>', low))
          expect(at('>', high, 'until')).toBeLessThanOrEqual(at('>', low, 'until') + 1e-12)
          expect(at('>', a, 'until')).toBeGreaterThanOrEqual(at('>', a) - 1e-12)
          expect(at('<', a, 'until')).toBeGreaterThanOrEqual(at('<', a) - 1e-12)
        },
      ),
      many,
    )
    fc.assert(
      fc.property(
        whole(500),
        between(1, 3000),
        whole(200),
        between(1, 900),
        (events, exposure_days, threshold, days) => {
          const at = (is: string, by = 0) =>
            chance({ kind: 'count', events, exposure_days, threshold: threshold + by, is }, days)
          expect(at('>=') + at('<')).toBeCloseTo(1, 9)
          expect(at('>') + at('<=')).toBeCloseTo(1, 9)
          expect(at('>')).toBeCloseTo(at('>=', 1), 9)
          expect(at('>=', 1)).toBeLessThanOrEqual(at('>=') + 1e-12)
        },
      ),
      many,
    )
  })

  test('a later date is never less likely for what happens once, never more for what lasts', () => {
    fc.assert(
      fc.property(
        fc.nat(50),
        whole(50),
        between(0.5, 400),
        between(0.1, 2000),
        between(0.1, 2000),
        (events, more, period_days, a, b) => {
          const rate = { events, n: events + more, period_days }
          const [early, late] = [Math.min(a, b), Math.max(a, b)]
          expect(chance({ kind: 'event', ...rate }, late)).toBeGreaterThanOrEqual(
            chance({ kind: 'event', ...rate }, early) - 1e-12,
          )
          expect(
            chance({ kind: 'event', ...rate }, late) + chance({ kind: 'state', ...rate }, late),
          ).toBeCloseTo(1, 9)
          const level = {
            kind: 'level',
            value: 100,
            volatility: 0.5,
            threshold: 100 + more,
            is: '>=',
            when: 'until',
          }
          expect(chance(level, late)).toBeGreaterThanOrEqual(chance(level, early) - 1e-12)
          const rank = { kind: 'rank', rate_of_moving: events / (events + more), period_days }
          expect(chance(rank, late)).toBeLessThanOrEqual(chance(rank, early) + 1e-12)
          const [low, high] = answerForm({ kind: 'event', ...rate }, a).rateInterval ?? [1, 0]
          expect(low).toBeLessThanOrEqual(high)
        },
      ),
      many,
    )
  })

  test('a series upside down is answered the other way round, and different inputs differ', () => {
    const random = openRandom(5)
    const answers = new Set<number>()
    let answered = 0
    for (let nth = 0; nth < 60; nth++) {
      const drift = 2 * random() - 1
      const series = [0]
      for (let at = 0; at < 40; at++) series.push((series.at(-1) ?? 0) + drift + drawNormal(random))
      const form = { kind: 'change', series, step_days: 30, traded: false }
      if (refusal(form) !== undefined) continue
      answered++
      answers.add(Number(chance(form, 100).toFixed(4)))
      const turned = { ...form, series: series.map(value => -value) }
      expect(chance(form, 100) + chance(turned, 100)).toBeCloseTo(1, 6)
      expect(chance(form, 100) + chance({ ...form, is: '<' }, 100)).toBeCloseTo(1, 9)
    }
    expect(answers.size).toBeGreaterThan(0.9 * answered)
    expect(answered).toBeGreaterThan(20)
  })
})

/** Share of simulated outcomes that lie within the 80 % interval. */
const coverage = (
  draw: (random: () => number) => { form: object; days: number; outcome: number },
): number => {
  const random = openRandom(11)
  const rounds = 600
  let held = 0
  for (let nth = 0; nth < rounds; nth++) {
    const { form, days, outcome } = draw(random)
    const [low, high] = answerForm(FormInput.parse(form) as CompleteForm, days).valueInterval ?? [1, 0]
    if (outcome >= low && outcome <= high) held++
  }
  return held / rounds
}

/** A price with quiet and wild times, as markets have them. */
const drawMarket = (random: () => number, count: number): number[] => {
  const series = [100]
  let heat = 0
  for (let at = 1; at < count; at++) {
    heat = 0.97 * heat + 0.22 * drawNormal(random)
    series.push((series.at(-1) ?? 0) * Math.exp(0.02 * Math.exp(heat - 0.8) * drawNormal(random)))
  }
  return series
}

describe('the record of a form on its own series', () => {
  const { level, change } = {
    level: { kind: 'level', step_days: 1, is: '>', when: 'at' } as const,
    change: { kind: 'change', traded: false, seasonal: false, step_days: 30, is: '>' } as const,
  }

  test('is measured out of time: what follows a window does not move its answer', () => {
    const random = openRandom(3)
    const series = drawMarket(random, 400)
    const form = { ...level, series, threshold: (series.at(-1) ?? 0) * 1.05 }
    const record = measureOnSeries(form, 10)
    // Windows of ten days from the end on, down to the sixteen values that the first needs.
    expect(record?.n).toBe(38)
    const spoilt = {
      ...form,
      series: [...series.slice(0, -10), ...series.slice(-10).map(value => value * 9)],
    }
    const other = measureOnSeries({ ...spoilt, threshold: (spoilt.series.at(-1) ?? 0) * 1.05 }, 10)
    // One window of them ended elsewhere, and nothing else changed.
    expect((record?.coverage80 ?? 0) * 38 - (other?.coverage80 ?? 0) * 38).toBeCloseTo(1, 9)
  })

  test('covers 75 to 85 % of what market-like series did, and knows a drift from a coin', () => {
    const random = openRandom(8)
    const records = Array.from({ length: 25 }, () => {
      const series = drawMarket(random, 800)
      return measureOnSeries({ ...level, series, threshold: series.at(-1) ?? 0 }, 15)
    })
    const covered = records.reduce((sum, record) => sum + (record?.coverage80 ?? 0), 0) / records.length
    expect(covered).toBeGreaterThan(0.75)
    expect(covered).toBeLessThan(0.85)
    const rising = [0]
    for (let n = 0; n < 120; n++) rising.push((rising.at(-1) ?? 0) + 0.9 + drawNormal(random))
    expect(measureOnSeries({ ...change, series: rising }, 60)?.brier).toBeLessThan(0.2)
  })

  test('is none for a short series, and for what has no series', () => {
    expect(measureOnSeries({ ...level, series: drawMarket(openRandom(1), 60), threshold: 1 }, 20)).toBeNull()
    expect(measureOnSeries({ ...level, value: 3, volatility: 1, threshold: 4 }, 20)).toBeNull()
  })
})

describe('80 % intervals of values cover 75 to 85 % of what is simulated', () => {
  test.each([20, 60])('a level of a market-like walk over %d days', days => {
    const share = coverage(random => {
      const series = drawMarket(random, 370 + days)
      const form = { kind: 'level', series: series.slice(0, 370), threshold: 1, is: '>', when: 'at' }
      return { form, days, outcome: series.at(-1) ?? 0 }
    })
    expect(share).toBeGreaterThan(0.75)
    expect(share).toBeLessThan(0.85)
  })

  test('a count in clusters', () => {
    const share = coverage(random => {
      const rate = 0.2 + random()
      const draw = (days: number) => {
        let count = 0
        for (let at = 0; at < days * 20; at++) if (random() < rate / 20) count++
        return count
      }
      return {
        form: { kind: 'count', events: draw(100), exposure_days: 100, threshold: 1 },
        days: 50,
        outcome: draw(50),
      }
    })
    // Counts are whole: an interval that holds 80 % holds somewhat more.
    expect(share).toBeGreaterThan(0.77)
    expect(share).toBeLessThan(0.87)
  })

  test('a series with a drift, where it is answered', () => {
    const share = coverage(random => {
      for (;;) {
        const drift = 0.3 + 0.3 * random()
        const series = [0]
        for (let at = 0; at < 76; at++) series.push((series.at(-1) ?? 0) + drift + drawNormal(random))
        const form = { kind: 'change', series: series.slice(0, 71), step_days: 30, traded: false }
        if (refusal(form, 180) === undefined) return { form, days: 180, outcome: series.at(-1) ?? 0 }
      }
    })
    expect(share).toBeGreaterThan(0.75)
    expect(share).toBeLessThan(0.85)
  })

  test('a seasonal series', () => {
    const share = coverage(random => {
      const series: number[] = []
      let rest = 0
      const phase = random() * 365
      for (let at = 0; at < 740; at++) {
        rest = 0.7 * rest + 2 * drawNormal(random)
        series.push(10 + 8 * Math.sin((2 * Math.PI * (at + phase)) / 365.25) + rest)
      }
      const form = { kind: 'change', series: series.slice(0, 731), seasonal: true, traded: false }
      return { form, days: 9, outcome: series.at(-1) ?? 0 }
    })
    expect(share).toBeGreaterThan(0.75)
    expect(share).toBeLessThan(0.85)
  })
})

test('log-odds pool without their ends from five on, and the slope is 1 below 300 outcomes', () => {
  expect(trimmedMean([0.01, 0.4, 0.5, 0.6])).toBeLessThan(0.35)
  expect(trimmedMean([0.01, 0.5, 0.5, 0.5, 0.99])).toBeCloseTo(0.5, 10)
  expect(trimmedMean([0.2, 0.2])).toBeCloseTo(0.2, 10)
  const cells = [0.1, 0.3, 0.5, 0.7, 0.9].map(truth => ({
    probability: 1 / (1 + Math.exp(-2 * logit(truth))),
    yes: truth * 1000,
    no: (1 - truth) * 1000,
  }))
  expect(fitSlope(cells).slope).toBeCloseTo(0.5, 1)
  expect(fitSlope([{ probability: 0.9, yes: 0, no: 299 }])).toEqual({ slope: 1, n: 299 })
})

describe('the reader of levels', () => {
  const now = new Date('2026-01-10T12:00:00.000Z')
  test.each([
    ['Will Bitcoin be above $100,000 on 31 December 2026?', 'Bitcoin', '>', 100_000, 'at'],
    ['Will the price of gold close below 3,000 USD on 2026-06-30?', 'the price of gold', '<', 3000, 'at'],
    ['Will ETH reach $5k by the end of 2026?', 'ETH', null, 5000, 'until'],
    ['Will the S&P 500 fall below 5,500 before July 2026?', 'the S&P 500', '<', 5500, 'until'],
    ['Will EUR/USD trade at or above 1.25 at the end of March 2026?', 'EUR/USD', '>=', 1.25, 'at'],
    ['Will Brent exceed 120 dollars within 90 days?', 'Brent', '>', 120, 'until'],
    ['Will the unemployment rate be at least 5% on 1 May 2026?', 'the unemployment rate', '>=', 5, 'at'],
    ['Will silver be above $40?', 'silver', '>', 40, 'at'],
  ])('reads %s', (question, asset, is, threshold, when) => {
    expect(readLevel(question, now)).toMatchObject({ asset, is, threshold, when })
  })

  test.each([
    'Will Bitcoin be above $100,000 on 31 December 2026 according to CoinGecko?',
    'Will Bitcoin be above $100,000 and Ether above $5,000 on 31 December 2026?',
    'Will Bitcoin be above $100,000 by 31 December 2026?',
    'Will Bitcoin reach $100,000 on 31 December 2026?',
    'If the Fed cuts, will Bitcoin be above $100,000 on 31 December 2026?',
    'Will more than 3,000 people come by 2027?',
    'Will Bitcoin double by 2027?',
    'Will the company sell 5,000 cars on 31 December 2026?',
    'Will the sun rise on 2026-03-01?',
  ])('leaves %s alone', question => {
    expect(readLevel(question, now)).toBeUndefined()
  })
})
