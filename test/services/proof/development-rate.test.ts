import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { paymentRows } from '../../../mcp/payment/gate/record.ts'
import type { Quote } from '../../../mcp/payment/method.ts'
import { configuredRates, openRates, withDevelopmentRate } from '../../../mcp/payment/rates.ts'
import { tokenTerms } from '../../../mcp/payment/token-terms.ts'
import { onAnvil, pay } from '../../payment/evm-chain.ts'
import type { Requirements } from '../../payment/x402.ts'
import { type AccountsApp, openAccountsApp } from './accounts-app.ts'

describe('the development rate', () => {
  const now = () => new Date('2026-11-22T12:00:00Z')
  const sats = { amount: '200', unit: 'sat' } as const
  const unstated = withDevelopmentRate(openRates([]), now)

  test('says of itself what it is', async () => {
    expect(await unstated.convert(sats, 'usd')).toEqual({
      amount: '0.12',
      rate: { rate: '1 sat = 0.0006 usd', source: 'development', at: '2026-11-22T12:00:00.000Z' },
    })
  })

  test('stands behind what an operator states', async () => {
    const stated = withDevelopmentRate(openRates([configuredRates({ sat: '0.001' }, now)]), now)
    expect(await stated.convert(sats, 'usd')).toMatchObject({
      amount: '0.2',
      rate: { source: 'configured' },
    })
  })

  test('counts both ways: a top-up in dollars is paid in sats', async () => {
    expect(await unstated.convert({ amount: '0.12', unit: 'usd' }, 'sat')).toMatchObject({
      amount: '200',
      rate: { source: 'development' },
    })
  })

  test('is for sats and dollars alone', async () => {
    for (const [price, to] of [
      [{ amount: '1', unit: 'credit' }, 'usd'],
      [sats, 'credit'],
    ] as const)
      await expect(unstated.convert(price, to)).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('is refused on a chain that is not local, whoever hands it there', async () => {
    const quote: Quote = { request: 'r', price: sats, settle: 'before', asker: 'a', client: 'a', title: 't' }
    const token = { decimals: 6, symbol: 'USDC', title: 'Base' }
    for (const real of [token, { ...token, local: false }])
      await expect(tokenTerms(quote, unstated, real, async () => '0x1')).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('development rate'),
      })
    expect(await tokenTerms(quote, unstated, { ...token, local: true }, async () => '0x1')).toMatchObject({
      amount: '120000',
      words: '0.12 USDC on Base (at a development rate)',
    })
  })
})

onAnvil('a price in sats with nothing configured', () => {
  let app: AccountsApp
  beforeAll(async () => {
    app = await openAccountsApp({ environment: { OCTAGENT_RATES: '' } })
  })
  afterAll(() => app?.stop())

  const body = { artifact: 'ls -la', artifact_type: 'shell_command' }

  test('is asked for in every way at once, and the rate says that it is made up', async () => {
    const { status, response, body: refusal } = await app.post('/review', body)
    expect(status).toBe(402)
    const quote = refusal.paymentRequired as { accepts: Requirements[] }
    expect(quote.accepts.map(({ network }) => network)).toEqual(['eip155:8453'])
    for (const { extra } of quote.accepts)
      expect(extra).toMatchObject({ devnet: true, rate: { source: 'development' } })
    expect(response.headers.get('www-authenticate')).toMatch(/^L402 /)
    expect(refusal.detail).toContain('200 sat')
    expect(refusal.detail).toContain('(at a development rate)')
    const size = [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
    expect(size).toBeLessThanOrEqual(4096)
  })

  test('is paid by a stock client, its receipt says so too, and what is owed goes back for the same header', async () => {
    const { body: refusal } = await app.post('/review', body)
    const quote = refusal.paymentRequired as { accepts: Requirements[] }
    const offer = quote.accepts.find(({ network }) => network === 'eip155:8453')
    if (!offer) throw new Error('no offer on Base')
    const { demo } = JSON.parse(await readFile(join(app.dir, 'devnet.json'), 'utf8'))
    const payment = await pay(privateKeyToAccount(demo), offer)
    const header = Buffer.from(JSON.stringify(payment)).toString('base64')
    const paid = await app.post('/review', body, { 'payment-signature': header })
    expect(paid.status).toBe(200)
    const settled = JSON.parse(atob(paid.response.headers.get('payment-response') ?? ''))
    expect(await (await fetch(`${app.site}/receipts/${settled.receipt}`)).json()).toMatchObject({
      amount: '120000',
      rate: { rate: '1 sat = 0.0006 usd', source: 'development' },
    })

    const giveBack = async () => {
      const answer = await fetch(`${app.site}/receipts/${settled.receipt}/refund`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'payment-signature': header },
        body: JSON.stringify({ to: 'payer' }),
      })
      return { status: answer.status, body: await answer.json() }
    }
    expect(await giveBack()).toMatchObject({ status: 409, body: { reason: 'not_owed' } })
    const rows = paymentRows(app.store)
    const where = { receipt: settled.receipt }
    const { rows: records } = await rows.find({ index: 'receipt', where, limit: 1 })
    await rows.update(records[0]?.id ?? '', row => ({ ...row, state: 'owed', answer: null }))
    const done = await giveBack()
    expect(done).toMatchObject({ status: 200, body: { state: 'refunded', amount: '120000' } })
    expect(await giveBack()).toEqual(done)
    expect((await app.audit()).faults).toEqual([])
  })
})
