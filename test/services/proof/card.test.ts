import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { auditCards, creditCardPayment } from '../../../mcp/accounts/card-audit.ts'
import { openLedger } from '../../../mcp/payment/ledger/index.ts'
import { openStripe } from '../../../mcp/ports/card/stripe.ts'
import { type Stripe, startStripe } from '../../stripe.ts'
import { type AccountsApp, openAccountsApp } from './accounts-app.ts'

let stripe: Stripe
let shop: AccountsApp
beforeAll(async () => {
  stripe = await startStripe()
  shop = await openAccountsApp({ fetch: stripe.fetch, environment: stripe.environment })
})
afterEach(() => stripe.fail(undefined))
afterAll(async () => {
  await shop.stop()
  await stripe.stop()
})

const tell = async (event: string, signature = stripe.sign(event)) => {
  const response = await fetch(`${shop.url}/topup/card/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body: event,
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** An account that has opened a page for 10,000 sats, which are 6.00 USD. */
const open = async () => {
  const account = await shop.funded(0)
  const { body, status } = await shop.post('/topup/card', { sats: 10_000 }, account.headers)
  const session = stripe.sessions().at(-1)
  if (!session) throw new Error(`no session: ${status} ${JSON.stringify(body)}`)
  const balance = async () => {
    const { body } = await shop.get('/balance', account.headers)
    return [body.balance_sats, body.debt_sats]
  }
  return { ...account, body, session, balance }
}

describe('a page to pay on', () => {
  test('is made at Stripe, over the amount at the stated rate', async () => {
    const { body, session, id } = await open()
    expect(body).toMatchObject({ usd: '6.00', sats: 10_000, rate: '1 sat = 0.0006 usd (configured)' })
    expect(body.checkout_url).toBe(`https://checkout.example.com/c/pay/${session.id}`)
    expect(session.form).toMatchObject({
      mode: 'payment',
      client_reference_id: body.top_up_id,
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '600',
      'line_items[0][price_data][product_data][name]': `10000 sats for account ${id}`,
      success_url: `${shop.url}/topup/card/return`,
    })
    expect((await fetch(`${shop.url}/topup/card/return`)).status).toBe(200)
  })

  test.each([1, 1000, 833_334, 0, -5, 1.5])('is refused over %d sats', async sats => {
    const { headers } = await shop.register()
    const { status, body } = await shop.post('/topup/card', { sats }, headers)
    expect([status, body.code]).toEqual([422, 'invalid_input'])
    expect(JSON.stringify(body.issues)).toContain('sats')
  })

  test.each([401, 500])('is no page where Stripe answers %d, and nothing is owed', async code => {
    const { headers } = await shop.register()
    stripe.fail(code)
    const { status, body } = await shop.post('/topup/card', { sats: 10_000 }, headers)
    expect([status, body.code]).toEqual([502, 'upstream'])
    expect(JSON.stringify(body)).not.toContain('sk_test')
  })

  test('is unavailable without a key of Stripe, and says how to top up instead', async () => {
    const plain = await openAccountsApp()
    const { headers } = await plain.register()
    const { status, body } = await plain.post('/topup/card', { sats: 10_000 }, headers)
    expect([status, body.code]).toEqual([503, 'unavailable'])
    expect(body.hint).toContain('STRIPE_SECRET_KEY')
    expect(body.hint).toContain('POST /topup')
    const webhook = await plain.post('/topup/card/events', {})
    expect(webhook.status).toBe(503)
    await plain.stop()
  })
})

test('the audit tells what was paid by card and no account has, and what an account has and nobody paid', async () => {
  const [told, lost, invented] = [await open(), await open(), await open()]
  await tell(stripe.completed(told.session))
  const event = stripe.completed(lost.session)
  await tell(stripe.completed(invented.session))
  invented.session.isPaid = false
  const { STRIPE_API: api, STRIPE_SECRET_KEY: key } = stripe.environment
  const clock = { now: () => new Date() }
  const card = openStripe({ fetch: stripe.fetch, clock, api, key, webhookSecret: stripe.secret })
  const audit = async () => {
    const { faults } = await auditCards({ store: shop.store, card, now: new Date(Date.now() + 3_600_000) })
    const payments = [told, lost, invented].map(({ session }) => session.payment)
    return faults.filter(({ id }) => payments.includes(id))
  }
  expect(await audit()).toEqual([
    {
      id: lost.session.payment,
      detail: expect.stringContaining(`6.00 USD were paid by card, and the account`),
    },
    {
      id: invented.session.payment,
      detail: expect.stringContaining('the processor knows of no such payment'),
    },
  ])
  // Without the event, by hand: once, and what was told then adds nothing.
  const deps = { store: shop.store, ledger: openLedger(), card, now: clock.now() }
  expect(await creditCardPayment(deps, 'pi_nobodys')).toBe(false)
  const both = await Promise.allSettled([1, 2].map(() => creditCardPayment(deps, lost.session.payment)))
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await lost.balance()).toEqual([10_000, 0])
  await tell(event)
  expect(await lost.balance()).toEqual([10_000, 0])
  expect((await audit()).map(({ id }) => id)).toEqual([invented.session.payment])
  stripe.fail(500)
  await expect(audit()).rejects.toThrow('lists no payments')
})

describe('an event', () => {
  test('of a payment is credited once, whether it comes twice, at once, or under another id', async () => {
    const { session, balance } = await open()
    const event = stripe.completed(session)
    const all = await Promise.all([tell(event), tell(event), tell(event), tell(stripe.completed(session))])
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await tell(stripe.settledLater(session))).status).toBe(200)
    expect(await balance()).toEqual([10_000, 0])
  })

  test('of a page that is done but not paid credits nothing until the bank has confirmed', async () => {
    const { session, balance } = await open()
    await tell(stripe.completed(session, false))
    expect(await balance()).toEqual([0, 0])
    await tell(stripe.settledLater(session))
    expect(await balance()).toEqual([10_000, 0])
    // The older event comes late, and changes nothing.
    await tell(stripe.completed(session, false))
    await tell(stripe.failedLater(session))
    expect(await balance()).toEqual([10_000, 0])
  })

  test('of a payment that failed credits nothing', async () => {
    const { session, balance } = await open()
    await tell(stripe.completed(session, false))
    await tell(stripe.failedLater(session))
    expect(await balance()).toEqual([0, 0])
  })

  test('of another amount or currency credits nothing', async () => {
    const { session, balance } = await open()
    const less = await tell(stripe.completed({ ...session, cents: 1 }))
    expect(less).toMatchObject({ status: 200, body: { applied: false } })
    const pounds = stripe.completed(session).replace('"usd"', '"gbp"')
    expect((await tell(pounds)).body).toMatchObject({ applied: false })
    expect(await balance()).toEqual([0, 0])
  })

  test('of somebody else’s payment is taken note of and credits nobody', async () => {
    const { session } = await open()
    const { body } = await tell(stripe.completed({ ...session, order: 'another-shop' }))
    expect(body).toMatchObject({ received: true, applied: false })
  })

  test.each([
    ['signed with another secret', (event: string) => stripe.sign(event, undefined, 'whsec_another_one')],
    ['signed six minutes ago', (event: string) => stripe.sign(event, Math.floor(Date.now() / 1000) - 361)],
    ['signed ahead of time', (event: string) => stripe.sign(event, Math.floor(Date.now() / 1000) + 361)],
    ['not signed', () => ''],
    ['signed by the older scheme only', (event: string) => stripe.sign(event).replace('v1=', 'v0=')],
    ['signed at two times', (event: string) => `t=1,${stripe.sign(event)}`],
    ['signed over other bytes', (event: string) => stripe.sign(`${event} `)],
  ])('%s is refused', async (_, sign) => {
    const { session, balance } = await open()
    const event = stripe.completed(session)
    expect((await tell(event, sign(event))).status).toBe(403)
    expect(await balance()).toEqual([0, 0])
  })

  test('with a second signature while the secret is changed is taken', async () => {
    const { session, balance } = await open()
    const event = stripe.completed(session)
    const [time, signature] = stripe.sign(event).split(',')
    await tell(event, `${time},v1=${'0'.repeat(64)},${signature}`)
    expect(await balance()).toEqual([10_000, 0])
  })

  test.each([
    '',
    '{',
    '[]',
    '{"type":"x"}',
    '{"type":"charge.refunded","data":{"object":{"amount_refunded":-1}}}',
  ])('that is none is refused: %s', async text => {
    expect((await tell(text)).status).toBe(400)
  })
})

describe('money that is taken back', () => {
  test('is debited in part and in whole, once', async () => {
    const { session, balance } = await open()
    await tell(stripe.completed(session))
    await Promise.all([tell(stripe.refunded(session, 300)), tell(stripe.refunded(session, 300))])
    expect(await balance()).toEqual([5000, 0])
    await tell(stripe.refunded(session, 600))
    // An older event that comes late gives nothing back.
    await tell(stripe.refunded(session, 300))
    expect(await balance()).toEqual([0, 0])
  })

  test('before the payment is known credits the rest only', async () => {
    const { session, balance } = await open()
    await tell(stripe.refunded(session, 150))
    await tell(stripe.completed(session))
    expect(await balance()).toEqual([7500, 0])
  })

  test('after it was spent is a debt that the next top-up pays first', async () => {
    const { session, balance, headers } = await open()
    await tell(stripe.completed(session))
    await shop.post('/review', { artifact: 'ls' }, headers)
    await tell(stripe.refunded(session, 600))
    expect(await balance()).toEqual([0, 200])
    expect((await shop.post('/review', { artifact: 'pwd' }, headers)).status).toBe(402)
    await shop.payByLightning('/topup', { sats: 150 }, headers)
    expect(await balance()).toEqual([0, 50])
    await shop.payByLightning('/topup', { sats: 1000 }, headers)
    expect(await balance()).toEqual([950, 0])
    expect((await shop.audit()).faults).toEqual([])
  })

  test('by a dispute comes back when that is won, and stays away when it is lost', async () => {
    const { session, balance } = await open()
    await tell(stripe.completed(session))
    await tell(stripe.disputed(session, 600))
    expect(await balance()).toEqual([0, 0])
    await tell(stripe.disputed(session, 600, { type: 'charge.dispute.closed', status: 'won' }))
    expect(await balance()).toEqual([10_000, 0])
    // The first news of it comes late.
    await tell(stripe.disputed(session, 600))
    expect(await balance()).toEqual([10_000, 0])
    await tell(stripe.disputed(session, 600, { id: 'dp_2', type: 'charge.dispute.closed', status: 'lost' }))
    expect(await balance()).toEqual([0, 0])
    const { lines } = (await shop.audit()) as unknown as { lines?: unknown }
    expect(lines).toBeUndefined()
  })

  test('is in the statement', async () => {
    const { session, headers } = await open()
    await tell(stripe.completed(session))
    await tell(stripe.refunded(session, 600))
    const { body } = await shop.get('/balance/statement', headers)
    expect(body.lines).toMatchObject([
      { kind: 'taken_back', sats: '-10000', receipt: null },
      { kind: 'top_up', sats: '10000', receipt: null },
    ])
  })
})
