import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onAnvil } from '../payment/evm-chain.ts'
import {
  fetchPaid,
  type Market,
  network,
  openBuyer,
  openMarket,
  openShop,
  quoteIn,
  receiptIn,
} from './shop.ts'

onAnvil('paid routes of an Express application', () => {
  let market: Market
  beforeAll(async () => {
    market = await openMarket()
  })
  afterAll(() => market.close())

  test('a stock buyer pays a GET, and the same payment gets the same answer without a second run', async () => {
    let runs = 0
    const shop = await openShop(market, {
      routes: payTo => ({
        'GET /cat/:id': {
          accepts: { scheme: 'exact', payTo, price: '$0.01', network },
          description: 'a cat',
        },
      }),
      build: app => {
        app.get('/cat/:id', (req, res) => {
          runs += 1
          res.set('x-cat', req.params.id).write('me')
          res.end('ow')
        })
        app.get('/free', (_, res) => void res.send('free'))
      },
    })
    expect(await (await fetch(`${shop.url}/free`)).text()).toBe('free')
    const buyer = await openBuyer(market)
    const unpaid = await fetch(`${shop.url}/cat/7`)
    expect(unpaid.status).toBe(402)
    expect(quoteIn(unpaid)).toMatchObject({ accepts: [{ network, amount: '10000', payTo: shop.payTo }] })
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(buyer.account))
    const answer = await wrapFetchWithPayment(fetch, client)(`${shop.url}/cat/8`)
    expect([answer.status, await answer.text()]).toEqual([200, 'meow'])
    expect(receiptIn(answer)).toMatchObject({ success: true, network })
    const payment = await buyer.signFor(`${shop.url}/cat/7`)
    const all = await Promise.all([1, 2, 3].map(() => fetchPaid(`${shop.url}/cat/7`, payment)))
    const again = await fetchPaid(`${shop.url}/cat/7`, payment)
    for (const each of [...all, again]) {
      expect([each.status, each.headers.get('x-cat'), await each.text()]).toEqual([200, '7', 'meow'])
      expect(each.headers.get('cache-control')).toBe('private')
    }
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect([runs, await shop.earned()]).toEqual([2, 20_000n])
    const other = await fetchPaid(`${shop.url}/cat/9`, payment)
    expect(other.status).toBe(409)
    const receipt = receiptIn(again)?.receipt
    expect(await (await fetch(`${shop.url}/receipts/${receipt}`)).json()).toMatchObject({
      tool: 'GET /cat/:id',
      state: 'done',
    })
    await shop.stop()
  })

  test.each([
    ['before a parser', []],
    ['behind a parser', [express.json()]],
  ])('a POST is bound to its body, %s', async (_, before) => {
    const shop = await openShop(market, {
      before,
      routes: payTo => ({ 'POST /feed': { accepts: { scheme: 'exact', payTo, price: '$0.02', network } } }),
      build: app => {
        app.post('/feed', express.json(), (req, res) => void res.status(201).json(req.body))
      },
    })
    const buyer = await openBuyer(market)
    const init = (body: string) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const large = JSON.stringify({ a: 'x'.repeat(90_000) })
    const payment = await buyer.signFor(`${shop.url}/feed`, init(large))
    const first = await fetchPaid(`${shop.url}/feed`, payment, init(large))
    expect(quoteIn(await fetch(`${shop.url}/feed`, init(large))).accepts[0]?.extra).toMatchObject({
      paymentFlow: 'upfront',
    })
    expect([first.status, (await first.text()) === large]).toEqual([201, true])
    expect((await fetchPaid(`${shop.url}/feed`, payment, init('{"a":2}'))).status).toBe(409)
    expect((await fetchPaid(`${shop.url}/feed`, payment, init(large))).status).toBe(201)
    await shop.stop()
  })
})
