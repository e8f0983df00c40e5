import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PaymentPending, PaymentRequired } from '../../mcp/kernel/error.ts'
import { awaitAnswer } from '../../mcp/payment/gate/outcome.ts'
import { listOwed } from '../../mcp/payment/gate/owed.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { failing, openPaid, type Paid, signFor } from './gate-fixture.ts'

const url = withDatabase()

const stores = ['embedded', ...(postgresIsHere ? ['postgres'] : [])]

describe.each(stores)('a payment that a facilitator has in its hands, on %s', engine => {
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

  const answers = ['failed', 'pending', 'throws'] as const
  const cases = answers.flatMap(answer =>
    (['feed', 'look', 'brush'] as const).map(name => [answer, name] as const),
  )

  test.each(cases)(
    'and of which it says %s is pending for %s until it lands, and is then served',
    async (answer, name) => {
      const { chain, ask, gate, knobs, store } = paid
      chain.keeping = answer
      const payment = await signFor(paid, paid[name])
      for (let i = 0; i < 3; i++)
        expect(await failing(ask(paid[name], { payment }))).toBeInstanceOf(PaymentPending)
      expect(await gate.reconcile()).toBe(0)
      expect([chain.debits(), await listOwed(store)]).toEqual([0n, []])
      chain.land()
      expect(await gate.reconcile()).toBe(1)
      expect(await listOwed(store)).toHaveLength(name === 'look' ? 0 : 1)
      expect((await ask(paid[name], { payment })).output).toMatchObject({ said: `${name} Mia` })
      // What had its answer while the money was on its way kept nothing of it.
      expect([chain.debits(), knobs.runs]).toEqual([100_000n, name === 'brush' ? 2 : 1])
      expect(await listOwed(store)).toEqual([])
    },
  )

  test.each(answers)('and of which it says %s fails only when it can no longer land', async answer => {
    const { chain, ask, feed, gate } = paid
    chain.keeping = answer
    const payment = await signFor(paid, feed)
    await failing(ask(feed, { payment }))
    // Past its time, but not past what a reorganization may bring back.
    at += 310_000
    expect(await gate.reconcile()).toBe(0)
    expect(await failing(ask(feed, { payment }))).toBeInstanceOf(PaymentPending)
    at += 30_000
    expect(await gate.reconcile()).toBe(1)
    const error = await failing(ask(feed, { payment }))
    expect(error).toBeInstanceOf(PaymentRequired)
    expect(error.extra.reason).toBe('expired')
    expect(chain.debits()).toBe(0n)
  })

  test('and that is lost there is handed over again', async () => {
    const { chain, ask, feed, gate, store, knobs } = paid
    chain.keeping = 'pending'
    const payment = await signFor(paid, feed)
    await failing(ask(feed, { payment }))
    chain.backlog.length = 0
    chain.keeping = undefined
    expect(await gate.reconcile()).toBe(1)
    expect([chain.debits(), (await listOwed(store)).length]).toEqual([100_000n, 1])
    expect((await ask(feed, { payment })).output).toMatchObject({ run: 1 })
    expect([chain.debits(), knobs.runs, await listOwed(store)]).toEqual([100_000n, 1, []])
  })

  test.each(['feed', 'look', 'brush'] as const)(
    'and calls bad is refused for %s, owed when it lands all the same, and served then',
    async name => {
      const { chain, ask, gate, knobs, store } = paid
      const payment = await signFor(paid, paid[name])
      chain.slandering = 'invalid_signature'
      const error = await failing(ask(paid[name], { payment, idempotencyKey: 'the-first' }))
      expect(error).toBeInstanceOf(PaymentRequired)
      expect(error.extra.reason).toBe('invalid_signature')
      expect([await gate.reconcile(), chain.debits(), knobs.runs]).toEqual([0, 0n, 0])
      // It may still land, so that nobody is asked to sign again.
      expect(await failing(ask(paid[name], { payment }))).toBeInstanceOf(PaymentPending)
      chain.slandering = undefined
      chain.land()
      expect(await gate.reconcile()).toBe(1)
      expect(await listOwed(store)).toHaveLength(1)
      expect((await ask(paid[name], { payment })).output).toMatchObject({ said: `${name} Mia` })
      expect([chain.debits(), knobs.runs, await listOwed(store)]).toEqual([100_000n, 1, []])
    },
  )

  test('and calls bad leaves its key to another payment, and nothing once it can no longer land', async () => {
    const { chain, ask, feed, gate, rows } = paid
    const payment = await signFor(paid, feed)
    chain.slandering = 'settlement_failed'
    await failing(ask(feed, { payment, idempotencyKey: 'the-first' }))
    chain.slandering = undefined
    const another = await signFor(paid, feed)
    const answer = await ask(feed, { payment: another, idempotencyKey: 'the-first' })
    expect(answer.output).toMatchObject({ run: 1 })
    at += 340_000
    expect(await gate.reconcile()).toBe(1)
    expect(await rows.count({ index: 'state', where: { state: 'failed' } })).toBe(1)
  })

  test('and rightly calls bad leaves no record', async () => {
    const { chain, ask, feed, rows } = paid
    const original = await signFor(paid, feed)
    const payment = { ...original, payload: { ...original.payload, signature: 'forged' } }
    chain.slandering = 'invalid_signature'
    await failing(ask(feed, { payment }))
    expect(await rows.count()).toBe(0)
  })

  test('stays pending when its payer has no money left, who might have some again', async () => {
    const { chain, ask, feed } = paid
    chain.keeping = 'failed'
    const payment = await signFor(paid, feed)
    await failing(ask(feed, { payment }))
    const { from } = payment.payload.authorization as { from: string }
    chain.balances.set(from, 0n)
    expect(await failing(ask(feed, { payment }))).toBeInstanceOf(PaymentPending)
    chain.balances.set(from, 1_000_000n)
    chain.land()
    expect((await ask(feed, { payment })).output).toMatchObject({ run: 1 })
    expect(chain.debits()).toBe(100_000n)
  })

  test('that another process left behind is not free for a second signature', async () => {
    const { chain, ask, feed, boot } = paid
    const payment = await signFor(paid, feed)
    chain.keeping = 'silent'
    void ask(feed, { payment }).catch(() => undefined)
    while (chain.backlog.length === 0) await new Promise(setImmediate)
    const { from } = payment.payload.authorization as { from: string }
    chain.balances.set(from, 0n)
    at += 60_000
    expect(await failing(boot().ask(feed, { payment }))).toBeInstanceOf(PaymentPending)
    chain.balances.set(from, 1_000_000n)
    chain.land()
    expect((await boot().ask(feed, { payment })).output).toMatchObject({ run: 1 })
  })
})

test('a method that keeps silent has told nothing', async () => {
  expect(await awaitAnswer(new Promise(() => undefined), 10)).toEqual({ state: 'unknown' })
  expect(await awaitAnswer(Promise.reject(new Error('http://10.0.0.7')), 10)).toEqual({ state: 'unknown' })
  expect(await awaitAnswer(Promise.resolve({ state: 'unused' }), 10)).toEqual({ state: 'unused' })
})
