import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { trimmedMean } from '../../../mcp/lib/log-odds.ts'
import { openFetch } from '../../../mcp/ports/fetch/fetch.ts'
import { openLlm } from '../../../mcp/ports/llm/llm.ts'
import { openWorkers } from '../../../mcp/ports/workers/workers.ts'
import { forecastSettings } from '../../../mcp/services/forecast/config.ts'
import { withReview } from '../../../mcp/services/forecast/model/forecast.ts'
import {
  predictionsIn,
  registerPrediction,
  resolvePrediction,
} from '../../../mcp/services/forecast/record/prediction.ts'
import { type Internet, startInternet } from '../../internet/internet.ts'
import { type ModelApi, type ModelRequest, startModel, type TestModel } from '../../model-server.ts'
import { buy } from './buy.ts'
import { answerTo, promptOf, textsOf } from './fake-model.ts'
import { type ForecastWorld, refusalOf, startForecast } from './run.ts'

const searchUrl = 'http://search.example.com/search?format=json&q={query}'
const question = 'Will the bridge at Exampleton be open by 31 December 2026?'

let internet: Internet
let model: TestModel
let world: ForecastWorld
const workers = openWorkers()

beforeAll(async () => {
  internet = await startInternet()
  const json = { 'content-type': 'application/json' }
  const html = { 'content-type': 'text/html' }
  internet.web.site('search.example.com', '*', {
    headers: json,
    body: JSON.stringify({
      results: [
        { title: 'Bridge news', url: 'http://news.example.com/bridge', content: 'The bridge is late.' },
        { title: 'Gone', url: 'http://gone.example.com/page', content: 'A snippet that stays.' },
        { title: 'Script', url: 'javascript:alert(1)', content: 'no' },
      ],
    }),
  })
  internet.web.site('news.example.com', '*', {
    headers: html,
    body: '<html><title>Bridge news</title><body><article><p>The deck was closed in May, the ramps are late.</p></article></body></html>',
  })
  internet.web.site('own.example.com', '*', {
    headers: { 'content-type': 'text/plain' },
    body: 'The mayor expects the opening in autumn.',
  })
  internet.web.site('gone.example.com', '*', { status: 404, body: '' })
})
afterAll(async () => {
  await internet.stop()
  await workers.close()
})

const start = async (api: ModelApi = 'openai') => {
  model = await startModel(api)
  model.respond = request => answerTo(promptOf(request))
  const { fetch } = internet.ports()
  const guarded = openFetch({
    resolve: async () => [],
    allow: () => true,
    userAgent: 'Octagent/test',
    maxMs: 60_000,
    maxSocketsPerOrigin: 8,
  })
  const llm = openLlm({ fetch: guarded, url: model.url, api, model: 'small', pauseMs: 5 })
  world = await startForecast({ llm, fetch, workers }, [[forecastSettings.searchUrl, searchUrl]])
}
beforeEach(() => start())
afterEach(async () => {
  await world.stop()
  await model.stop()
})

const prompts = () => model.requests.map(promptOf).sort()

test('the first tier asks two views that differ, over either API', async () => {
  await world.stop()
  await model.stop()
  for (const api of ['openai', 'anthropic'] as const) {
    await start(api)
    const answer = await buy(world, 'consult', { question, sources: ['http://own.example.com/a'] })
    expect(answer).toMatchObject({
      engine: 'model',
      method: 'model+sources',
      model_version: 'model/2 small',
      interval80: null,
      cost: { questions: 3 },
      resolution_criteria: expect.stringContaining('mayor'),
    })
    expect(prompts()).toEqual(['inside', 'outside', 'reading'])
    expect(answer.probability).toBeCloseTo(trimmedMean([0.3, 0.5]), 3)
    expect(answer.sources.map(({ url }: { url: string }) => url)).toEqual([
      'http://own.example.com/a',
      'http://news.example.com/bridge',
      'http://gone.example.com/page',
    ])
    const row = await predictionsIn(world.store).get(answer.prediction.id)
    expect(row?.content).toMatchObject({ method: 'model+sources', probability: answer.probability })
    if (api === 'openai') {
      await world.stop()
      await model.stop()
    }
  }
})

test('views differ, are pooled as by hand, checked against each other and reviewed', async () => {
  const answer = await buy(world, 'consult', { question, tier: 'standard' })
  expect(prompts()).toEqual([
    'complement',
    'counter',
    'decomposition',
    'inside',
    'outside',
    'reading',
    'supervisor',
  ])
  expect(new Set(model.requests.map(request => textsOf(request).system.slice(0, 80))).size).toBe(7)
  // The complement says 0.6 that it does not happen, a voice of 0.4; of five the ends are left out.
  const pooled = trimmedMean([0.3, 0.5, 0.48, 0.4, 0.4])
  expect(answer.probability).toBeCloseTo(withReview(pooled, 0.45, 0.3, 0.5), 3)
  expect(answer.consistency).toMatchObject([
    { check: 'complement', ok: true },
    { check: 'earlier_date', ok: true },
    { check: 'threshold', ok: true },
    { check: 'product', ok: true },
    { check: 'sum', ok: true },
  ])
  const inside = answer.views.find(({ view }: { view: string }) => view === 'inside')
  // Ids of sources that nobody read are dropped.
  expect(inside.evidence_ids).toEqual(['S1'])
  expect(answer.reasoning.join(' ')).toContain('Supervisor: One fact')
  const outside = model.requests.find(request => promptOf(request) === 'outside') as ModelRequest
  expect(textsOf(outside).user).not.toContain('deck')
})

test('what does not agree is told, and makes the answer less sure', async () => {
  model.respond = request => answerTo(promptOf(request), { complement: 0.9 })
  const answer = await buy(world, 'consult', { question, tier: 'standard' })
  expect(answer.consistency[0]).toMatchObject({ check: 'complement', ok: false })
  expect(answer.confidence_level).toBe('low')
})

test('a higher tier reads and asks more, and its bounds are in the price', async () => {
  for (const [tier, asked] of [
    ['deep', 11],
    ['research', 15],
  ] as const) {
    model.requests.length = 0
    const { cost } = await buy(world, 'consult', { question, tier })
    expect([cost.questions, model.requests.length]).toEqual([asked, asked])
    expect(cost.input_tokens).toBe(asked * 120)
    const { includes } = await world.ask('price_estimate', { question, tier })
    expect(includes[tier]).toContain(`at most ${asked} questions of 1500 tokens`)
  }
  expect(await world.ask('price_estimate', { question })).toMatchObject({ engine: 'model', basis: 'model' })
})

test('sources are needed above the first tier: without a search it is refused unpaid, without an answer uncharged', async () => {
  world.own.delete(forecastSettings.searchUrl)
  expect(await refusalOf(world.ask('consult', { question, tier: 'standard' }))).toMatchObject({
    code: 'unavailable',
    extra: { reason: 'search_unavailable' },
  })
  const failure = await refusalOf(
    buy(world, 'consult', { question, tier: 'standard', sources: ['http://nowhere.example.com/'] }),
  )
  expect(failure).toMatchObject({ code: 'upstream', extra: { reason: 'no_sources' } })
  expect(world.chain.debits()).toBe(0n)
})

test('a question that leaves open how it comes out is refused, and nothing is charged', async () => {
  model.respond = () => ({
    value: {
      is_clear: false,
      fault: 'open to whom',
      question: 'Is the bridge open to cars on 31 December 2026?',
      resolution_source: 'The mayor',
      unit: '',
      queries: ['bridge'],
    },
  })
  expect(await refusalOf(buy(world, 'consult', { question }))).toMatchObject({
    code: 'invalid_input',
    extra: { reason: 'not_clear', hint: expect.stringContaining('open to cars') },
  })
  expect([world.chain.debits(), await predictionsIn(world.store).count()]).toEqual([0n, 0])
})

test('the model is asked for the event, and the absence of it is turned around', async () => {
  const event = await buy(world, 'consult', { question: 'Will the tunnel open by 31 December 2026?' })
  const absence = await buy(world, 'consult', { question: 'Will the tunnel not open by 31 December 2026?' })
  expect(event.probability + absence.probability).toBeCloseTo(1, 4)
})

test('the slope is learned for each form of question, and asking one thing often teaches nothing', async () => {
  const { store } = world
  const register = (method: string, at: number, datum: number) =>
    store.transaction(async tx => {
      const source = { url: `https://api.weather.gov/${datum}`, pointer: '/a', is: '=' as const, value: '1' }
      const facts = { domain: 'general', probability: 0.9, method, tier: 'quick', source }
      const closesAt = new Date('2026-01-09T00:00:00.000Z')
      const asked = new Date('2026-01-01T00:00:00.000Z')
      const prediction = await registerPrediction(
        tx,
        { ...facts, question: `Question ${method} ${at}`, closesAt },
        asked,
      )
      const outcome = at % 2 === 0 ? 1 : 0
      await resolvePrediction(tx, prediction, { outcome, by: 'source', evidence: '' }, closesAt)
    })
  for (let at = 0; at < 300; at++) {
    await register('model:level', at, at)
    // An event with 300 wordings.
    await register('model', at, 1000)
  }
  const level = await buy(world, 'consult', { question: 'Will gold be above 5,000 USD on 31 December 2026?' })
  expect(level.method).toBe('model:level+slope')
  // Half of what was given 90 % came true: what the views say is drawn towards one half.
  expect(level.probability).toBeGreaterThan(trimmedMean([0.3, 0.5]) + 0.02)
  expect(level.probability).toBeLessThan(0.5)
  const event = await buy(world, 'consult', { question })
  expect([event.method, event.probability]).toEqual(['model', expect.closeTo(trimmedMean([0.3, 0.5]), 3)])
})

test('a form is computed rather than a model asked, unless the tier or the method says so', async () => {
  const form = { kind: 'event', events: 1, n: 9 }
  expect(await buy(world, 'consult', { question, form })).toMatchObject({ engine: 'form' })
  expect(model.requests).toHaveLength(0)
  const both = await buy(world, 'consult', { question, form, method: 'model' })
  expect(both).toMatchObject({ engine: 'model', method: 'model+form', form: { kind: 'event' } })
  const market = await buy(world, 'consult', {
    question,
    form: { kind: 'price', market_price: 0.9 },
    method: 'model',
  })
  // The price weighs four times what the model says.
  expect(market.probability).toBeGreaterThan(0.8)
})

describe('a model that fails', () => {
  test.each([
    ['is away', { status: 500 }],
    ['refuses', { refusal: 'no' }],
    ['says something else', { text: 'I think it will.' }],
    ['is unsure of the form', { value: { probability: 7 } }],
  ])('and %s costs nothing', async (_, turn) => {
    model.respond = () => turn
    const failure = await refusalOf(buy(world, 'consult', { question }))
    expect(failure).toMatchObject({ code: 'upstream' })
    expect(failure.extra).toMatchObject({ hint: expect.stringContaining('Nothing was charged') })
    expect([world.chain.debits(), await predictionsIn(world.store).count()]).toEqual([0n, 0])
  })

  test('in one view is left out, as long as half of them are there', async () => {
    model.respond = request =>
      promptOf(request) === 'counter' ? { refusal: 'no' } : answerTo(promptOf(request))
    const { views } = await buy(world, 'consult', { question, tier: 'standard' })
    expect(views).toHaveLength(4)
  })
})

describe('what is sold with a model beside forecasts', () => {
  const options = [
    { name: 'build', outcomes: [{ name: 'all', probability: 1, value: 100 }] },
    { name: 'buy', outcomes: [{ name: 'all', probability: 1, value: 80 }] },
  ]
  const choice = { question: 'Build the bridge or buy one?', options }
  const lensOf = ({ body }: ModelRequest) =>
    [
      'You prepare a choice',
      'You hold a premortem',
      'You look at options from the outside',
      'You look at options as those',
      'You put together',
    ].findIndex(words => String(body.messages[0].content).startsWith(words))
  const risk = (option: number, factor: string, likelihood: number, impact: number, quote = '') => ({
    ...{ option, factor, likelihood, impact, source_id: quote ? 'S1' : '', quote },
  })
  const scores = [
    { option: 1, score: 0.9 },
    { option: 2, score: 0.7 },
  ]
  const answers = (impact: number) => (request: ModelRequest) => ({
    value: [
      { queries: ['bridges that failed'] },
      { risks: [risk(1, 'The ramps are late.', 0.5, impact, 'the ramps are late')], scores },
      {
        risks: [risk(1, 'Late ramps', 0.8, impact * 1.2), risk(2, 'The seller fails', 0.1, impact / 2)],
        scores,
      },
      { risks: [risk(1, 'Ramps', 0.2, impact * 0.8, 'The council denies all of this.')], scores },
      {
        risks: [
          {
            factor: 'The ramps are late',
            early_warning: 'No tender',
            mitigation: 'Tender now',
            of: ['R1', 'R2', 'R4'],
          },
          // What is of another option, or already taken, does not count twice.
          {
            factor: 'The seller fails',
            early_warning: 'Rumours',
            mitigation: 'A bond',
            of: ['R3', 'R1', 'R77'],
          },
        ],
      },
    ][lensOf(request)],
  })

  test('key risks of each option are found by lenses that differ, checked by arithmetic and by quotes, and turn the choice', async () => {
    model.respond = answers(60)
    const answer = await buy(world, 'strategy_recommendation', choice)
    expect(model.requests.map(lensOf).sort()).toEqual([0, 1, 2, 3, 4])
    // Nothing that somebody wrote on a page is before the outside view.
    const outside = model.requests.find(request => lensOf(request) === 2) as ModelRequest
    expect(textsOf(outside).user).not.toContain('deck')
    const [build] = answer.options
    expect(build.risks).toMatchObject([
      {
        factor: 'The ramps are late',
        impact: 60,
        found_by: 'model',
        lenses: ['premortem', 'outside', 'rival'],
        sources: [{ url: 'http://news.example.com/bridge', quote: 'the ramps are late' }],
      },
    ])
    expect(build.risks[0].likelihood).toBeCloseTo(trimmedMean([0.5, 0.8, 0.2]), 4)
    expect(build.expected_value).toBeCloseTo(100 - 60 * trimmedMean([0.5, 0.8, 0.2]), 3)
    expect(answer).toMatchObject({
      recommendation: { option: 'buy', confidence: 'low' },
      without_found_risks: 'build',
      numbers_by: 'caller',
      method: 'model',
      cost: { questions: 5 },
    })
    model.respond = answers(6)
    expect(await buy(world, 'strategy_recommendation', choice)).toMatchObject({
      recommendation: { option: 'build' },
    })
    const calls = model.requests.length
    expect(await buy(world, 'strategy_recommendation', { ...choice, method: 'arithmetic' })).toMatchObject({
      method: 'arithmetic',
      cost: null,
    })
    expect(model.requests).toHaveLength(calls)
  })

  test('options without numbers are scored by the model, less their risks, and never surely', async () => {
    model.respond = answers(0.6)
    const bare = { ...choice, options: options.map(({ name }) => ({ name })) }
    const answer = await buy(world, 'strategy_recommendation', bare)
    expect(answer).toMatchObject({
      recommendation: { option: 'buy', by: 'goal_score', confidence: 'low' },
      numbers_by: 'model',
    })
    expect(answer.options[0].goal_score).toBeCloseTo(0.9 - 0.6 * trimmedMean([0.5, 0.8, 0.2]), 3)
    expect(
      await refusalOf(world.ask('strategy_recommendation', { ...bare, method: 'arithmetic' })),
    ).toMatchObject({
      extra: { reason: 'no_basis' },
    })
  })

  const sold = [
    ['strategy_recommendation', choice, 'at most 5 questions of 1500 tokens'],
    [
      'epistemic_audit',
      { claim: 'The bridge at Exampleton opens in May.' },
      'at most 2 questions of 1500 tokens',
    ],
    ['consult', { question }, 'at most 3 questions of 1500 tokens'],
    ['consult', { question, tier: 'standard' }, 'at most 7 questions of 1500 tokens'],
    ['consult', { question, tier: 'research' }, 'at most 15 questions of 1500 tokens'],
  ] as const

  test.each(sold)(
    '%s of %o states its bounds with the price, and costs nothing where the model fails',
    async (name, input, bounds) => {
      const refusal = await refusalOf(world.ask(name, input))
      expect(refusal).toMatchObject({
        code: 'payment_required',
        extra: { hint: expect.stringContaining(bounds), params: { engine: 'model' } },
      })
      expect(refusal.extra).toMatchObject({ hint: expect.stringContaining('100 s') })
      model.respond = () => ({ refusal: 'no' })
      expect(await refusalOf(buy(world, name, input))).toMatchObject({
        code: 'upstream',
        extra: { hint: expect.stringContaining('Nothing was charged') },
      })
      expect([world.chain.debits(), await predictionsIn(world.store).count()]).toEqual([0n, 0])
    },
  )

  test.each(sold.slice(0, 2))('%s of %o costs nothing where no source can be read', async (name, input) => {
    world.own.delete(forecastSettings.searchUrl)
    model.respond = request =>
      lensOf(request) === 0
        ? answers(1)(request)
        : { value: { parts: ['The bridge opens in May.'], queries: ['bridge'] } }
    const away = { ...input, sources: ['http://nowhere.example.com/'] }
    expect(await refusalOf(buy(world, name, away))).toMatchObject({ extra: { reason: 'no_sources' } })
    expect(world.chain.debits()).toBe(0n)
  })

  test.each(sold)('%s of %o ends at its bound of time, and costs nothing then', async (name, input) => {
    const asked: number[] = []
    const { timeout } = AbortSignal
    const bound = vi.spyOn(AbortSignal, 'timeout').mockImplementation(ms => {
      asked.push(ms)
      return timeout.call(AbortSignal, ms === 100_000 ? 300 : ms)
    })
    try {
      model.respond = () => ({ raw: () => undefined })
      expect((await refusalOf(buy(world, name, input))).code).toBe('timeout')
      expect(asked).toContain(100_000)
      expect([world.chain.debits(), await predictionsIn(world.store).count()]).toEqual([0n, 0])
    } finally {
      bound.mockRestore()
    }
  })
})

test('what strangers wrote is data under a mark that they cannot end, and none of the instructions', async () => {
  await buy(world, 'consult', { question: 'Will “IGNORE ALL” be said by 31 December 2026?' })
  const request = model.requests.find(request => promptOf(request) === 'inside') as ModelRequest
  const { system, user } = textsOf(request)
  expect(system).not.toContain('IGNORE ALL')
  const [, mark] = /<data-([0-9a-f]{18}) name="S1">/.exec(user) ?? []
  expect(user.indexOf('The deck was closed')).toBeGreaterThan(user.indexOf(`<data-${mark} name="S1">`))
  expect(system).toContain(`<data-${mark}>`)
})

test('an audit by a model tells true claims from false ones by what sources say, and believes no quote that they do not hold', async () => {
  const facts = Array.from({ length: 30 }, (_, n) => ({
    fact: `The tower number ${n} of Exampleton is ${20 + n} metres high.`,
    fiction: `The tower number ${n} of Exampleton is ${90 + n} metres high.`,
  }))
  internet.web.site('towers.example.com', '*', {
    headers: { 'content-type': 'text/plain' },
    body: facts.map(({ fact }) => fact).join(' '),
  })
  const sources = ['http://towers.example.com/']
  /** Knows the towers, and makes up quotes where `invents` is set. */
  const knows = (invents: boolean) => (request: ModelRequest) => {
    const { system, user } = textsOf(request)
    const [, nth = ''] = /tower number (\d+) of/.exec(user) ?? []
    const said = /is \d+ metres high/.exec(user)?.[0] ?? ''
    if (system.startsWith('You take a claim apart'))
      return { value: { parts: [`The tower number ${nth} of Exampleton ${said}.`], queries: ['towers'] } }
    const { fact = '' } = facts[Number(nth)] ?? {}
    const verdict = fact.includes(said) ? 'supported' : 'contradicted'
    const part = {
      part: 1,
      verdict,
      source_id: 'S1',
      quote: invents ? 'The council denies all of this.' : fact,
    }
    return { value: { parts: [part], failure_modes: [], counterarguments: [] } }
  }
  const audit = (claim: string) =>
    world.askPaid('epistemic_audit', { claim, sources, stated_confidence: 0.8 })
  model.respond = knows(false)
  for (const { fact, fiction } of facts) {
    const [good, bad] = [await audit(fact), await audit(fiction)]
    expect([good.parts[0].verdict, bad.parts[0].verdict]).toEqual(['supported', 'contradicted'])
    expect(bad.adjusted_confidence).toBeLessThan(good.adjusted_confidence)
  }
  model.respond = knows(true)
  const { parts } = await audit(facts[0]?.fact ?? '')
  expect(parts).toMatchObject([{ verdict: 'not_found', quote: null }])
})
