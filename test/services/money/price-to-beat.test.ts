import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { PaymentRequired } from '../../../mcp/kernel/error.ts'
import { pay } from '../../payment/fake-method.ts'
import type { Requirements } from '../../payment/x402.ts'
import { listing, settledListing, start, startMarket } from './market.ts'
import { refusalOf } from './run.ts'

let market: Awaited<ReturnType<typeof startMarket>>
beforeEach(async () => {
  market = await startMarket()
})
afterEach(() => market.stop())

const payer = '0x00000000000000000000000000000000000000bb'

/** Asks without payment; the offer of the refusal. */
const quoteFor = async (input: object): Promise<Requirements> => {
  const refusal = await refusalOf(market.ask('price_to_beat', input))
  expect(refusal).toMatchObject({ code: 'payment_required' })
  const { structured } = (refusal as unknown as PaymentRequired).parts
  const [offer] = (structured as { accepts: Requirements[] }).accepts
  if (!offer) throw new Error('no offer')
  return offer
}

const buy = async (input: object) => {
  market.chain.balances.set(payer, 1_000_000n)
  const payment = pay(market.chain, payer, await quoteFor(input))
  return market.ask('price_to_beat', input, {
    evidence: { headers: {}, meta: { 'x402/payment': payment } },
  })
}

/** Neither quoted nor charged: the refusal comes before any price. */
const refusesUnasked = async (input: object) => {
  const refusal = await refusalOf(market.ask('price_to_beat', input))
  expect(market.chain.transfers.size).toBe(0)
  return { code: refusal.code, reason: (refusal.extra as { reason?: string }).reason }
}

const live = { asset: 'btc', window: '5m' }
const slug = `btc-updown-5m-${start}`

/** Reports of each second from one time to another, one dollar more each. */
const report = (from: number, to: number, symbol = 'btcusd') => {
  for (let at = from; at <= to; at++)
    market.server.report(symbol, at * 1000, `${83_000 + at - start}.1139894528`)
}

const heard = (at: number) => {
  const source = market.openSource()
  market.use(source)
  return vi
    .waitFor(() => expect(source.latest('btc')?.at).toBe(at * 1000), { timeout: 60_000 })
    .then(() => source)
}

test('a window that runs is sold with its price to beat, the live price and the distance', async () => {
  market.listed.set(slug, listing(slug))
  market.midpoints.set('111', '0.435').set('222', '0.565')
  report(start - 60, start + 12)
  market.at(start + 13)
  await heard(start + 12)
  expect(await buy(live)).toEqual({
    status: 'live',
    simulated: false,
    ...live,
    slug,
    start,
    end: start + 300,
    seconds_left: 287,
    price_to_beat: {
      value: '83000.1139894528',
      observed_at: new Date(start * 1000).toISOString(),
      source: 'polybolt price.crypto.twap',
    },
    oracle: { price: '83012.1139894528', at: new Date((start + 12) * 1000).toISOString() },
    distance: { absolute: '12', bps: '1.44' },
    tokens: { up: '111', down: '222' },
    market_prices: { up: '0.435', down: '0.565' },
    final_price: null,
    outcome: null,
  })
  expect(market.chain.transfers.size).toBe(1)
})

test('prices of the market that are away leave the record as it is', async () => {
  market.listed.set(slug, listing(slug))
  report(start - 5, start + 5)
  market.at(start + 5)
  await heard(start + 5)
  expect(await buy(live)).toMatchObject({ market_prices: null, oracle: { price: '83005.1139894528' } })
})

test('the price to beat survives a socket that breaks, and a restart', async () => {
  market.listed.set(slug, listing(slug))
  report(start - 30, start + 10)
  market.at(start + 10)
  const first = await heard(start + 10)
  market.server.drop()
  await market.server.subscription(2)
  market.at(start + 20)
  report(start + 11, start + 20)
  await vi.waitFor(() => expect(first.latest('btc')?.at).toBe((start + 20) * 1000))
  const window = { ...live, asset: 'btc', window: '5m', start, end: start + 300, slug } as const
  const signal = new AbortController().signal
  expect(await first.averageAt(window, signal)).toMatchObject({ price: '83000.1139894528' })
  first.close()

  // Four minutes later a new process hears two minutes of the past, and not the start.
  market.at(start + 240)
  report(start + 21, start + 240)
  const second = await heard(start + 240)
  expect(await second.averageAt(window, signal)).toMatchObject({ price: '83000.1139894528' })
  expect(await buy(live)).toMatchObject({ price_to_beat: { value: '83000.1139894528' }, seconds_left: 60 })
})

test('a window whose start was not heard is not sold', async () => {
  market.listed.set(slug, listing(slug))
  report(start + 20, start + 240)
  market.at(start + 240)
  await heard(start + 240)
  expect(await refusesUnasked(live)).toEqual({ code: 'unavailable', reason: 'not_observed' })
})

test('an opening price of the market fills the gap, where an operator names its address', async () => {
  market.listed.set(slug, listing(slug))
  report(start + 20, start + 240)
  market.at(start + 240)
  await heard(start + 240)
  market.useOpeningPrices({ openPrice: 82999.5, closePrice: null, completed: false, incomplete: false })
  expect(await buy(live)).toMatchObject({
    price_to_beat: { value: '82999.5', source: 'open price of the market' },
    distance: { absolute: '240.6139894528' },
  })
  market.useOpeningPrices({ openPrice: 82999.5, incomplete: true })
  expect(await refusalOf(market.ask('price_to_beat', live))).toMatchObject({ code: 'unavailable' })
})

test('a report that comes too late decides nothing', async () => {
  market.listed.set(slug, listing(slug))
  report(start - 10, start - 1)
  report(start + 3, start + 8)
  market.at(start + 8)
  await heard(start + 8)
  expect(await refusesUnasked(live)).toEqual({ code: 'unavailable', reason: 'not_observed' })
})

test('a report after a gap decides nothing, since an earlier one may have been missed', async () => {
  market.listed.set(slug, listing(slug))
  report(start - 10, start - 4)
  report(start + 1, start + 8)
  market.at(start + 8)
  await heard(start + 8)
  expect(await refusesUnasked(live)).toEqual({ code: 'unavailable', reason: 'not_observed' })
})

test('the first seconds of a window are waited for', async () => {
  market.listed.set(slug, listing(slug))
  report(start - 10, start - 1)
  market.at(start + 1)
  await heard(start - 1)
  expect(await refusesUnasked(live)).toEqual({ code: 'unavailable', reason: 'not_yet_known' })
})

test('a live price that is old is not sold', async () => {
  market.listed.set(slug, listing(slug))
  report(start - 10, start + 5)
  market.at(start + 5)
  await heard(start + 5)
  market.at(start + 30)
  expect(await refusesUnasked(live)).toEqual({ code: 'unavailable', reason: 'no_live_price' })
})

test('a window that the market does not list is not sold', async () => {
  report(start - 10, start + 5)
  market.at(start + 5)
  await heard(start + 5)
  expect(await refusesUnasked(live)).toEqual({ code: 'not_found', reason: 'not_listed' })
})

test.each([
  ['another look-back', {}, { cryptoMarketConfig: { twapEnabled: true, twapLookbackSeconds: 30 } }],
  ['no average', {}, { cryptoMarketConfig: { twapEnabled: false } }],
  ['no rule', {}, { cryptoMarketConfig: undefined }],
  ['another end', {}, { endDate: '2030-01-01T00:00:00Z' }],
])('a window that is decided by %s is not sold', async (_what, event, rule) => {
  market.listed.set(slug, listing(slug, event, rule))
  report(start - 10, start + 5)
  market.at(start + 5)
  await heard(start + 5)
  expect(await refusesUnasked(live)).toEqual({ code: 'unavailable', reason: 'rule_changed' })
})

test.each([
  ['text', 'no json'],
  ['another window', listing('eth-updown-5m-1')],
  ['lists that are none', listing(slug, {}, { outcomes: 'Up,Down' })],
  ['three outcomes', listing(slug, {}, { outcomes: '["Up","Down","Tie"]' })],
  ['other outcomes', listing(slug, {}, { outcomes: '["Yes","No"]' })],
])('a list that answers with %s sells nothing', async (_what, event) => {
  market.listed.set(slug, event)
  report(start - 10, start + 5)
  market.at(start + 5)
  await heard(start + 5)
  expect(await refusesUnasked(live)).toMatchObject({ code: 'upstream' })
})

test('a list that fails sells nothing', async () => {
  market.failListings(500)
  report(start - 10, start + 5)
  market.at(start + 5)
  await heard(start + 5)
  expect(await refusesUnasked(live)).toMatchObject({ code: 'upstream' })
})

test('without a socket nothing live is sold, and the past still is', async () => {
  market.use(undefined)
  market.at(start + 400)
  market.listed.set(slug, settledListing(slug))
  expect(await refusesUnasked(live)).toEqual({ code: 'unavailable', reason: 'no_live_prices' })
  expect(await buy({ ...live, start })).toMatchObject({
    status: 'settled',
    price_to_beat: { value: '83123.11398945', source: 'market' },
    final_price: '83130.5',
    distance: { absolute: '7.38601055' },
    outcome: 'up',
    seconds_left: 0,
  })
})

test('an outcome counts as the market tells it', async () => {
  market.at(start + 400)
  market.listed.set(slug, settledListing(slug, {}, '["1","0"]'))
  expect(await buy({ ...live, start: String(start) })).toMatchObject({ outcome: 'down' })
})

test('averages that were heard fill what the market leaves out of the past', async () => {
  report(start - 5, start + 2)
  market.at(start + 2)
  const source = await heard(start + 2)
  market.at(start + 302)
  report(start + 295, start + 302)
  await vi.waitFor(() => expect(source.latest('btc')?.at).toBe((start + 302) * 1000))
  market.listed.set(slug, settledListing(slug, { eventMetadata: {} }))
  expect(await buy({ ...live, start })).toMatchObject({
    price_to_beat: { value: '83000.1139894528', source: 'polybolt price.crypto.twap' },
    final_price: '83300.1139894528',
    outcome: 'up',
  })
})

test.each([
  ['not decided', listing(slug)],
  ['closed without an outcome', settledListing(slug, {}, '["0.5","0.5"]')],
  ['told without prices', settledListing(slug, { eventMetadata: null })],
])('a past window that is %s is not sold', async (_what, event) => {
  market.at(start + 400)
  market.listed.set(slug, event)
  expect(await refusesUnasked({ ...live, start })).toEqual({ code: 'not_found', reason: 'not_settled' })
})

test('a start between windows is refused, and one to come is not known', async () => {
  market.at(start + 400)
  const odd = await refusalOf(market.ask('price_to_beat', { ...live, start: start + 1 }))
  expect(odd).toMatchObject({ code: 'invalid_input', extra: { issues: [{ path: 'start' }] } })
  expect(await refusesUnasked({ ...live, start: start + 600 })).toEqual({
    code: 'not_found',
    reason: 'not_begun',
  })
})

test('reports that lie are not believed', async () => {
  market.listed.set(slug, listing(slug))
  report(start - 10, start + 5)
  market.at(start + 5)
  const source = await heard(start + 5)
  const lie = (payload: object) =>
    market.server.say(
      JSON.stringify({ v: 1, channel: 'price.crypto.twap', payload: { window_seconds: 60, ...payload } }),
    )
  market.server.say('no json')
  market.server.say('[]')
  lie({ symbol: 'btcusd', timestamp: (start + 4) * 1000, full_accuracy_value: '1' })
  lie({ symbol: 'btcusd', timestamp: (start + 400) * 1000, full_accuracy_value: '1' })
  lie({ symbol: 'btcusd', timestamp: (start + 5) * 1000 + 1, full_accuracy_value: '-1' })
  lie({ symbol: 'btcusd', timestamp: (start + 5) * 1000 + 2, full_accuracy_value: '1e9', value: 'NaN' })
  lie({ symbol: 'btcusd', timestamp: 'now', full_accuracy_value: '1' })
  lie({ symbol: 'btcusd', window_seconds: 30, timestamp: (start + 5) * 1000 + 3, full_accuracy_value: '1' })
  lie({ symbol: 'dogeusd', timestamp: (start + 5) * 1000, full_accuracy_value: '1' })
  market.server.report('ethusd', start * 1000, '3000.5')
  await vi.waitFor(() => expect(source.latest('eth')?.price).toBe('3000.5'))
  expect(await buy(live)).toMatchObject({
    price_to_beat: { value: '83000.1139894528' },
    oracle: { price: '83005.1139894528' },
  })
})

test('credentials that are refused sell nothing', async () => {
  market.listed.set(slug, listing(slug))
  report(start - 10, start + 5)
  market.at(start + 5)
  market.use(market.openSource('other'))
  expect(await refusesUnasked(live)).toEqual({ code: 'unavailable', reason: 'no_live_price' })
})

test('the windows that run and come next are listed, with what can be bought now', async () => {
  market.listed.set(slug, listing(slug))
  report(start - 10, start + 5)
  market.at(start + 5)
  await heard(start + 5)
  expect(await market.ask('price_windows', live)).toEqual({
    simulated: false,
    windows: [
      {
        ...live,
        slug,
        start,
        end: start + 300,
        starts_at: new Date(start * 1000).toISOString(),
        listed: true,
        tokens: { up: '111', down: '222' },
        price_known: true,
      },
      expect.objectContaining({ start: start + 300, listed: false, tokens: null, price_known: false }),
    ],
    failed: [],
  })
  const { windows } = await market.ask('price_windows', {})
  expect(windows).toHaveLength(16)
})

test('on local chains a market of their own sells made-up prices and says so, also of windows that are over', async () => {
  market.useLocal()
  market.at(start + 300)
  const live = await buy({ asset: 'btc', window: '5m' })
  const over = await buy({ asset: 'btc', window: '5m', start })
  expect(live).toMatchObject({
    status: 'live',
    simulated: true,
    price_to_beat: { source: expect.stringContaining('made up') },
  })
  expect(over).toMatchObject({ status: 'settled', simulated: true })
  const [beat, last] = [live, over] as unknown as [
    { price_to_beat: { value: string } },
    { final_price: string },
  ]
  expect(last.final_price).toBe(beat.price_to_beat.value)
  const windows = await market.ask('price_windows', {})
  expect(windows).toMatchObject({ simulated: true, failed: [] })
})
