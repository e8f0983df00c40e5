import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Internet } from '../../internet/internet.ts'

type Fields = Record<string, unknown>

/** Variables that make the program ask the venues of the local internet. */
export const venueEnvironment = {
  PROOF_HYPERLIQUID_URL: 'http://hyperliquid.example.com',
  PROOF_BINANCE_URL: 'http://binance.example.com',
  PROOF_BYBIT_URL: 'http://bybit.example.com',
  PROOF_OKX_URL: 'http://okx.example.com',
  PROOF_DERIBIT_URL: 'http://deribit.example.com',
}

const hour = 3_600_000

/** The closes of the prototype: a walk by a linear congruential generator. */
export const walk = (count: number, start = 60_000): number[] => {
  let state = 12_345
  let price = start
  return Array.from({ length: count }, () => {
    state = (1_664_525 * state + 1_013_904_223) % 2 ** 32
    price *= 1 + (state / 2 ** 32 - 0.5) * 0.01
    return Number(price.toFixed(1))
  })
}

const marks: Record<string, number> = {
  BTC: 60_028,
  ETH: 3000.5,
  SOL: 150,
  XRP: 0.6,
  BNB: 600,
  DOGE: 0.1,
  ADA: 0.4,
  AVAX: 30,
  LINK: 15,
  LTC: 80,
  SUI: 2,
  PEPE: 0.00001,
}

const other = Array.from({ length: 20 }, (_, index) => `COIN${index}`)

/** Names of contracts of a thousand coins, as venues list them. */
const hyperliquidName = (coin: string) => (coin === 'PEPE' ? 'kPEPE' : coin)
const thousands = (coin: string) => (coin === 'PEPE' ? 1000 : 1)

const readBody = async (request: IncomingMessage) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

type Answer = unknown | undefined

/**
 * Puts five venues on the local internet, each with its own wire format. `now` is their clock; `change` of a venue may replace an
 * answer by its path, and `raw` takes the response over.
 */
export const startVenues = (internet: Pick<Internet, 'web'>, now: () => number = Date.now) => {
  const venues = {
    /** Requests of each venue, as `venue path`. */
    asked: [] as string[],
    /** What a venue answers instead, by its name; undefined for what it would answer. */
    change: {} as Record<string, ((path: string, answer: Answer) => Answer) | undefined>,
    raw: {} as Record<string, ((response: ServerResponse) => void) | undefined>,
    closes: walk(800),
  }

  const startOf = (time: number) => Math.floor(time / hour) * hour
  /** Hours with their closes; the last one still runs. */
  const hours = (count: number) => {
    const end = startOf(now())
    return venues.closes
      .slice(-count)
      .map((close, index, all) => ({ start: end - (all.length - 1 - index) * hour, close }))
  }
  const history = (count: number, every: number, ratePerHour = 5e-6) =>
    Array.from({ length: count }, (_, index) => {
      const back = count - 1 - index
      return {
        time: startOf(now()) - back * every * hour,
        rate: ratePerHour * every * (1 + (count - 1 - back) * 0.02),
      }
    })

  const hyperliquid = async (request: IncomingMessage) => {
    const { type, req, coin } = JSON.parse(await readBody(request)) as {
      type: string
      req?: Fields
      coin?: string
    }
    if (type === 'metaAndAssetCtxs') {
      const names = [...Object.keys(marks).map(hyperliquidName), ...other]
      const universe = names.map(name => ({ name, szDecimals: 5, maxLeverage: 40 }))
      const contexts = names.map((name, index) => {
        const mark = (marks[name === 'kPEPE' ? 'PEPE' : name] ?? 10 + index) * (name === 'kPEPE' ? 1000 : 1)
        return {
          funding: index % 3 === 0 ? '0.0000125' : '-0.0000031',
          openInterest: name === 'kPEPE' ? '1000000' : '24567.12345',
          prevDayPx: String(mark * (index % 2 === 0 ? 0.98 : 1.01)),
          dayNtlVlm: String(1_234_567_890.1 / (index + 1)),
          premium: '0.00031774',
          oraclePx: String(mark * 0.9997),
          markPx: String(mark),
          midPx: String(mark),
          impactPxs: [String(mark), String(mark)],
          dayBaseVlm: '20500.1',
        }
      })
      return [{ universe, marginTables: [] }, contexts]
    }
    if (type === 'fundingHistory')
      return history(49, 1).map(({ time, rate }) => ({
        coin,
        fundingRate: rate.toFixed(10),
        premium: '0.0001',
        time,
      }))
    if (type === 'candleSnapshot')
      return hours(722).map(({ start, close }) => ({
        t: start,
        T: start + hour - 1,
        s: req?.coin,
        i: '1h',
        o: String(close),
        c: String(close),
        h: String(close),
        l: String(close),
        v: '100.0',
        n: 10,
      }))
    return undefined
  }

  const binance = (url: URL) => {
    const symbol = url.searchParams.get('symbol') ?? ''
    const coin = symbol.replace(/^1000/, '').replace(/USDT$/, '')
    const mark = (marks[coin] ?? 0) * thousands(coin)
    if (url.pathname === '/fapi/v1/fundingInfo')
      return [
        {
          symbol: 'SOLUSDT',
          adjustedFundingRateCap: '0.02',
          adjustedFundingRateFloor: '-0.02',
          fundingIntervalHours: 4,
          disclaimer: false,
        },
      ]
    if (mark === 0) return { code: -1121, msg: 'Invalid symbol.' }
    if (url.pathname === '/fapi/v1/premiumIndex')
      return {
        symbol,
        markPrice: String(mark * 1.0001),
        indexPrice: String(mark * 0.9999),
        estimatedSettlePrice: String(mark),
        lastFundingRate: '0.00010000',
        interestRate: '0.00010000',
        nextFundingTime: startOf(now()) + 4 * hour,
        time: now() - 1000,
      }
    if (url.pathname === '/fapi/v1/openInterest')
      return { symbol, openInterest: '80000.123', time: now() - 2000 }
    if (url.pathname === '/fapi/v1/fundingRate')
      return history(60, 8).map(({ time, rate }) => ({
        symbol,
        fundingTime: time,
        fundingRate: rate.toFixed(8),
        markPrice: String(mark),
      }))
    if (url.pathname === '/fapi/v1/klines')
      return hours(722).map(({ start, close }) => {
        const text = String(close)
        return [
          start,
          text,
          text,
          text,
          text,
          '100.0',
          start + hour - 1,
          '6000000.0',
          100,
          '50.0',
          '3000000.0',
          '0',
        ]
      })
    return undefined
  }

  const bybit = (url: URL) => {
    const wrap = (result: Fields) => ({ retCode: 0, retMsg: 'OK', result, retExtInfo: {}, time: now() })
    const symbol = url.searchParams.get('symbol')
    const row = (name: string, mark: number, index: number) => ({
      symbol: name,
      lastPrice: String(mark),
      indexPrice: String(mark * 0.9998),
      markPrice: String(mark * 0.9999),
      prevPrice24h: String(mark * (index % 2 === 0 ? 0.97 : 1.02)),
      price24hPcnt: '0.03',
      openInterest: '50000.5',
      openInterestValue: String(50_000.5 * mark),
      turnover24h: String(2e9 / (index + 1)),
      volume24h: '30000',
      fundingRate: '0.0001',
      nextFundingTime: String(startOf(now()) + 4 * hour),
      fundingIntervalHour: '8',
      fundingCap: '0.005',
    })
    const nameOf = (coin: string) => `${coin === 'PEPE' ? '1000PEPE' : coin}USDT`
    if (url.pathname === '/v5/market/tickers') {
      const rows = Object.entries(marks).map(([coin, mark], index) =>
        row(nameOf(coin), mark * thousands(coin), index),
      )
      if (symbol === null) return wrap({ category: 'linear', list: rows })
      const matches = rows.filter(row => row.symbol === symbol)
      if (matches.length === 0)
        return {
          retCode: 10001,
          retMsg: 'params error: symbol invalid',
          result: {},
          retExtInfo: {},
          time: now(),
        }
      return wrap({ category: 'linear', list: matches })
    }
    if (url.pathname === '/v5/market/funding/history')
      return wrap({
        category: 'linear',
        list: history(60, 8)
          .reverse()
          .map(({ time, rate }) => ({
            symbol,
            fundingRate: rate.toFixed(8),
            fundingRateTimestamp: String(time),
          })),
      })
    if (url.pathname === '/v5/market/kline')
      return wrap({
        category: 'linear',
        symbol,
        list: hours(722)
          .reverse()
          .map(({ start, close }) => [String(start), ...Array(4).fill(String(close)), '100', '6000000']),
      })
    return undefined
  }

  const okx = (url: URL) => {
    const wrap = (data: unknown[]) => ({ code: '0', msg: '', data })
    const instId = url.searchParams.get('instId') ?? ''
    const coin = instId.split('-')[0] ?? ''
    const mark = marks[coin]
    if (mark === undefined) return { code: '51001', msg: "Instrument ID doesn't exist.", data: [] }
    const ts = String(now() - 500)
    if (url.pathname === '/api/v5/public/mark-price')
      return wrap([{ instId, instType: 'SWAP', markPx: String(mark), ts }])
    if (url.pathname === '/api/v5/market/index-tickers')
      return wrap([{ instId, idxPx: String(mark * 0.9996), high24h: '0', ts }])
    if (url.pathname === '/api/v5/public/open-interest')
      return wrap([
        { instId, instType: 'SWAP', oi: '5000000', oiCcy: '50000', oiUsd: String(50_000 * mark), ts },
      ])
    if (url.pathname === '/api/v5/public/funding-rate')
      return wrap([
        {
          instId,
          instType: 'SWAP',
          fundingRate: '0.00008',
          fundingTime: String(startOf(now()) + 4 * hour),
          nextFundingTime: String(startOf(now()) + 8 * hour),
          method: 'current_period',
          ts,
        },
      ])
    if (url.pathname === '/api/v5/public/funding-rate-history')
      return wrap(
        history(60, 4)
          .reverse()
          .map(({ time, rate }) => ({
            instId,
            instType: 'SWAP',
            fundingRate: rate.toFixed(10),
            realizedRate: rate.toFixed(10),
            fundingTime: String(time),
          })),
      )
    if (url.pathname === '/api/v5/market/candles')
      return wrap(
        hours(300)
          .reverse()
          .map(({ start, close }, index) => [
            String(start),
            ...Array(4).fill(String(close)),
            '1',
            '1',
            '1',
            index === 0 ? '0' : '1',
          ]),
      )
    return undefined
  }

  const deribit = (url: URL) => {
    const wrap = (result: unknown) => ({
      jsonrpc: '2.0',
      result,
      usIn: 1,
      usOut: 2,
      usDiff: 1,
      testnet: false,
    })
    const name = url.searchParams.get('instrument_name') ?? ''
    const coin = name.split(/[-_]/)[0] ?? ''
    const mark = marks[coin] ?? 0
    if (url.pathname.endsWith('/get_volatility_index_data'))
      return wrap({
        data: Array.from({ length: 25 }, (_, index) => {
          const close = 45.1 + index * 0.1
          return [startOf(now()) - (24 - index) * hour, close, close + 1, close - 1, close]
        }),
        continuation: null,
      })
    if (mark === 0 || name.startsWith('PEPE'))
      return {
        jsonrpc: '2.0',
        error: { message: 'Invalid params', code: -32602, data: { param: 'instrument_name' } },
        testnet: false,
      }
    if (url.pathname.endsWith('/ticker'))
      return wrap({
        timestamp: now() - 300,
        state: 'open',
        stats: { volume_usd: 5e8, volume: 8000, price_change: 1.2, low: 1, high: 2 },
        open_interest: name.endsWith('-PERPETUAL') && !name.includes('_') ? 900_000_000 : 12_345.6,
        mark_price: mark,
        last_price: mark,
        instrument_name: name,
        index_price: mark * 0.9995,
        funding_8h: 0.00006,
        current_funding: 0.00001,
      })
    if (url.pathname.endsWith('/get_funding_rate_history'))
      return wrap(
        history(49, 1).map(({ time, rate }) => ({
          timestamp: time,
          index_price: mark,
          prev_index_price: mark,
          interest_8h: rate * 8,
          interest_1h: rate,
        })),
      )
    if (url.pathname.endsWith('/get_tradingview_chart_data')) {
      const all = hours(722)
      return wrap({
        ticks: all.map(({ start }) => start),
        close: all.map(({ close }) => close),
        status: 'ok',
      })
    }
    return undefined
  }

  const serve = (name: string, answer: (url: URL, request: IncomingMessage) => Answer | Promise<Answer>) =>
    internet.web.site(`${name}.example.com`, '*', async (request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost')
      venues.asked.push(`${name} ${url.pathname}`)
      const raw = venues.raw[name]
      if (raw) return raw(response)
      const usual = await answer(url, request)
      const body = venues.change[name] ? venues.change[name](url.pathname, usual) : usual
      const isRefusal = typeof body === 'object' && body !== null && 'code' in body && body.code === -1121
      response.writeHead(body === undefined ? 404 : isRefusal ? 400 : 200, {
        'content-type': 'application/json',
      })
      response.end(JSON.stringify(body ?? { error: 'not found' }))
    })

  serve('hyperliquid', (_, request) => hyperliquid(request))
  serve('binance', binance)
  serve('bybit', bybit)
  serve('okx', okx)
  serve('deribit', deribit)
  return venues
}

export type TestVenues = ReturnType<typeof startVenues>
