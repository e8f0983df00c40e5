import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PaymentRequired, ToolError } from '../../mcp/kernel/error.ts'
import { usd } from '../../mcp/kernel/tool.ts'
import { auditPayments } from '../../mcp/payment/gate/audit.ts'
import { listOwed, refund } from '../../mcp/payment/gate/owed.ts'
import { spendLog } from '../../mcp/payment/gate/spent.ts'
import { expectOrder } from '../../mcp/payment/orders.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { type Authorization, openFakeMethod, pay } from './fake-method.ts'
import { failing, network, openPaid, type Paid, readQuote, signFor } from './gate-fixture.ts'
import type { Payload } from './x402.ts'

const url = withDatabase()

const stores = ['embedded', ...(postgresIsHere ? ['postgres'] : [])]

const authorizationIn = ({ payload }: Payload) => payload.authorization as Authorization

describe.each(stores)('a quoted authorization that a stranger carried out first, on %s', engine => {
  let at = Date.now()
  let paid: Paid
  let close = async () => {}
  beforeEach(async () => {
    at = Date.now()
    const clock = () => new Date(at)
    const store =
      engine === 'postgres' ? await openPostgres({ url: url(), schema: freshSchema() }) : undefined
    paid = await openPaid({ clock, ...(store && { store }) })
    close = async () => {
      await paid.stop()
      await store?.close()
    }
  })
  afterEach(() => close())

  test.each(['feed', 'look', 'brush'] as const)('pays %s, once', async name => {
    const { chain, ask, knobs, store } = paid
    const payment = await signFor(paid, paid[name])
    at += 5_000
    chain.execute(authorizationIn(payment))
    const all = await Promise.all([1, 2, 3].map(() => ask(paid[name], { payment })))
    expect(new Set(all.map(({ output }) => JSON.stringify(output))).size).toBe(1)
    expect([knobs.runs, chain.debits(), chain.settles, await listOwed(store)]).toEqual([1, 100_000n, 0, []])
  })

  test('pays also when its time and that of its quote are over, and the price has changed', async () => {
    const { chain, ask, feed, knobs } = paid
    const payment = await signFor(paid, feed)
    chain.execute(authorizationIn(payment))
    at += 3600_000
    knobs.price = '0.20'
    expect((await ask(feed, { payment })).output).toMatchObject({ run: 1 })
  })

  test('pays when its payer has no more money than that', async () => {
    const { chain, ask, feed } = paid
    const payment = await signFor(paid, feed, {}, chain.payer(100_000n))
    chain.execute(authorizationIn(payment))
    expect((await ask(feed, { payment })).output).toMatchObject({ run: 1 })
  })

  test('is owed when the work fails, and served later', async () => {
    const { chain, ask, feed, knobs, store } = paid
    const payment = await signFor(paid, feed)
    chain.execute(authorizationIn(payment))
    knobs.fail = new ToolError('upstream', 'The bowl is stuck.')
    expect((await failing(ask(feed, { payment }))).code).toBe('upstream')
    expect(await listOwed(store)).toHaveLength(1)
    knobs.fail = undefined
    expect((await ask(feed, { payment })).output).toMatchObject({ said: 'feed Mia' })
    expect(await listOwed(store)).toEqual([])
  })

  test('is served to one of two that bring it, and belongs to nobody else', async () => {
    const { chain, ask, feed, knobs } = paid
    const payment = await signFor(paid, feed)
    const stolenPayment = { ...payment, accepted: await readQuote(ask(feed)) }
    chain.execute(authorizationIn(payment))
    const both = await Promise.allSettled([ask(feed, { payment }), ask(feed, { payment: stolenPayment })])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect([knobs.runs, chain.debits()]).toEqual([1, 100_000n])
  })

  test.each([-3_000, 0, 3_000])('pays when the clock of the chain is %i ms off', async skew => {
    const { chain, ask, feed, store } = paid
    const payment = await signFor(paid, feed)
    chain.now = () => at + skew
    chain.execute(authorizationIn(payment))
    expect((await ask(feed, { payment })).output).toMatchObject({ run: 1 })
    expect(await listOwed(store)).toEqual([])
  })

  test('is owed to its payer where a younger quote brings it, until its own quote does', async () => {
    const { chain, ask, feed, knobs, store } = paid
    const payment = await signFor(paid, feed)
    const { from } = authorizationIn(payment)
    chain.execute(authorizationIn(payment))
    at += 10_000
    const stolenPayment = { ...payment, accepted: await readQuote(ask(feed)) }
    for (const _ of [1, 2]) {
      const refused = await failing(ask(feed, { payment: stolenPayment }))
      expect(refused.toProblem()).toMatchObject({ status: 409, reason: 'payment_owed', charged: true })
    }
    expect(await listOwed(store)).toMatchObject([{ payer: from, amount: '100000', state: 'owed' }])
    expect((await ask(feed, { payment })).output).toMatchObject({ run: 1 })
    expect((await failing(ask(feed, { payment: stolenPayment }))).extra.reason).toBe('payment_already_used')
    expect([knobs.runs, await listOwed(store)]).toEqual([1, []])
    expect((await auditPayments({ store, methods: [openFakeMethod(chain)], chain: true })).faults).toEqual([])
  })

  test.each([
    ['a price that has fallen since', (at: number) => [at + 3600_000, '0.05'] as const],
    ['a price that has risen since', (at: number) => [at + 3600_000, '0.20'] as const],
  ])('without a quote of ours and with %s, it is owed, and given back once', async (_, later) => {
    const { chain, ask, feed, knobs, store } = paid
    const payment = await signFor(paid, feed)
    const { quote: _quote, ...extra } = payment.accepted.extra
    const bare = { ...payment, accepted: { ...payment.accepted, extra } }
    chain.execute(authorizationIn(payment))
    const [then, price] = later(at)
    at = then
    knobs.price = price
    const refused = await failing(ask(feed, { payment: bare }))
    expect(refused.toProblem()).toMatchObject({ reason: 'payment_owed', charged: true })
    const { receipt } = refused.extra.params as { receipt: string }
    const methods = [openFakeMethod(chain)]
    await refund(store, methods, receipt, () => new Date(at))
    await refund(store, methods, receipt, () => new Date(at))
    expect([...chain.refundPayees.values()]).toEqual([authorizationIn(payment).from])
    expect([knobs.runs, await listOwed(store)]).toEqual([0, []])
  })

  test('that is not confirmed yet is 202, and served when it is', async () => {
    const { chain, ask, feed } = paid
    const payment = await signFor(paid, feed)
    chain.slow = true
    chain.execute(authorizationIn(payment))
    expect((await failing(ask(feed, { payment }))).status).toBe(202)
    chain.confirm()
    expect((await ask(feed, { payment })).output).toMatchObject({ run: 1 })
  })

  test('of a payer who is not let in is owed', async () => {
    const { chain, feed, store, gate, holder } = paid
    const payment = await signFor(paid, feed)
    chain.execute(authorizationIn(payment))
    const admit = () => Promise.reject(new ToolError('forbidden', 'Not you.'))
    const charge = {
      service: holder,
      tool: feed,
      input: { cat: 'Mia', grams: 10 },
      price: usd('0.10', network),
      caller: undefined,
      channel: 'rest' as const,
      resource: 'https://pay.example.org',
      method: 'POST',
      evidence: { headers: {}, meta: { 'x402/payment': payment } },
      admit,
    }
    const refused = await failing(gate.charge(charge, () => Promise.reject(new Error('it ran'))))
    expect(refused).toMatchObject({ code: 'forbidden', extra: { charged: true } })
    expect(await listOwed(store)).toHaveLength(1)
  })

  test('is not served without a quote of ours, for another call, or with a forged signature', async () => {
    const { chain, ask, feed, groom, knobs } = paid
    const payment = await signFor(paid, feed)
    chain.execute(authorizationIn(payment))
    const { quote: _, ...extra } = payment.accepted.extra
    const bare = { ...payment, accepted: { ...payment.accepted, extra } }
    expect(await failing(ask(feed, { payment: bare }))).toMatchObject({ status: 409 })
    expect(await failing(ask(groom, { payment }))).toMatchObject({ status: 409 })
    const forgedPayment = { ...payment, payload: { ...payment.payload, signature: 'f'.repeat(64) } }
    expect(await failing(ask(feed, { payment: forgedPayment }))).toBeInstanceOf(PaymentRequired)
    expect(knobs.runs).toBe(0)
  })

  test('pays nothing that its transfer was spent on, or ordered for, elsewhere', async () => {
    const { chain, ask, feed, knobs, store } = paid
    const from = chain.payer()
    const tip = pay(chain, from, await readQuote(ask(feed)))
    const { log } = chain.execute(authorizationIn(tip))
    await store.transaction(tx => spendLog(tx, log, 'tip:1'))
    expect((await failing(ask(feed, { payment: tip }))).code).toBe('conflict')
    const order = pay(chain, from, await readQuote(ask(feed)))
    const { nonce } = authorizationIn(order)
    await expectOrder(store, { network: chain.network, asset: chain.asset, nonce })
    chain.execute(authorizationIn(order))
    expect((await failing(ask(feed, { payment: order }))).code).toBe('conflict')
    expect(knobs.runs).toBe(0)
  })

  test('is never refused for good while the chain does not answer', async () => {
    const { chain, feed, boot } = paid
    const payment = await signFor(paid, feed)
    chain.execute(authorizationIn(payment))
    const method = openFakeMethod(chain)
    const deaf = boot([{ ...method, find: () => Promise.reject(new Error('rpc')) }])
    expect((await failing(deaf.ask(feed, { payment }))).code).toBe('upstream')
    expect((await boot().ask(feed, { payment })).output).toMatchObject({ run: 1 })
  })
})
