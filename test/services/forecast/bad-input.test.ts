import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorkers } from '../../../mcp/ports/workers/workers.ts'
import { filings, openFilings } from '../../../mcp/services/forecast/filings/port.ts'
import forecast from '../../../mcp/services/forecast/service.ts'
import { openTestApp, type TestApp } from '../../../testing.ts'
import { type Internet, startInternet } from '../../internet/internet.ts'
import { canPay } from '../../payment/evm-chain.ts'
import { pay } from '../../payment/fake-method.ts'
import { offerFor } from './buy.ts'
import { filingsEnvironment, startRegulator } from './regulator.ts'
import { type ForecastWorld, refusalOf, startForecast } from './run.ts'

const question = 'Will the bridge at Exampleton be open by 31 December 2035?'
const price = (market_price: unknown) => ({ kind: 'price', market_price })
const option = (name: string, more: object = {}) => ({
  name,
  outcomes: [
    { name: 'works', probability: 0.5, value: 10 },
    { name: 'fails', probability: 0.5, value: -10 },
  ],
  ...more,
})
const options = (count: number) => Array.from({ length: count }, (_, index) => option(`option ${index}`))
const strategy = { question: 'Which one?' }

/** What is sent, to which skill, and the field that the refusal names. */
const table: [what: string, tool: string, skill: string, input: object, field: string][] = [
  ['no question', 'consult', 'consultation', {}, 'question'],
  ['an empty question', 'consult', 'consultation', { question: '' }, 'question'],
  ['20 kB', 'consult', 'consultation', { question: `Will ${'x'.repeat(20_000)} by 2035?` }, 'question'],
  ['no date', 'consult', 'consultation', { question: 'Will it rain tomorrow or not?' }, 'closes_at'],
  ['a date that is over', 'consult', 'consultation', { question, closes_at: '2020-01-01' }, 'closes_at'],
  [
    'two questions',
    'consult',
    'consultation',
    { question: 'Will it rain by 2035? Will it snow?' },
    'question',
  ],
  ['an open question', 'consult', 'consultation', { question: 'Who wins the election of 2035?' }, 'question'],
  ['harm', 'consult', 'consultation', { question: 'Will the mayor be assassinated by 2035?' }, 'question'],
  ['an unknown tier', 'consult', 'consultation', { question, tier: 'gold' }, 'tier'],
  ['a price above 1', 'consult', 'consultation', { question, form: price(1.01) }, 'form.market_price'],
  ['a price that is text', 'consult', 'consultation', { question, form: price('half') }, 'form.market_price'],
  ['no basis', 'consult', 'consultation', { question }, 'form'],
  [
    'a prior of 1',
    'consult',
    'consultation',
    { question, priors: [{ probability: 1 }] },
    'priors.0.probability',
  ],
  ['a field that is not there', 'consult', 'consultation', { question, colour: 'red' }, 'colour'],
  [
    'one option',
    'strategy_recommendation',
    'strategy_recommendation',
    { ...strategy, options: options(1) },
    'options',
  ],
  [
    'five options',
    'strategy_recommendation',
    'strategy_recommendation',
    { ...strategy, options: options(5) },
    'options',
  ],
  [
    'outcomes that sum to more than 1',
    'strategy_recommendation',
    'strategy_recommendation',
    {
      ...strategy,
      options: [
        option('a', {
          outcomes: [
            { name: 'x', probability: 0.9, value: 1 },
            { name: 'y', probability: 0.9, value: 1 },
          ],
        }),
        option('b'),
      ],
    },
    'options.0.outcomes',
  ],
  [
    'a confidence of 2',
    'epistemic_audit',
    'epistemic_audit',
    { claim: 'The bridge will open this year.', stated_confidence: 2 },
    'stated_confidence',
  ],
  ['neither ticker nor CIK', 'filings', 'regulatory_filings_financial_intelligence', {}, 'ticker'],
  [
    'a CIK that is not the ticker',
    'filings',
    'regulatory_filings_financial_intelligence',
    { ticker: 'EXMP', cik: 2 },
    'cik',
  ],
  [
    'a tier that is none',
    'filings',
    'regulatory_filings_financial_intelligence',
    { ticker: 'EXMP', tier: 'all' },
    'tier',
  ],
]

const workers = openWorkers()
let internet: Internet
let app: TestApp
let world: ForecastWorld
beforeAll(async () => {
  internet = await startInternet()
  startRegulator(internet)
  const { fetch } = internet.ports()
  const open = (clock: { now(): Date }) =>
    openFilings({
      fetch,
      clock,
      filingsContact: filingsEnvironment.FORECAST_FILINGS_CONTACT,
      filingsData: filingsEnvironment.FORECAST_FILINGS_DATA,
      filingsTickers: filingsEnvironment.FORECAST_FILINGS_TICKERS,
    })
  world = await startForecast({ fetch, workers })
  world.own.set(filings, open(world.clock))
  // What is refused by its price needs somebody who could be paid: the local chains.
  if (canPay)
    app = await openTestApp({
      services: [forecast],
      ports: { fetch },
      replaced: [filings.as(open({ now: () => new Date() }))],
    })
})
afterAll(async () => {
  await app?.close()
  await world?.stop()
  await internet?.stop()
  await workers.close()
})

type Problem = { code: string; detail: string; issues?: { path: string }[] }

const post = async (path: string, body: object, headers = {}) => {
  const response = await fetch(app.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const data = text.startsWith('event:') ? text.slice(text.indexOf('data: ') + 6) : text
  // biome-ignore lint/suspicious/noExplicitAny: answers of three protocols
  return { status: response.status, body: JSON.parse(data) as any }
}

const expectProblem = (problem: Problem, field: string) => {
  expect(problem.code).toBe('invalid_input')
  expect(problem.issues?.map(({ path }) => path)).toContain(field)
  expect(problem.detail.length).toBeGreaterThan(10)
}

describe.each(table)('%s to %s', (_, tool, skill, input, field) => {
  test.skipIf(!canPay)('is a problem over REST', async () => {
    // A call that brings nothing to pay with is quoted a price before it is read.
    const headers = { 'payment-signature': Buffer.from('{}').toString('base64') }
    const { status, body } = await post(`/forecast/tools/${tool}`, input, headers)
    expect(status).toBe(422)
    expectProblem(body, field)
  })

  test.skipIf(!canPay)('is a failed call over MCP', async () => {
    const params = { name: tool, arguments: input }
    const { body } = await post('/forecast/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    expect(body.result).toMatchObject({ isError: true })
    expect(body.result).not.toHaveProperty('structuredContent')
    expectProblem(JSON.parse(body.result.content[0].text), field)
  })

  test.skipIf(!canPay)('is an error over A2A', async () => {
    const message = {
      kind: 'message',
      role: 'user',
      messageId: '1',
      parts: [{ kind: 'data', data: { skill, ...input } }],
    }
    const { body } = await post('/forecast/', {
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { message },
    })
    expect(JSON.stringify(body)).toContain(field.split('.')[0])
    expect(JSON.stringify(body)).toContain('invalid_input')
  })

  test('is not charged, whoever pays for it', async () => {
    const offer = await offerFor(world, 'consult', { question, form: { kind: 'event', events: 1, n: 9 } })
    const payer = '0x00000000000000000000000000000000000000bb'
    world.chain.balances.set(payer, 1_000_000_000n)
    const payment = pay(world.chain, payer, offer)
    const evidence = { headers: {}, meta: { 'x402/payment': payment } }
    expectProblem(
      await refusalOf(world.ask(tool, input, { evidence })).then(({ code, message, extra }) => ({
        code,
        detail: message,
        ...(extra.issues && { issues: extra.issues }),
      })),
      field,
    )
    expect([world.chain.debits(), world.chain.settles]).toEqual([0n, 0])
  })
})
