import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPurseApp, type PurseApp } from '../accounts/purse-app.ts'
import { openPayer, type Payer, paying } from './payer.ts'

paying('the stock x402 client pays for pages of accounts', () => {
  let app: PurseApp
  let payer: Payer
  beforeAll(async () => {
    app = await openPurseApp()
    payer = await openPayer(await app.demoKey())
  })
  afterAll(() => app.stop())

  test('adds to a balance, once for one payment', async () => {
    const person = await app.openPerson()
    const page = await person.post('/auth/balance/top-up', { by: 'wallet', usd: '0.75' })
    const [, id] = /^\/account\/pay\/([\w-]{22})\/wallet$/.exec(page.headers.get('location') ?? '') ?? []
    const response = await payer.fetch(`${app.url}/account/pay/${id}`, { method: 'POST' })
    const answer = (await response.json()) as Record<string, unknown>
    expect([response.status, answer]).toEqual([
      200,
      expect.objectContaining({ usd: '0.75', credited_to: 'balance', receipt: expect.any(String) }),
    ])
    expect(await person.balance()).toMatchObject({ available: '0.75' })
    const receipt = await fetch(`${app.url}/receipts/${String(answer.receipt)}`)
    expect(await receipt.json()).toMatchObject({ service: 'account', tool: 'pay', amount: '750000' })
  })

  test('covers the call of somebody whom it does not know', async () => {
    const person = await app.openPerson()
    const id = (await person.openPage()).split('/').pop()
    const response = await payer.fetch(`${app.url}/account/pay/${id}`, { method: 'POST' })
    expect(await response.json()).toMatchObject({ credited_to: 'call' })
    expect((await person.call()).status).toBe(200)
    expect((await person.call()).status).toBe(402)
  })
})
