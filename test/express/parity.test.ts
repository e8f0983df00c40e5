import { request } from 'node:http'
import { x402ResourceServer as Server } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { declareDiscoveryExtension } from '@x402/extensions/bazaar'
import express, { type Express } from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../app/config.ts'
import { paymentMiddlewareFromConfig, setSettlementOverrides } from '../../express.ts'
import { canPay, onAnvil } from '../payment/evm-chain.ts'
import { postgresIsHere, withDatabase } from '../store/database.ts'
import {
  fetchPaid,
  type Market,
  network,
  openBuyer,
  openMarket,
  openShop,
  quoteIn,
  receiptIn,
  type ShopOptions,
  sign,
} from './shop.ts'

const exact = (payTo: string, price = '$0.01') => ({ scheme: 'exact', payTo, price, network }) as const

const hello = (app: Express) =>
  void app.use((req, res) => void res.set('x-path', encodeURIComponent(req.path)).send('hello'))

onAnvil('what the stock middleware does, ours does', () => {
  let market: Market
  beforeAll(async () => {
    market = await openMarket()
  })
  afterAll(() => market.close())

  const withShop = async (
    options: Partial<ShopOptions> & Pick<ShopOptions, 'routes'>,
    work: (shop: Awaited<ReturnType<typeof openShop>>) => Promise<void>,
  ) => {
    market.calm()
    const shop = await openShop(market, { build: hello, ...options })
    try {
      await work(shop)
    } finally {
      market.calm()
      await shop.stop()
    }
  }

  const readStatus = (base: string, path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(`${base}${path}`, answer => {
        answer.resume()
        resolve(answer.statusCode)
      })
        .on('error', reject)
        .end()
    })

  test('paths match however they are written', () =>
    withShop(
      {
        routes: payTo => ({
          'GET /api/premium/*': { accepts: exact(payTo) },
          '/cat/:id': { accepts: exact(payTo) },
        }),
      },
      async ({ url }) => {
        for (const path of [
          '/api/premium/a',
          '/API/Premium/a',
          '/api//premium/a/',
          '/api/premium/a%E2%80%A8',
          '/api/premium/%0A',
          '/%61pi/premium/a',
          '/cat/7',
          '/cat/%E0%A4%A',
        ])
          expect([path, await readStatus(url, path)]).toEqual([path, 402])
        expect([await readStatus(url, '/health'), await readStatus(url, '/cat')]).toEqual([200, 200])
      },
    ))

  test('one configuration for all paths, several offers, dynamic price and payee', () =>
    withShop(
      {
        routes: payTo => ({
          accepts: [
            exact(payTo),
            {
              ...exact(payTo),
              price: ({ adapter }) => `$${adapter.getQueryParam?.('price') ?? '0.05'}`,
              payTo: async () => payTo,
            },
          ],
          resource: 'https://shop.example.org/anything',
          description: 'Anything',
          mimeType: 'text/plain',
          serviceName: 'Shop',
          tags: ['a'],
        }),
      },
      async ({ url, earned }) => {
        const quote = quoteIn(await fetch(`${url}/x?price=0.03`))
        expect(quote).toMatchObject({
          resource: {
            url: 'https://shop.example.org/anything',
            description: 'Anything',
            mimeType: 'text/plain',
            serviceName: 'Shop',
            tags: ['a'],
          },
          accepts: [{ amount: '10000' }, { amount: '30000' }],
        })
        const buyer = await openBuyer(market)
        const second = await sign(buyer.account, { ...quote, accepts: quote.accepts.slice(1) })
        expect((await fetchPaid(`${url}/x?price=0.03`, second)).status).toBe(200)
        expect(await earned()).toBe(30_000n)
      },
    ))

  test('the seller says what an unpaid program, a person and a failed settlement read', () =>
    withShop(
      {
        prepare: ({ server }) => server.onBeforeSettle(async () => ({ abort: true, reason: 'not_today' })),
        routes: payTo => ({
          'GET /a': {
            accepts: exact(payTo),
            unpaidResponseBody: () => ({ contentType: 'text/plain', body: 'first page free' }),
            settlementFailedResponseBody: (_, { errorReason }) => ({
              contentType: 'text/plain',
              body: `sorry: ${errorReason}`,
            }),
          },
          'GET /b': { accepts: exact(payTo), customPaywallHtml: '<h1>mine</h1>' },
        }),
      },
      async ({ url }) => {
        const unpaid = await fetch(`${url}/a`)
        expect([unpaid.status, unpaid.headers.get('content-type'), await unpaid.text()]).toEqual([
          402,
          'text/plain',
          'first page free',
        ])
        const person = await fetch(`${url}/b`, {
          headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0' },
        })
        expect([person.status, await person.text()]).toEqual([402, '<h1>mine</h1>'])
        const buyer = await openBuyer(market)
        const response = await fetchPaid(`${url}/a`, await buyer.signFor(`${url}/a`))
        expect([response.status, await response.text()]).toEqual([402, 'sorry: not_today'])
        expect(receiptIn(response)).toMatchObject({ success: false })
        expect(response.headers.get('x-path')).toBeNull()
      },
    ))

  test('hooks of the seller come first, also those that are added later; so do those of extensions', () =>
    withShop(
      {
        routes: payTo => ({
          '/x': { accepts: exact(payTo), extensions: { pass: {} } },
          '/y': { accepts: exact(payTo) },
        }),
        prepare: http => {
          http.onProtectedRequest(async ({ adapter }) => {
            const who = adapter.getHeader('x-who')
            if (who === 'friend') return { grantAccess: true }
            return who === 'foe' ? { abort: true, reason: 'not you' } : undefined
          })
          http.server.registerExtension({
            key: 'pass',
            transportHooks: {
              http: {
                onProtectedRequest: async (_, { adapter }) =>
                  adapter.getHeader('x-pass') === '1' ? { grantAccess: true } : undefined,
              },
            },
          })
          queueMicrotask(() =>
            http.onProtectedRequest(async ({ adapter }) =>
              adapter.getHeader('x-who') === 'late' ? { grantAccess: true } : undefined,
            ),
          )
        },
      },
      async ({ url }) => {
        const ask = async (path: string, headers: Record<string, string> = {}) =>
          (await fetch(url + path, { headers })).status
        expect([
          await ask('/x'),
          await ask('/x', { 'x-who': 'friend' }),
          await ask('/x', { 'x-who': 'late' }),
        ]).toEqual([402, 200, 200])
        const foe = await fetch(`${url}/x`, { headers: { 'x-who': 'foe' } })
        expect([foe.status, await foe.json()]).toEqual([403, { error: 'not you' }])
        expect([await ask('/x', { 'x-pass': '1' }), await ask('/y', { 'x-pass': '1' })]).toEqual([200, 402])
      },
    ))

  test('hooks around verify and settle see the payment, and may answer in the handler’s place', () => {
    const hookCalls: string[] = []
    let skip = false
    return withShop(
      {
        routes: payTo => ({ '/x': { accepts: exact(payTo), extensions: { note: { info: { a: 1 } } } } }),
        prepare: ({ server }) => {
          server.onAfterVerify(async ({ paymentPayload, transportContext }) => {
            hookCalls.push(`verified ${paymentPayload.x402Version} ${transportContext ? 'with request' : ''}`)
            return skip
              ? { skipHandler: true, response: { contentType: 'text/plain', body: 'instead' } }
              : undefined
          })
          server.onBeforeSettle(async ({ phase }) => void hookCalls.push(`settling ${phase}`))
          server.onVerifiedPaymentCanceled(async ({ reason }) => void hookCalls.push(`canceled ${reason}`))
        },
        build: app => {
          app.get(
            '/x',
            (req, res) => void (req.query.fail ? res.status(503).send('closed') : res.send('hello')),
          )
        },
      },
      async ({ url, earned }) => {
        const buyer = await openBuyer(market)
        expect(quoteIn(await fetch(`${url}/x`)).extensions).toMatchObject({ note: { info: { a: 1 } } })
        expect(await (await fetchPaid(`${url}/x`, await buyer.signFor(`${url}/x`))).text()).toBe('hello')
        expect(hookCalls.splice(0)).toEqual(['verified 2 with request', 'settling after-handler'])
        const response = await fetchPaid(`${url}/x?fail=1`, await buyer.signFor(`${url}/x?fail=1`))
        expect([response.status, await response.text(), receiptIn(response)]).toEqual([
          503,
          'closed',
          undefined,
        ])
        expect(hookCalls.splice(0)).toEqual(['verified 2 with request', 'canceled handler_failed'])
        skip = true
        const instead = await fetchPaid(`${url}/x`, await buyer.signFor(`${url}/x`))
        expect([instead.status, await instead.text(), receiptIn(instead)?.success]).toEqual([
          200,
          'instead',
          true,
        ])
        expect(await earned()).toBe(20_000n)
      },
    )
  })

  test('Settlement-Overrides reach the facilitator’s side and never the client', () => {
    const amounts: string[] = []
    return withShop(
      {
        routes: payTo => ({ '/x': { accepts: exact(payTo) } }),
        prepare: ({ server }) =>
          server.onBeforeSettle(async ({ requirements }) => void amounts.push(requirements.amount)),
        build: app => {
          app.get('/x', (_, res) => {
            setSettlementOverrides(res, { amount: '100%' })
            res.send('hello')
          })
        },
      },
      async ({ url }) => {
        const buyer = await openBuyer(market)
        const answer = await fetchPaid(`${url}/x`, await buyer.signFor(`${url}/x`))
        expect([answer.status, answer.headers.get('settlement-overrides'), amounts]).toEqual([
          200,
          null,
          ['10000'],
        ])
      },
    )
  })

  test('a facilitator that refuses to settle is not believed until the chain’s own time is over: 202', () =>
    withShop({ routes: payTo => ({ '/x': { accepts: exact(payTo) } }) }, async ({ url }) => {
      const buyer = await openBuyer(market)
      const payment = await buyer.signFor(`${url}/x`)
      market.mood.settle = async () => ({
        success: false,
        errorReason: 'insufficient_funds',
        transaction: '',
        network,
      })
      const pending = await fetchPaid(`${url}/x`, payment)
      expect([pending.status, pending.headers.get('x-path')]).toEqual([202, null])
      expect(receiptIn(pending)).toMatchObject({ success: false, errorReason: 'settlement_pending' })
      market.calm()
      expect((await fetchPaid(`${url}/x`, payment)).status).toBe(200)
    }))

  test('a declared discovery extension tells the method and the route of the request', () =>
    withShop(
      {
        routes: payTo => ({
          'GET /city/:name': {
            accepts: exact(payTo),
            extensions: declareDiscoveryExtension({ input: { units: 'metric' } }),
          },
        }),
      },
      async ({ url }) => {
        const { extensions } = quoteIn(await fetch(`${url}/city/Oslo`))
        expect(extensions).toMatchObject({ bazaar: { info: { input: { type: 'http', method: 'GET' } } } })
        const buyer = await openBuyer(market)
        expect((await fetchPaid(`${url}/city/Oslo`, await buyer.signFor(`${url}/city/Oslo`))).status).toBe(
          200,
        )
      },
    ))

  test('a missing Permit2 allowance is 412', () =>
    withShop({ routes: payTo => ({ '/x': { accepts: exact(payTo) } }) }, async ({ url }) => {
      const buyer = await openBuyer(market)
      const payment = await buyer.signFor(`${url}/x`)
      market.mood.verify = async () => ({ isValid: false, invalidReason: 'permit2_allowance_required' })
      const answer = await fetchPaid(`${url}/x`, payment)
      expect([answer.status, quoteIn(answer).error]).toEqual([412, 'permit2_allowance_required'])
    }))

  test('an echo of an extension that says something else is refused', () =>
    withShop(
      { routes: payTo => ({ '/x': { accepts: exact(payTo), extensions: { note: { info: { a: 1 } } } } }) },
      async ({ url, earned }) => {
        const buyer = await openBuyer(market)
        const quote = quoteIn(await fetch(`${url}/x`))
        const payload = JSON.parse(Buffer.from(await sign(buyer.account, quote), 'base64').toString())
        payload.extensions = { note: { info: { a: 2 } } }
        const answer = await fetchPaid(`${url}/x`, Buffer.from(JSON.stringify(payload)).toString('base64'))
        expect([answer.status, quoteIn(answer).error, await earned()]).toEqual([
          402,
          'extension_echo_mismatch',
          0n,
        ])
      },
    ))

  test('a facilitator that does not start is 502, and asked again with the next request', async () => {
    let requests = 0
    const facilitator = {
      ...market.facilitator,
      getSupported: async () => {
        requests += 1
        if (requests > 1) return market.facilitator.getSupported()
        throw Object.assign(new Error('invalid JSON'), { name: 'FacilitatorResponseError' })
      },
    }
    const { mkdtemp } = await import('node:fs/promises')
    const config = readConfig({
      OCTAGENT_DATA: await mkdtemp('/tmp/octagent-config-'),
      OCTAGENT_LOG: 'silent',
    })
    const middleware = paymentMiddlewareFromConfig(
      { '/x': { accepts: exact('0x00000000000000000000000000000000000000aA') } },
      facilitator,
      [{ network, server: new ExactEvmScheme() }],
      undefined,
      undefined,
      true,
      { config },
    )
    const app = express()
    app.use(middleware)
    const server = app.listen(0, '127.0.0.1')
    await new Promise(listening => server.once('listening', listening))
    const { port } = server.address() as { port: number }
    const first = await fetch(`http://127.0.0.1:${port}/x`)
    expect([first.status, (await fetch(`http://127.0.0.1:${port}/x`)).status]).toEqual([502, 402])
    await new Promise(resolve => server.close(resolve))
    await middleware.close()
  })

  test('a route with another scheme is refused at the start, by name', async () => {
    const server = new Server(market.facilitator)
    const { paymentMiddleware } = await import('../../express.ts')
    expect(() =>
      paymentMiddleware(
        { 'GET /x': { accepts: { scheme: 'upto', payTo: '0x1', price: '$1', network } } },
        server,
      ),
    ).toThrow(/route "GET \/x" accepts the scheme "upto"/)
  })
})

onAnvil('what ours does beyond', () => {
  let market: Market
  beforeAll(async () => {
    market = await openMarket()
  })
  afterAll(() => market.close())

  const routes = (payTo: string) => ({
    'POST /order': { accepts: exact(payTo) },
    'GET /report': { accepts: exact(payTo) },
  })

  test('owed work is listed, and given back once', async () => {
    const shop = await openShop(market, {
      routes,
      build: app => {
        app.post('/order', (_, res) => void res.status(500).json({ sorry: true }))
      },
      environment: { OCTAGENT_REFUND_KEY: market.refundKey },
    })
    const buyer = await openBuyer(market)
    const before = await buyer.balance()
    const init = { method: 'POST' }
    const answer = await fetchPaid(`${shop.url}/order`, await buyer.signFor(`${shop.url}/order`, init), init)
    expect([answer.status, await answer.json(), receiptIn(answer)?.success]).toEqual([
      500,
      { sorry: true },
      true,
    ])
    const [debt] = (await shop.payments?.owed()) ?? []
    expect(debt).toMatchObject({ service: 'express', tool: 'POST /order', amount: '10000', state: 'owed' })
    const transaction = await shop.payments?.refund(debt?.id ?? '')
    expect(await shop.payments?.refund(debt?.id ?? '')).toBe(transaction)
    expect(await buyer.balance()).toBe(before)
    expect(await shop.payments?.owed()).toEqual([])
    await shop.stop()
  })

  test('a body of any size and framing reaches the handler whole', async () => {
    const shop = await openShop(market, {
      routes,
      build: app => {
        app.post('/order', async (req, res) => {
          let bytes = 0
          for await (const chunk of req) bytes += chunk.length
          res.json({ bytes })
        })
      },
    })
    const buyer = await openBuyer(market)
    for (const size of [0, 1, 1 << 20, (1 << 20) + 1, 3_000_000]) {
      const toChunkedRequest = (): RequestInit =>
        ({
          method: 'POST',
          duplex: 'half',
          body: new ReadableStream({
            start(controller) {
              for (let at = 0; at < size; at += 70_000)
                controller.enqueue(new Uint8Array(Math.min(70_000, size - at)))
              controller.close()
            },
          }),
        }) as RequestInit
      const payment = await buyer.signFor(`${shop.url}/order`, toChunkedRequest())
      expect(await (await fetchPaid(`${shop.url}/order`, payment, toChunkedRequest())).json()).toEqual({
        bytes: size,
      })
    }
    await shop.stop()
  })

  test('a replay says nothing that middleware had said to the first asker', async () => {
    const shop = await openShop(market, {
      routes,
      before: [
        (req, res, next) => {
          res.set('x-asker', req.get('x-asker') ?? 'nobody')
          next()
        },
      ],
      build: app => {
        app.get('/report', (_, res) => void res.set('x-report', '1').cookie('a', 'b').send('report'))
      },
    })
    const buyer = await openBuyer(market)
    const payment = await buyer.signFor(`${shop.url}/report`)
    const askAs = async (who: string) => {
      const { headers } = await fetchPaid(`${shop.url}/report`, payment, { headers: { 'x-asker': who } })
      return [headers.get('x-asker'), headers.get('x-report'), headers.get('set-cookie')]
    }
    expect(await askAs('Ada')).toEqual(['Ada', '1', 'a=b; Path=/'])
    expect(await askAs('Bob')).toEqual(['Bob', '1', 'a=b; Path=/'])
    await shop.stop()
  })

  test('a caller’s payment is no other caller’s', async () => {
    const shop = await openShop(market, {
      routes,
      build: hello,
      options: { caller: req => req.get('x-caller') },
    })
    const buyer = await openBuyer(market)
    const init = (who: string) => ({ headers: { 'x-caller': who } })
    const payment = await buyer.signFor(`${shop.url}/report`, init('Ada'))
    const statuses = []
    for (const who of ['Ada', 'Bob', 'Ada'])
      statuses.push((await fetchPaid(`${shop.url}/report`, payment, init(who))).status)
    expect(statuses).toEqual([200, 409, 200])
    await shop.stop()
  })

  test('a buyer of x402 version 1 is quoted in the body, pays, and has the answer again', async () => {
    const shop = await openShop(market, { routes, build: hello })
    const unpaid = await fetch(`${shop.url}/report`)
    expect(await unpaid.clone().json()).toMatchObject({
      x402Version: 1,
      accepts: [{ network: 'base-sepolia', maxAmountRequired: '10000', payTo: shop.payTo }],
    })
    const { account } = await openBuyer(market)
    const { payload } = JSON.parse(Buffer.from(await sign(account, quoteIn(unpaid)), 'base64').toString())
    const payment = { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload }
    const headers = { 'x-payment': Buffer.from(JSON.stringify(payment)).toString('base64') }
    for (const replay of [null, 'true']) {
      const answer = await fetch(`${shop.url}/report`, { headers })
      expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([200, replay])
    }
    expect(await shop.earned()).toBe(10_000n)
    await shop.stop()
  })

  test('an unreadable payment is named', async () => {
    const shop = await openShop(market, { routes, build: hello })
    const answer = await fetchPaid(`${shop.url}/report`, 'bm8=')
    expect([answer.status, ((await answer.json()) as { detail: string }).detail]).toEqual([
      402,
      expect.stringContaining('PAYMENT-SIGNATURE'),
    ])
    await shop.stop()
  })
})

describe.skipIf(!canPay || !postgresIsHere)('on PostgreSQL, two applications', () => {
  const database = withDatabase()
  test('give one payment one run and one answer', async () => {
    const market = await openMarket()
    let runs = 0
    const options = (payTo?: string): ShopOptions => ({
      routes: to => ({ 'GET /report': { accepts: exact(to) } }),
      build: app => {
        app.get('/report', (_, res) => {
          runs += 1
          res.json({ run: runs })
        })
      },
      ...(payTo && { payTo }),
      environment: {
        DATABASE_URL: database(),
        OCTAGENT_PEPPER: 'p'.repeat(32),
        OCTAGENT_SIGNING_KEY: 's'.repeat(32),
      },
    })
    const one = await openShop(market, options())
    const two = await openShop(market, options(one.payTo))
    const buyer = await openBuyer(market)
    const payment = await buyer.signFor(`${one.url}/report`)
    const ask = async (url: string): Promise<unknown> => {
      const answer = await fetchPaid(`${url}/report`, payment)
      return answer.status === 202 ? ask(url) : answer.json()
    }
    expect(await Promise.all([one, two, one, two].map(({ url }) => ask(url)))).toEqual(
      Array(4).fill({ run: 1 }),
    )
    expect([runs, await one.earned()]).toEqual([1, 10_000n])
    await one.stop()
    await two.stop()
    await market.close()
  })
})
