import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PaidApp, type Purr, paidFor, paying, startPaidApp } from './payer.ts'

const base = 'eip155:8453'

paying('the stock x402 client pays over REST', () => {
  let app: PaidApp
  beforeAll(async () => {
    app = await startPaidApp()
  })
  afterAll(() => app.stop())

  const post = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${app.url}/cat/api/${path}`, { method: 'POST', headers })
  const pay = (wallet = app.demo) => wallet.fetch(`${app.url}/cat/api/feed`, { method: 'POST' })
  const feedings = async () =>
    (await (await fetch(`${app.url}/cat/api/feedings?limit=100`)).json()) as {
      count: number
      feedings: Omit<Purr, 'kibble'>[]
    }
  const sign = async () => {
    const payment = await app.demo.sign(app.demo.quoteIn(await post('feed')))
    return app.demo.header(payment)
  }

  test('quotes an unpaid POST without a body, with the price and how to find the call', async () => {
    const response = await post('feed')
    expect(response.status).toBe(402)
    const quote = app.demo.quoteIn(response)
    expect(await response.json()).toMatchObject({ code: 'payment_required', paymentRequired: quote })
    expect(quote).toMatchObject({
      x402Version: 2,
      resource: { url: `${app.url}/cat/api/feed` },
      accepts: [{ scheme: 'exact', network: base, amount: '100000' }],
      extensions: {
        bazaar: { info: { input: { type: 'http', method: 'POST' } }, schema: expect.any(Object) },
      },
    })
  })

  test('pays for a feeding, gets a receipt, and the chain agrees to the cent', async () => {
    const before = await app.moved()
    const response = await pay()
    expect(response.status).toBe(200)
    const purr = (await response.json()) as Purr
    expect(purr).toMatchObject({ kibble: 10, number: 1, network: base })
    expect(purr.feeder.toLowerCase()).toBe(app.demo.address.toLowerCase())

    const settlement = app.demo.receiptIn(response) as { receipt?: string }
    const { transaction } = purr
    expect(settlement).toMatchObject({
      success: true,
      transaction,
      network: base,
      receipt: expect.any(String),
    })
    expect(await app.receipt(transaction)).toMatchObject({ status: 'success' })
    expect(await app.moved(before)).toEqual(paidFor(1))

    const receipt = await fetch(`${app.url}/receipts/${settlement.receipt}`)
    expect(receipt.status).toBe(200)
    expect(await receipt.json()).toMatchObject({
      service: 'cat',
      tool: 'feed',
      amount: '100000',
      network: base,
      transaction,
      state: 'done',
    })
    const { count, feedings: lines } = await feedings()
    expect(count).toBe(1)
    expect(lines).toEqual([expect.objectContaining({ number: 1, transaction, network: base })])
  })

  test('answers the same payment with the same bytes and takes no money again', async () => {
    const header = await sign()
    const before = await app.moved()
    const one = await post('feed', header)
    const text = await one.text()
    expect(one.status).toBe(200)
    for (let turn = 0; turn < 3; turn++) {
      const again = await post('feed', header)
      expect([again.status, await again.text()]).toEqual([200, text])
      expect(again.headers.get('payment-response')).toBe(one.headers.get('payment-response'))
      expect(again.headers.get('idempotency-replayed')).toBe('true')
    }
    expect(await app.moved(before)).toEqual(paidFor(1))
    expect((await feedings()).count).toBe(2)
  })

  test('answers the same payment sent six times at once with one debit', async () => {
    const header = await sign()
    const before = await app.moved()
    const answers = await Promise.all(Array.from({ length: 6 }, () => post('feed', header)))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(new Set(await Promise.all(answers.map(answer => answer.text()))).size).toBe(1)
    expect(await app.moved(before)).toEqual(paidFor(1))
  })

  test('refuses a payment that was made for another tool', async () => {
    const header = await sign()
    const before = await app.moved()
    const fresh = await post('feed/testnet', header)
    expect(fresh.status).toBe(402)
    expect(app.demo.quoteIn(fresh)).toMatchObject({ error: 'invalid_network' })
    expect((await post('feed', header)).status).toBe(200)
    const response = await post('feed/testnet', header)
    expect(response.status).toBe(409)
    expect(app.demo.receiptIn(response)).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_evm_nonce_already_used',
    })
    expect(await app.moved(before)).toEqual(paidFor(1))
  })

  test('refuses the authorization of a payment under another quote', async () => {
    const first = await app.demo.sign(app.demo.quoteIn(await post('feed')))
    expect((await post('feed', app.demo.header(first))).status).toBe(200)
    const before = await app.moved()
    const { accepts } = app.demo.quoteIn(await post('feed'))
    const [accepted] = accepts
    if (!accepted) throw new Error('the quote offers nothing')
    const response = await post('feed', app.demo.header({ ...first, accepted }))
    expect(response.status).toBe(409)
    expect(app.demo.receiptIn(response)).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_evm_nonce_already_used',
    })
    expect(await app.moved(before)).toEqual(paidFor(0))
  })

  test('settles twelve payments at once', async () => {
    const [before, { count }] = await Promise.all([app.moved(), feedings()])
    const answers = await Promise.all(Array.from({ length: 12 }, () => pay()))
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
    const purrs = (await Promise.all(answers.map(answer => answer.json()))) as Purr[]
    const numbers = purrs.map(({ number }) => number).sort((one, other) => one - other)
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, at) => count + at + 1))
    expect(new Set(purrs.map(({ transaction }) => transaction)).size).toBe(12)
    expect(await app.moved(before)).toEqual(paidFor(12))
    const transactions = (await feedings()).feedings.map(({ transaction }) => transaction)
    expect(transactions).toEqual(expect.arrayContaining(purrs.map(({ transaction }) => transaction)))
  })

  test('rehearses on the test network, and leaves bowl and money on base as they are', async () => {
    const before = await app.moved()
    const response = await app.demo.fetch(`${app.url}/cat/api/feed/testnet`, { method: 'POST' })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ network: 'eip155:84532', number: null })
    expect(await app.moved(before)).toEqual(paidFor(0))
  })

  test('tells a wallet without USDC why its payment is refused', async () => {
    const response = await pay(app.poor)
    expect(response.status).toBe(402)
    expect(app.poor.quoteIn(response)).toMatchObject({ error: 'insufficient_funds' })
    expect(app.poor.receiptIn(response)).toMatchObject({ success: false, errorReason: 'insufficient_funds' })
  })
})
