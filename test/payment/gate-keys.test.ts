import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PaymentPending } from '../../mcp/kernel/error.ts'
import { prunePayments } from '../../mcp/payment/gate/prune.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { openFakeMethod } from './fake-method.ts'
import { type CallOptions, failing, openPaid, type Paid, signFor } from './gate-fixture.ts'

const url = withDatabase()
const engines = ['embedded', ...(postgresIsHere ? ['postgres'] : [])] as const

describe.each(engines)('an Idempotency-Key of a paid call, %s store,', engine => {
  let at = Date.now()
  let paid: Paid
  let close = async () => {}
  beforeEach(async () => {
    at = Date.now()
    const store =
      engine === 'postgres' ? await openPostgres({ url: url(), schema: freshSchema() }) : undefined
    close = async () => store?.close()
    paid = await openPaid({ clock: () => new Date(at), ...(store && { store }) })
  })
  afterEach(async () => {
    await paid.stop()
    await close()
  })

  const key: CallOptions = { idempotencyKey: 'k' }
  const ask = async (payer: string, more: CallOptions = {}, which = paid.feed) =>
    paid.ask(which, { ...key, payment: await signFor(paid, which, { ...key, ...more }, payer), ...more })

  test('belongs to the payer: another one behind the same address is answered for itself', async () => {
    const [ada, bob] = [paid.chain.payer(), paid.chain.payer()]
    const first = await ask(ada)
    const other = await ask(bob)
    expect([first.output.run, other.output.run]).toEqual([1, 2])
    expect(other.receipt?.payer).toBe(bob)
    const another = await ask(bob, { input: { cat: 'Tom' } }).catch(error => error)
    expect(another).toMatchObject({ code: 'conflict', extra: { charged: false } })
    expect(paid.chain.debits()).toBe(200_000n)
  })

  test.each(['feed', 'look', 'brush'] as const)(
    'with a second payment of the same payer for %s has the same answer and one debit',
    async name => {
      const payer = paid.chain.payer()
      const first = await ask(payer, {}, paid[name])
      const again = await ask(payer, { client: '198.51.100.7' }, paid[name])
      expect([again.output, again.receipt, again.replayed]).toEqual([first.output, first.receipt, true])
      expect([paid.knobs.runs, paid.chain.debits()]).toEqual([1, 100_000n])
    },
  )

  test('gives nothing without the payment, from the same address or another one', async () => {
    await ask(paid.chain.payer())
    for (const client of ['192.0.2.1', '198.51.100.7'])
      expect(await failing(paid.ask(paid.feed, { ...key, client }))).toMatchObject({ status: 402 })
    expect(paid.knobs.runs).toBe(1)
  })

  test('of a call that was quoted and then paid runs once', async () => {
    expect(await failing(paid.ask(paid.feed, key))).toMatchObject({ status: 402 })
    const payer = paid.chain.payer()
    expect((await ask(payer)).output).toMatchObject({ run: 1 })
    expect((await ask(payer)).replayed).toBe(true)
    expect(paid.chain.debits()).toBe(100_000n)
  })

  test('many times at once with a payment each has one run and one debit', async () => {
    const payer = paid.chain.payer(10_000_000n)
    const payments = await Promise.all(Array.from({ length: 8 }, () => signFor(paid, paid.feed, key, payer)))
    const all = await Promise.allSettled(payments.map(payment => paid.ask(paid.feed, { ...key, payment })))
    for (const one of all)
      if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(PaymentPending)
      else expect(one.value.output).toMatchObject({ run: 1 })
    expect([paid.knobs.runs, paid.chain.debits()]).toEqual([1, 100_000n])
    const late = await paid.ask(paid.feed, { ...key, payment: payments[7] })
    expect(late.output).toMatchObject({ run: 1 })
  })

  test('of work that failed after the money came is served by a second payment that is not taken', async () => {
    const payer = paid.chain.payer()
    paid.knobs.fail = new Error('out of food')
    expect(await failing(ask(payer))).toMatchObject({ extra: { charged: true } })
    paid.knobs.fail = undefined
    expect((await ask(payer)).output).toMatchObject({ run: 1 })
    expect(paid.chain.debits()).toBe(100_000n)
  })

  test('of a payment that is not confirmed waits for it', async () => {
    const payer = paid.chain.payer()
    paid.chain.slow = true
    const payment = await signFor(paid, paid.feed, key, payer)
    expect(await failing(paid.ask(paid.feed, { ...key, payment }))).toBeInstanceOf(PaymentPending)
    expect(await failing(ask(payer))).toBeInstanceOf(PaymentPending)
    expect(paid.chain.settles).toBe(1)
    paid.chain.confirm()
    await paid.gate.reconcile()
    expect((await ask(payer)).output).toMatchObject({ run: 1 })
    expect(paid.chain.debits()).toBe(100_000n)
  })

  test('of a payment that moved nothing is free again', async () => {
    const payer = paid.chain.payer()
    paid.chain.refusing = 'settlement_failed'
    expect(await failing(ask(payer))).toMatchObject({ status: 402 })
    paid.chain.refusing = undefined
    expect((await ask(payer, { input: { cat: 'Tom' } })).output).toMatchObject({ run: 1 })
  })

  test('is forgotten after a day', async () => {
    const payer = paid.chain.payer()
    await ask(payer)
    at += 24 * 3600_000 + 1
    const signal = new AbortController().signal
    await prunePayments.run({ store: paid.store, clock: { now: () => new Date(at) }, signal } as never)
    expect(await paid.store.collection('payment.keys').count()).toBe(0)
    expect((await ask(payer, { input: { cat: 'Tom' } })).output).toMatchObject({ run: 1 })
  })

  test('over two replicas has one run and one debit', async () => {
    const other = paid.boot([openFakeMethod(paid.chain)])
    const payer = paid.chain.payer(10_000_000n)
    const payments = await Promise.all(Array.from({ length: 6 }, () => signFor(paid, paid.feed, key, payer)))
    await Promise.allSettled(
      payments.map((payment, i) => (i % 2 ? paid : other).ask(paid.feed, { ...key, payment })),
    )
    expect((await ask(payer)).output).toMatchObject({ run: 1 })
    expect(paid.chain.debits()).toBe(100_000n)
  })

  test('of a caller with a credential stays that caller’s, whoever pays', async () => {
    const ada: CallOptions = { credentials: { bearer: 'ada' } }
    const first = await ask(paid.chain.payer(), ada)
    const again = await paid.ask(paid.feed, { ...key, ...ada })
    expect([again.output, again.replayed]).toEqual([first.output, true])
    const bob = await failing(paid.ask(paid.feed, { ...key, credentials: { bearer: 'bob' } }))
    expect(bob).toMatchObject({ status: 402 })
  })
})
