import { randomBytes } from 'node:crypto'
import type { OwnNeed } from '../../../mcp/kernel/need.ts'
import { x402 } from '../../../mcp/payment/dialects/x402/x402.ts'
import { openGate } from '../../../mcp/payment/gate/open.ts'
import { openCache } from '../../../mcp/ports/cache/cache.ts'
import { openSockets } from '../../../mcp/ports/sockets/sockets.ts'
import type { Store } from '../../../mcp/ports/store/port.ts'
import { moneySettings } from '../../../mcp/services/money/config.ts'
import { openLocalMarket } from '../../../mcp/services/money/market/local-market.ts'
import { openOpenPrices } from '../../../mcp/services/money/market/open-price.ts'
import { openPolybolt } from '../../../mcp/services/money/market/polybolt.ts'
import { localMarket, openingPrices, twaps } from '../../../mcp/services/money/market/twaps.ts'
import { startInternet } from '../../internet/internet.ts'
import type { Page } from '../../internet/web-server.ts'
import { openChain, openFakeMethod } from '../../payment/fake-method.ts'
import { rates } from '../../payment/x402.ts'
import { openTestWorld } from '../../world.ts'
import { startPolybolt } from './polybolt-server.ts'
import { askIn } from './run.ts'

/** A start that windows of both lengths share. */
export const start = 1_790_653_500 - (1_790_653_500 % 900)

const json = (body: unknown): Page => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

type Listed = Record<string, unknown>

/** A window as the market lists it. */
export const listing = (slug: string, more: Listed = {}, market: Listed = {}): Listed => {
  const [, , window = '', begin = ''] = /^(\w+)-updown-(\w+)-(\d+)$/.exec(slug) ?? []
  const endDate = new Date((Number(begin) + (window === '5m' ? 300 : 900)) * 1000).toISOString()
  return {
    slug,
    closed: false,
    endDate,
    markets: [
      {
        outcomes: '["Down","Up"]',
        clobTokenIds: '["222","111"]',
        outcomePrices: '["0.57","0.43"]',
        endDate,
        cryptoMarketConfig: { twapEnabled: true, twapLookbackSeconds: 60 },
        ...market,
      },
    ],
    ...more,
  }
}

/** A window that is over. */
export const settledListing = (slug: string, more: Listed = {}, outcomePrices = '["0","1"]'): Listed =>
  listing(
    slug,
    { closed: true, eventMetadata: { priceToBeat: 83123.11398945, finalPrice: 83130.5 }, ...more },
    { outcomePrices },
  )

/** The market on loopback: its socket, its lists and its prices, with a clock that tests set, and a gate that takes payments. */
export const startMarket = async () => {
  const [internet, server] = await Promise.all([startInternet(), startPolybolt()])
  let seconds = start
  const now = () => seconds * 1000
  const clock = { now: () => new Date(now()) }
  const listed = new Map<string, unknown>()
  const midpoints = new Map<string, string>()
  let listingsStatus = 200
  internet.web.site('gamma.example.com', '/events', (request, response) => {
    const slug = new URL(request.url ?? '/', 'http://localhost').searchParams.get('slug') ?? ''
    const event = listed.get(slug)
    response.writeHead(listingsStatus, { 'content-type': 'application/json' })
    response.end(JSON.stringify(event === undefined ? [] : [event]))
  })
  internet.web.site('clob.example.com', '/midpoint', (request, response) => {
    const token = new URL(request.url ?? '/', 'http://localhost').searchParams.get('token_id') ?? ''
    const mid = midpoints.get(token)
    response.writeHead(mid === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(mid === undefined ? { error: 'none' } : { mid }))
  })
  const { fetch } = internet.ports()
  const chain = openChain('eip155:8453')
  chain.now = now
  const own = new Map<OwnNeed, unknown>([
    [moneySettings.marketListings, 'http://gamma.example.com'],
    [moneySettings.marketPrices, 'http://clob.example.com'],
  ])
  const test = await openTestWorld({ ports: { clock, fetch, cache: openCache({ clock }) }, own })
  const store = test.ports.store as Store
  const gate = openGate({
    methods: [openFakeMethod(chain, 'base')],
    dialects: [x402],
    rates,
    store,
    clock,
    hmacKey: randomBytes(32),
  })
  const world = { ...test, gate }
  const sockets = openSockets()
  const openSource = (apiKey = 'key') =>
    openPolybolt({
      sockets,
      store,
      now,
      url: server.url,
      credentials: { apiKey, secret: 's', passphrase: 'p' },
    })

  return {
    server,
    chain,
    store,
    world,
    ask: askIn(world),
    listed,
    midpoints,
    openSource,
    /** What the tools read averages from. */
    use(source: ReturnType<typeof openSource> | undefined) {
      if (source) own.set(twaps, source)
      else own.delete(twaps)
    },
    /** An address that tells opening prices, answering so; undefined takes it away. */
    useOpeningPrices(answer: unknown) {
      if (answer === undefined) return void own.delete(openingPrices)
      internet.web.site('open.example.com', '/price', json(answer))
      own.set(openingPrices, openOpenPrices({ fetch, url: 'http://open.example.com/price' }))
    },
    /** The market of local chains, in place of the one on loopback. */
    useLocal: () => void own.set(localMarket, { market: openLocalMarket(now) }),
    at(unix: number) {
      seconds = unix
    },
    failListings(status: number) {
      listingsStatus = status
    },
    async stop() {
      sockets.close()
      await server.stop()
      await test.stop()
      await internet.stop()
    },
  }
}
