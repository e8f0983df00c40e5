import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { classes } from '../../../mcp/services/forecast/consult/classes.ts'
import { readDeadline } from '../../../mcp/services/forecast/consult/deadline.ts'
import { estimate, type Inputs } from '../../../mcp/services/forecast/consult/estimate.ts'
import {
  expit,
  fitCalibrator,
  logit,
  pool,
  scaleHazard,
} from '../../../mcp/services/forecast/consult/log-odds.ts'
import { readQuestion } from '../../../mcp/services/forecast/consult/question.ts'
import { commitTo } from '../../../mcp/services/forecast/record/entry.ts'
import { openRandom } from '../../../mcp/services/forecast/scoring/random.ts'
import { buy, offerFor } from './buy.ts'
import { type ForecastWorld, refusalOf, startForecast } from './run.ts'

const now = new Date('2026-01-10T12:00:00.000Z')

describe('deadlines', () => {
  test.each([
    ['by 2026-12-31', '2027-01-01'],
    ['before 2026-12-31', '2026-12-31'],
    ['by 31 December 2026', '2027-01-01'],
    ['by December 31st, 2026', '2027-01-01'],
    ['in March 2026', '2026-04-01'],
    ['before March 2026', '2026-03-01'],
    ['by Q3 2026', '2026-10-01'],
    ['in 2027', '2028-01-01'],
    ['before 2027', '2027-01-01'],
    ['by the end of 2026', '2027-01-01'],
    ['within 30 days', '2026-02-09'],
    ['this year', '2027-01-01'],
    ['between 1 May 2026 and 2 May 2026', '2026-05-03'],
  ])('%s closes on %s', (text, day) => {
    expect(readDeadline(`Will it happen ${text}?`, now)?.toISOString().slice(0, 10)).toBe(day)
  })

  test.each(['Will it happen?', 'Will 2500 people come?', 'Will it be 30 February 2026?'])(
    '%s has none',
    text => {
      expect(readDeadline(text, now)).toBeUndefined()
    },
  )
})

const refused = (question: string, closes_at?: string) => {
  try {
    readQuestion({ question, closes_at }, now)
    return undefined
  } catch (error) {
    const { extra } = error as { extra: { reason: string; issues: { path: string }[] } }
    return `${extra.issues[0]?.path}: ${extra.reason}`
  }
}

test.each([
  ['What will happen by 2027?', 'question: not_binary'],
  ['Will it rain by 2027? Will it snow?', 'question: two_questions'],
  ['Will it rain and will it snow by 2027?', 'question: two_questions'],
  ['Will the mayor be assassinated by 2027?', 'question: unsafe'],
  ['Will somebody build a small bomb by 2027?', 'question: unsafe'],
  ['Will it rain?', 'closes_at: no_date'],
  ['Will it rain by 2025-01-01?', 'closes_at: over'],
  ['Will it rain by 2999-01-01?', 'closes_at: too_far'],
])('%s is refused: %s', (question, reason) => {
  expect(refused(question)).toBe(reason)
})

test('questions that may be asked are not refused', () => {
  for (const question of [
    'Will the US and the EU sign a treaty by 2027?',
    'Will the bill be killed in committee by 2028?'.replace('be killed', 'fail'),
    'Will rain or snow fall in Rome by June 2026?',
  ])
    expect(refused(question)).toBeUndefined()
  expect(refused('Will it rain?', '2026-05-01')).toBeUndefined()
})

describe('the arithmetic', () => {
  test('log-odds pool, and hazards add up', () => {
    expect(
      pool([
        { probability: 0.2, weight: 1 },
        { probability: 0.8, weight: 1 },
      ]),
    ).toBeCloseTo(0.5, 12)
    expect(pool([{ probability: 0.3, weight: 2 }])).toBeCloseTo(0.3, 12)
    expect(expit(logit(0.37))).toBeCloseTo(0.37, 12)
    const half = scaleHazard(0.4, 365, 182.5)
    expect(1 - (1 - half) ** 2).toBeCloseTo(0.4, 12)
  })

  test('two hundred outcomes recalibrate, and undo what was twice as sure as it should be', () => {
    const cells = Array.from({ length: 19 }, (_, nth) => {
      const truth = (nth + 1) / 20
      return { probability: expit(2 * logit(truth)), yes: truth * 1000, no: (1 - truth) * 1000 }
    })
    const calibrator = fitCalibrator(cells)
    expect(calibrator?.slope).toBeGreaterThan(0.45)
    expect(calibrator?.slope).toBeLessThan(0.55)
    expect(fitCalibrator([{ probability: 0.5, yes: 100, no: 99 }])).toBeUndefined()
  })

  test('every class has counts, a source and a licence', () => {
    for (const { events, n, source, licence, url } of classes) {
      expect(events).toBeLessThanOrEqual(n)
      expect(Number.isInteger(events) && Number.isInteger(n)).toBe(true)
      expect([source, licence, url].every(text => text.length > 3)).toBe(true)
    }
  })
})

describe('coherence, by random questions', () => {
  const random = openRandom(17)
  const pick = <item>(items: readonly item[]) => items[Math.floor(random() * items.length)] as item
  const chance = () => 0.02 + 0.96 * random()
  const subjects = [
    ['a recession begin in the United States', 'a recession not begin in the United States'],
    ['an earthquake of magnitude 8 occur', 'an earthquake of magnitude 8 not occur'],
    ['the bridge be opened', 'the bridge not be opened'],
    ['the papacy end', 'the papacy not end'],
  ] as const
  const drawInputs = (): Inputs => ({
    ...(random() < 0.5 && { market_price: chance() }),
    ...(random() < 0.5 && { priors: [{ probability: chance(), weight: 0.5 + random() }] }),
    ...(random() < 0.5 && { evidence: [{ text: 'seen', likelihood_ratio: Math.exp(4 * random() - 2) }] }),
    ...(random() < 0.3 && { base_rate: { events: 3, n: 20, period_days: 90, source: 'own' } }),
  })
  const turn = ({ market_price, priors, evidence, base_rate }: Inputs): Inputs => ({
    market_price: market_price === undefined ? undefined : 1 - market_price,
    priors: priors?.map(prior => ({ ...prior, probability: 1 - prior.probability })),
    evidence: evidence?.map(item => ({ ...item, likelihood_ratio: 1 / (item.likelihood_ratio ?? 1) })),
    base_rate,
  })
  const options = { domain: 'general' }
  const ask = (subject: string, days: number, inputs: Inputs) =>
    estimate(
      readQuestion(
        {
          question: `Will ${subject}?`,
          closes_at: new Date(now.getTime() + days * 86_400_000).toISOString(),
        },
        now,
      ),
      inputs,
      options,
    )

  test('a later date is never less likely, and of what will not happen never more', () => {
    for (let nth = 0; nth < 500; nth++) {
      const [subject, negated] = pick(subjects)
      const inputs = drawInputs()
      const [early, late] = [1 + random() * 400, 401 + random() * 3000]
      expect(ask(subject, late, inputs).probability).toBeGreaterThanOrEqual(
        ask(subject, early, inputs).probability,
      )
      expect(ask(negated, late, inputs).probability).toBeLessThanOrEqual(
        ask(negated, early, inputs).probability,
      )
    }
  })

  test('a question and its complement sum to 1, with all that is known turned around', () => {
    for (let nth = 0; nth < 500; nth++) {
      const [subject, negated] = pick(subjects)
      const inputs = drawInputs()
      const days = 1 + random() * 2000
      const [one, other] = [ask(subject, days, inputs), ask(negated, days, turn(inputs))]
      expect(one.probability + other.probability).toBeCloseTo(1, 9)
      expect(one.interval80[0] + other.interval80[1]).toBeCloseTo(1, 9)
    }
  })

  test('what supports never lowers, what opposes never raises, and every answer is within its interval', () => {
    for (let nth = 0; nth < 500; nth++) {
      const subject = pick(pick(subjects))
      const inputs = drawInputs()
      const days = 1 + random() * 2000
      const plain = ask(subject, days, inputs)
      const strength = pick(['weak', 'moderate', 'strong'] as const)
      const add = (direction: 'supports' | 'opposes') =>
        ask(subject, days, {
          ...inputs,
          evidence: [...(inputs.evidence ?? []), { text: 'new', direction, strength }],
        }).probability
      expect(add('supports')).toBeGreaterThanOrEqual(plain.probability)
      expect(add('opposes')).toBeLessThanOrEqual(plain.probability)
      const [low, high] = plain.interval80
      expect(plain.probability).toBeGreaterThanOrEqual(low)
      expect(plain.probability).toBeLessThanOrEqual(high)
      expect(plain.probability).toBeGreaterThanOrEqual(0.01)
      expect(plain.probability).toBeLessThanOrEqual(0.99)
      expect(ask(subject, days, inputs)).toEqual(plain)
    }
  })

  test('a higher market price is never answered with less', () => {
    for (let nth = 0; nth < 300; nth++) {
      const subject = pick(subjects)[0]
      const inputs = drawInputs()
      const [low, high] = [chance(), chance()].sort((one, other) => one - other)
      const at = (market_price: number | undefined) =>
        ask(subject, 300, { ...inputs, market_price }).probability
      expect(at(high)).toBeGreaterThanOrEqual(at(low))
    }
  })
})

describe('a consultation', () => {
  let world: ForecastWorld
  beforeEach(async () => {
    world = await startForecast()
  })
  afterEach(() => world.stop())

  const question = 'Will a recession begin in the United States by 31 December 2030?'

  test('is paid for, registered and signed, and needs no key of a model', async () => {
    const answer = await buy(world, 'consult', { question, domain: 'infrastructure' })
    expect(answer).toMatchObject({
      tier: 'quick',
      method: 'reference_class',
      base_rate: { class: 'us-recession-start', events: 12, n: 78 },
      sensitivity: null,
    })
    // Jeffreys' mean of 12 of 78, over almost five years.
    expect(answer.probability).toBeCloseTo(1 - (1 - 12.5 / 79) ** (1816.5 / 365.25), 3)
    const { canonical, signature } = answer.signature
    expect(await world.ask('verify_signature', { canonical, signature })).toMatchObject({
      valid: true,
      ours: true,
    })
    expect(JSON.parse(canonical)).toMatchObject({
      probability: answer.probability,
      commitment: answer.prediction.commitment,
    })
    const { predictions } = await world.ask('list_predictions')
    expect(predictions).toMatchObject([{ id: answer.prediction.id, state: 'open', question: null }])
    world.at('2031-01-01T00:00:00.000Z')
    const { id, nonce } = answer.prediction
    const resolved = await world.ask('resolve_prediction', {
      id,
      nonce,
      outcome: true,
      evidence_url: 'https://example.com/',
    })
    expect(resolved).toMatchObject({ outcome: 1, probability: answer.probability, nonce })
    const leaves = (await world.ask('read_record')).entries.map(({ canonical }: { canonical: string }) =>
      JSON.parse(canonical),
    )
    expect(commitTo(leaves[1].content)).toBe(leaves[0].commitment)
    expect(await world.ask('get_calibration')).toMatchObject({ scored: 1 })
  })

  test.each([
    ['quick', '3000000'],
    ['standard', '10000000'],
    ['deep', '25000000'],
    ['research', '50000000'],
  ])('of the tier %s costs %s units of USDC, and tells what it says', async (tier, amount) => {
    const input = { question, tier, market_price: 0.5 }
    expect(await offerFor(world, 'consult', input)).toMatchObject({ amount, network: 'eip155:8453' })
    const answer = await buy(world, 'consult', input)
    const nulls = ['sensitivity', 'by_date', 'other_classes', 'evidence_needed'].map(
      name => answer[name] === null,
    )
    expect(nulls).toEqual(
      {
        quick: [true, true, true, true],
        standard: [false, true, true, true],
        deep: [false, false, false, true],
        research: [false, false, false, false],
      }[tier],
    )
  })

  test('has a price that can be pinned', async () => {
    const estimate = await world.ask('price_estimate', { question })
    expect(estimate).toMatchObject({
      estimated_price_by_tier: { quick: 3, standard: 10, deep: 25, research: 50 },
      range_note: expect.stringContaining('50'),
    })
    const { quote_id } = await world.ask('price_estimate', { question, tier: 'deep' })
    expect(await offerFor(world, 'consult', { question, quote_id })).toMatchObject({ amount: '25000000' })
    const reasonFor = async (input: object) => (await refusalOf(world.ask('consult', input))).extra.reason
    expect(await reasonFor({ question, quote_id, tier: 'quick' })).toBe('quote_mismatch')
    expect(await reasonFor({ question: `${question} `.replace('2030', '2031'), quote_id })).toBe(
      'quote_mismatch',
    )
    expect(await reasonFor({ question, quote_id: `${quote_id.slice(0, -3)}AAA` })).toBe('unknown_quote')
    world.at('2026-01-10T13:00:01.000Z')
    expect(await reasonFor({ question, quote_id })).toBe('quote_expired')
  })

  test('that cannot be answered is refused before anybody is asked to pay', async () => {
    for (const [input, path] of [
      [{ question: 'Who wins by 2030?' }, 'question'],
      [{ question: '' }, 'question'],
      [{ question: `Will ${'x'.repeat(20_000)} by 2030?` }, 'question'],
      [{ question: 'Will it rain tomorrow or not?' }, 'closes_at'],
      [{ question, tier: 'gold' }, 'tier'],
      [{ question, market_price: 1.2 }, 'market_price'],
      [{ question, priors: [{ probability: 1 }] }, 'priors.0.probability'],
      [{ question, evidence: [{ text: 'seen' }] }, 'evidence.0'],
      [{ question, base_rate: { events: 5, n: 3, source: 'own' } }, 'base_rate.events'],
      [
        { question, resolution_source: { url: 'ftp://x', pointer: '', is: '=', value: '1' } },
        'resolution_source.url',
      ],
    ] as const) {
      const refusal = await refusalOf(world.ask('consult', input, { channel: 'mcp' }))
      expect(`${path}: ${refusal.code}`).toBe(`${path}: invalid_input`)
      expect(refusal.extra.issues?.map(issue => issue.path)).toContain(path)
    }
    expect(world.chain.transfers.size).toBe(0)
    expect(await world.ask('list_predictions')).toMatchObject({ predictions: [] })
  })

  test('asked again is the same answer and the same prediction', async () => {
    const [one, other] = [
      await buy(world, 'consult', { question }),
      await buy(world, 'consult', { question }),
    ]
    expect(other.probability).toBe(one.probability)
    expect(other.prediction).toEqual(one.prediction)
    expect(other.forecast_id).not.toBe(one.forecast_id)
  })
})
