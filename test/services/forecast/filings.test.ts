import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openWorkers } from '../../../mcp/ports/workers/workers.ts'
import { openBook, readQuarters, readYear } from '../../../mcp/services/forecast/filings/analyse.ts'
import { filings, openFilings } from '../../../mcp/services/forecast/filings/port.ts'
import { type Internet, startInternet } from '../../internet/internet.ts'
import { buy, offerFor } from './buy.ts'
import { filingsEnvironment, startRegulator } from './regulator.ts'
import { type ForecastWorld, refusalOf, startForecast } from './run.ts'

let internet: Internet
let world: ForecastWorld
let regulator: ReturnType<typeof startRegulator>
const workers = openWorkers()

beforeAll(async () => {
  internet = await startInternet()
})
afterAll(async () => {
  await internet.stop()
  await workers.close()
})

beforeEach(async () => {
  regulator = startRegulator(internet)
  const { fetch } = internet.ports()
  world = await startForecast({ fetch, workers })
  world.own.set(
    filings,
    openFilings({
      fetch,
      clock: world.clock,
      filingsContact: filingsEnvironment.FORECAST_FILINGS_CONTACT,
      filingsData: filingsEnvironment.FORECAST_FILINGS_DATA,
      filingsTickers: filingsEnvironment.FORECAST_FILINGS_TICKERS,
    }),
  )
})
afterEach(() => world.stop())

const read = (ticker: string, tier = 'deep', more: object = {}) =>
  buy(world, 'filings', { ticker, tier, ...more })

test('the last year has each number with the filing that it is from', async () => {
  const { years, currency, other_currencies, trends } = await read('exmp', 'index')
  expect({ currency, other_currencies, trends, count: years.length }).toEqual({
    currency: 'USD',
    other_currencies: ['EUR'],
    trends: null,
    count: 1,
  })
  expect(years[0].metrics.revenue).toEqual({
    value: 1000,
    unit: 'USD',
    period: { start: '2025-01-01', end: '2025-12-31' },
    tag: 'RevenueFromContractWithCustomerExcludingAssessedTax',
    taxonomy: 'us-gaap',
    form: '10-K',
    accession: '0000000001-26-000001',
    filed: '2026-02-10',
    url: 'https://www.sec.gov/Archives/edgar/data/1/000000000126000001/0000000001-26-000001-index.htm',
    derived: null,
  })
  // 2000 − 850 with the share of others − 50 temporary.
  expect(years[0].metrics.liabilities).toMatchObject({
    value: 1100,
    derived: expect.stringContaining('equity'),
  })
  expect(years[0].ratios).toMatchObject({
    roe_ending: { value: 0.125 },
    roe_average: { value: 0.1333 },
    roa_ending: { value: 0.05 },
    roa_average: { value: 0.0526 },
    debt_to_equity: { value: 0.5 },
    liabilities_to_equity: { value: 1.375 },
    current_ratio: { value: 1.5 },
    net_margin: { value: 0.1 },
    gross_margin: { value: null, reason: 'gross profit not reported' },
  })
})

test('tags stand in for each other by period, the newest filing counts, and the fourth quarter is the rest of the year', async () => {
  const answer = await read('EXMP')
  const revenue = answer.years.map(
    (year: { metrics: { revenue: { value: number } } }) => year.metrics.revenue.value,
  )
  expect(revenue).toEqual([1000, 900, 810, 700])
  expect(answer.years[1].metrics.net_income.value).toBe(72)
  expect(answer.restatements).toEqual([
    {
      metric: 'net_income',
      period_end: '2024-12-31',
      value: 90,
      filed: '2025-02-10',
      replaced_by: 72,
      replaced: '2026-02-10',
    },
  ])
  expect(answer.quarters[0]).toMatchObject({
    period_end: '2025-12-31',
    metrics: { revenue: { value: 300, derived: 'year − nine months', period: { start: '2025-10-01' } } },
  })
  expect(answer.ttm).toEqual({ revenue: 1000, net_income: 100, operating_cash_flow: null })
  expect(answer.trends[0]).toMatchObject({ metric: 'revenue', yoy: 0.1111, cagr: 0.1262 })
  expect(answer.red_flags.map(({ code }: { code: string }) => code)).toEqual(['restated'])
})

test('a bank has no current ratio, a debtor no return on equity, and a foreign filer its own currency', async () => {
  const [bank] = (await read('BNK')).years
  expect(bank.metrics.revenue).toMatchObject({ value: 550, derived: 'interest income + noninterest income' })
  expect(bank.ratios.current_ratio).toMatchObject({
    value: null,
    reason: expect.stringContaining('classified'),
  })
  const debtor = await read('DEBT')
  expect(debtor.years[0].ratios.roe_ending).toEqual({ value: null, reason: 'equity is not positive' })
  expect(debtor.red_flags.map(({ code }: { code: string }) => code)).toEqual([
    'negative_equity',
    'net_loss',
    'revenue_fell',
  ])
  const foreign = await read('FRGN')
  expect(foreign).toMatchObject({ currency: 'EUR', taxonomy: 'ifrs-full', company: { name: 'Example AG' } })
  expect(foreign.years[0]).toMatchObject({
    metrics: { net_income: { value: 450, form: '20-F' } },
    ratios: { roe_ending: { value: 0.1 }, current_ratio: { value: 1.5 } },
  })
})

test('each tier has its price', async () => {
  for (const [tier, amount] of [
    ['index', '10000'],
    ['analysis', '50000'],
    ['deep', '250000'],
  ])
    expect(await offerFor(world, 'filings', { ticker: 'EXMP', tier })).toMatchObject({ amount })
  expect(regulator.asked).toHaveLength(1)
})

test('what is unknown, contradictory or missing is refused before anybody is asked to pay', async () => {
  for (const [input, code] of [
    [{ ticker: 'NOPE' }, 'not_found'],
    [{ cik: '99' }, 'not_found'],
    [{ ticker: 'EXMP', cik: 2 }, 'invalid_input'],
    [{}, 'invalid_input'],
  ] as const)
    expect((await refusalOf(world.ask('filings', input))).code).toBe(code)
  expect(world.chain.transfers.size).toBe(0)
})

test.each([
  ['403', { status: 403, body: '<html>blocked</html>', type: 'text/html' }],
  ['429', { status: 429, body: '' }],
  ['500', { status: 500, body: '' }],
  ['a page', { body: '<html>maintenance</html>', type: 'text/html' }],
  ['JSON that breaks off', { body: '{"cik":1,"facts":{' }],
  ['more than 20 MiB', { body: `{"facts":"${'x'.repeat(21 << 20)}"}` }],
])('a regulator that answers %s costs nothing, and yesterday stands in for it', async (_, answer) => {
  regulator.answer = answer
  const refusal = await refusalOf(world.ask('filings', { ticker: 'EXMP' }))
  expect(['unavailable', 'upstream']).toContain(refusal.code)
  expect(refusal.extra.retryAfter).toBeGreaterThan(0)
  regulator.answer = undefined
  expect(await read('EXMP', 'index')).toMatchObject({ stale: false })
  world.at('2026-01-12T12:00:00.000Z')
  regulator.answer = answer
  expect(await read('EXMP', 'index')).toMatchObject({ stale: true, fetched_at: '2026-01-10T12:00:00.000Z' })
})

test('who asks at once shares one request', async () => {
  await Promise.all(['EXMP', 'EXMP', 'EXMP'].map(ticker => offerFor(world, 'filings', { ticker })))
  expect(regulator.asked).toHaveLength(1)
})

test('the fourth quarter is the year less three quarters where no nine months were filed, and what is not filed is not reported', () => {
  const row = (start: string, end: string, value: number) => ({
    tag: 'NetIncomeLoss',
    taxonomy: 'us-gaap',
    unit: 'USD',
    value,
    start,
    end,
    form: '10-Q',
    accession: '0000000001-26-000001',
    filed: '2026-02-01',
  })
  const facts = [
    row('2025-01-01', '2025-12-31', 100),
    row('2025-01-01', '2025-03-31', 10),
    row('2025-04-01', '2025-06-30', 20),
    row('2025-07-01', '2025-09-30', 30),
  ]
  const book = openBook({ cik: 1, facts })
  expect(book.quarterAt('net_income', '2025-12-31')).toMatchObject({
    value: 40,
    period: { start: '2025-10-01', end: '2025-12-31' },
    derived: 'year − three quarters',
  })
  expect(readQuarters(book, 8).ttm.net_income).toBe(100)
  expect(openBook({ cik: 1, facts: facts.slice(0, 3) }).quarterAt('net_income', '2025-12-31')).toBeNull()
  expect(readYear(book, '2025-12-31', undefined).ratios.debt_to_equity).toEqual({
    value: null,
    reason: 'debt not reported',
  })
})
