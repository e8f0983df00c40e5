import { afterEach, beforeEach, expect, test } from 'vitest'
import { auditClaim } from '../../../mcp/services/forecast/audit.ts'
import { assessOptions, recommendOption } from '../../../mcp/services/forecast/strategy/assess.ts'
import { buy, offerFor } from './buy.ts'
import { type ForecastWorld, refusalOf, startForecast } from './run.ts'

let world: ForecastWorld
beforeEach(async () => {
  world = await startForecast()
})
afterEach(() => world.stop())

const outcomes = (probability: number, good: number, bad: number) => [
  { name: 'works', probability, value: good },
  { name: 'fails', probability: 1 - probability, value: bad },
]
const build = { name: 'build', outcomes: outcomes(0.7, 100, -60), metrics: { weeks: 6 } }
const rent = {
  name: 'buy',
  outcomes: outcomes(0.95, 50, -20),
  risks: [{ factor: 'price rises', likelihood: 0.3, impact: 20 }],
  metrics: { weeks: 1 },
}

test('expected value, downside and regret are reckoned', () => {
  const [one, other] = assessOptions([build, rent], [], [{ name: 'soon', metric: 'weeks', max: 2 }])
  expect(one).toMatchObject({
    expected_value: 52,
    downside: -60,
    max_regret: 40,
    probability_success: 0.7,
    violates: true,
  })
  // 0.95 × 50 − 0.05 × 20 − 0.3 × 20; the worst tenth is half failure, half success.
  expect(other).toMatchObject({ expected_value: 40.5, downside: 15, max_regret: 50, violates: false })
})

test('what is recommended violates nothing, and its triggers do reverse it', () => {
  const assessed = assessOptions([build, rent], [], [])
  const advice = recommendOption([build, rent], assessed)
  expect(advice).toMatchObject({ option: 'build', by: 'expected_value', lead: 11.5 })
  const limit = Number(/less than (-?[\d.]+) /.exec(advice?.reversal_triggers[0] ?? '')?.[1])
  const at = (value: number) => {
    const options = [{ ...build, outcomes: outcomes(0.7, value, -60) }, rent]
    return recommendOption(options, assessOptions(options, [], []))?.option
  }
  expect([at(limit + 0.01), at(limit - 0.01)]).toEqual(['build', 'buy'])
  const bound = [{ name: 'soon', metric: 'weeks', max: 2 }]
  expect(recommendOption([build, rent], assessOptions([build, rent], [], bound))).toMatchObject({
    option: 'buy',
  })
})

test('a strategy is sold where it can be reckoned, and refused before payment where not', async () => {
  const question = 'Build or buy?'
  expect(
    await offerFor(world, 'strategy_recommendation', { question, options: [build, rent] }),
  ).toMatchObject({
    amount: '20000',
  })
  expect(await buy(world, 'strategy_recommendation', { question, options: [build, rent] })).toMatchObject({
    recommendation: { option: 'build' },
    method: 'arithmetic',
  })
  const settled = world.chain.transfers.size
  for (const options of [
    [build],
    [build, rent, { name: 'c' }, { name: 'd' }, { name: 'e' }],
    [build, build],
    [build, { name: 'wait' }],
    [build, { ...rent, outcomes: [{ name: 'works', probability: 0.5, value: 1 }] }],
  ])
    expect(
      await refusalOf(world.ask('strategy_recommendation', { question, options }, { channel: 'mcp' })),
    ).toMatchObject({ code: 'invalid_input' })
  const constraints = [{ name: 'now', metric: 'weeks', max: 0 }]
  expect(
    await refusalOf(world.ask('strategy_recommendation', { question, options: [build, rent], constraints })),
  ).toMatchObject({ extra: { reason: 'all_violate' } })
  expect(world.chain.transfers.size).toBe(settled)
})

test('an audit moves the confidence step by step, each from where the one before ended', async () => {
  const answer = await buy(world, 'epistemic_audit', {
    claim: 'The migration will be finished on time because the first service was easy.',
    stated_confidence: 0.9,
    evidence: [
      { text: 'The first service took two days.' },
      { text: 'The second one was stopped.', direction: 'opposes', strength: 'strong', source: 'the log' },
    ],
    base_rate: { events: 3, n: 10, source: 'our own projects' },
  })
  const steps: { name: string; from: number; to: number }[] = answer.confidence_adjustments
  expect(steps[0]).toMatchObject({ name: 'base_rate', from: 0.9 })
  for (const [index, { from }] of steps.slice(1).entries()) expect(from).toBe(steps[index]?.to)
  expect(answer.adjusted_confidence).toBe(steps.at(-1)?.to)
  // 0.9 and 3.5 of 11 pooled, then a ratio of an eighth against it.
  expect(answer.adjusted_confidence).toBeCloseTo(0.204, 2)
  expect(answer).toMatchObject({ method: 'checklist', truth_checked: false })
  expect(answer.failure_modes.length).toBe(answer.follow_up_checks.length)
})

test('opposing evidence never raises the confidence', () => {
  const claim = 'The new method is better than the old one.'
  const at = (direction: 'supports' | 'opposes', confidence: number) =>
    auditClaim(
      { claim, confidence, assumptions: ['a'], evidence: [{ text: 'a', direction, strength: 'weak' }] },
      { events: 5, n: 10, source: 'own' },
    ).adjusted_confidence ?? Number.NaN
  for (const confidence of [0.2, 0.5, 0.8])
    expect(at('opposes', confidence)).toBeLessThan(at('supports', confidence))
})

test('a claim of which nothing else is given has no confidence, however it is worded', async () => {
  for (const claim of ['Water boils at 100 °C at sea level.', 'The moon is made of green cheese.'])
    expect(await buy(world, 'epistemic_audit', { claim })).toMatchObject({
      stated_confidence: null,
      adjusted_confidence: null,
      truth_checked: false,
    })
})
