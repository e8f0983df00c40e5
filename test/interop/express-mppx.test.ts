import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Market, network, openMarket, openShop } from '../express/shop.ts'
import { onAnvil } from '../payment/evm-chain.ts'
import { loadJudge } from './judges.ts'

onAnvil('a paid route of an Express application', () => {
  let market: Market
  beforeAll(async () => {
    market = await openMarket()
  })
  afterAll(() => market.close())

  test('is paid by mppx with the Payment scheme, once', async () => {
    let runs = 0
    const shop = await openShop(market, {
      routes: payTo => ({ 'GET /cat': { accepts: { scheme: 'exact', payTo, price: '$0.01', network } } }),
      build: app => {
        app.get('/cat', (_, res) => {
          runs += 1
          res.json({ run: runs })
        })
      },
    })
    const unpaid = await fetch(`${shop.url}/cat`)
    expect(unpaid.headers.get('www-authenticate')).toMatch(/^Payment id="/)
    const { Fetch, evm } = await loadJudge<{
      Fetch: { from(options: object): typeof globalThis.fetch }
      evm: { charge(options: object): unknown }
    }>('mppx/client')
    const { account } = await market.payer()
    const method = evm.charge({
      account,
      currencies: ['0x036CbD53842c5426634e7929541eC2318f3dCF7e'],
      networks: [84532],
      authorization: { name: 'USDC', version: '2' },
      decimals: 6,
    })
    const answer = await Fetch.from({ fetch, methods: [method] })(`${shop.url}/cat`)
    expect([answer.status, await answer.json()]).toEqual([200, { run: 1 }])
    const receipt = Buffer.from(answer.headers.get('payment-receipt') ?? '', 'base64url').toString()
    expect(JSON.parse(receipt)).toMatchObject({ method: 'evm', status: 'success', network })
    expect([runs, await shop.earned()]).toEqual([1, 10_000n])
    await shop.stop()
  })
})
