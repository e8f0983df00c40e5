import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PaymentPending, PaymentRequired, ToolError } from '../../mcp/kernel/error.ts'
import { auditPayments } from '../../mcp/payment/gate/audit.ts'
import { listOwed, refund } from '../../mcp/payment/gate/owed.ts'
import { spendLog } from '../../mcp/payment/gate/spent.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { openFakeMethod } from './fake-method.ts'
import { failing, openPaid, type Paid, signFor } from './gate-fixture.ts'

const url = withDatabase()

const stores = ['embedded', ...(postgresIsHere ? ['postgres'] : [])]

describe.each(stores)('a transfer that the chain takes back, on %s', engine => {
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

  const events = () => paid.alarms.map(({ event }) => event)
  const states = async () => {
    const { rows } = await paid.rows.find({ index: 'state' })
    return rows.map(({ state }) => state)
  }

  test.each(['feed', 'look', 'brush'] as const)(
    'after the answer of %s raises an alarm and is settled again',
    async name => {
      const { chain, ask, gate, knobs, store } = paid
      const payment = await signFor(paid, paid[name])
      const first = await ask(paid[name], { payment })
      chain.reorganize()
      at += 61_000
      await gate.reconcile()
      expect(events()).toEqual(['reverted', 'restored'])
      expect(paid.alarms[0]).toMatchObject({ id: first.receipt?.id, amount: '100000', tool: name })
      expect([chain.debits(), await states(), await listOwed(store)]).toEqual([100_000n, ['done'], []])
      expect(await ask(paid[name], { payment })).toMatchObject({ output: first.output, replayed: true })
      expect(knobs.runs).toBe(1)
      expect(await auditPayments({ store, methods: [], chain: false })).toMatchObject({ faults: [] })
    },
  )

  test('of a refund is not refunded, and sent again, once', async () => {
    const { chain, feed, ask, gate, knobs, store } = paid
    const methods = [openFakeMethod(chain)]
    const payer = chain.payer()
    const payment = await signFor(paid, feed, {}, payer)
    knobs.fail = new Error('out of food')
    await failing(ask(feed, { payment }))
    const [debt] = await listOwed(store, new Date(at))
    const id = debt?.id ?? ''
    const first = await refund(store, methods, id, () => new Date(at))
    expect(chain.balances.get(payer)).toBe(1_000_000n)
    chain.reorganizeRefunds()
    at += 61_000
    chain.down = true
    await gate.reconcile()
    expect(await states()).toEqual(['refunded'])
    chain.down = false
    at += 61_000
    const [replica] = [paid.boot().gate]
    await Promise.all([gate.reconcile(), replica.reconcile()])
    for (const _ of [1, 2]) await gate.reconcile()
    expect(events()).toEqual(['refund_reverted'])
    expect([await states(), chain.refunds.size, chain.balances.get(payer)]).toEqual([
      ...[['refunded'], 1, 1_000_000n],
    ])
    const again = await refund(store, methods, id, () => new Date(at))
    expect(again).not.toBe(first)
    at += 600_000
    await gate.reconcile()
    expect(await paid.rows.find({ index: 'state' })).toMatchObject({ rows: [{ watch: null, refund: again }] })
    expect((await failing(ask(feed, { payment }))).extra.reason).toBe('payment_already_used')
  })

  test('whose 202 is repeated is sent again by that, where nobody names a transaction', async () => {
    const { chain, feed, boot } = paid
    const method = openFakeMethod(chain)
    // As the real ones say of what was handed over and never seen.
    const nameless: typeof method = {
      ...method,
      find: async (...asked) => {
        const found = await method.find(...asked)
        return found.state === 'unused' && chain.settles > 0 ? { state: 'pending', transaction: '' } : found
      },
    }
    const { ask } = boot([nameless])
    const payment = await signFor({ ask, chain }, feed)
    chain.keeping = 'pending'
    expect((await failing(ask(feed, { payment }))).status).toBe(202)
    chain.keeping = undefined
    chain.backlog.length = 0
    expect((await ask(feed, { payment })).output).toMatchObject({ run: 1 })
  })

  test('is pending for its payer until it is settled again, and then the same answer', async () => {
    const { chain, ask, feed, gate, knobs } = paid
    const payment = await signFor(paid, feed)
    const first = await ask(feed, { payment })
    chain.reorganize()
    chain.keeping = 'failed'
    at += 61_000
    await gate.reconcile()
    expect(await failing(ask(feed, { payment }))).toBeInstanceOf(PaymentPending)
    chain.land()
    expect((await ask(feed, { payment })).output).toEqual(first.output)
    expect([events(), knobs.runs, chain.debits()]).toEqual([['reverted', 'restored'], 1, 100_000n])
  })

  test('and that can not be settled again is lost, which the operator sees', async () => {
    const { chain, ask, feed, gate, store } = paid
    const payment = await signFor(paid, feed)
    await ask(feed, { payment })
    chain.reorganize()
    chain.keeping = 'throws'
    at += 61_000
    await gate.reconcile()
    expect(await listOwed(store, new Date(at))).toEqual([])
    at += 300_000
    await gate.reconcile()
    expect(events()).toEqual(['reverted', 'lost'])
    const [loss] = await listOwed(store, new Date(at))
    expect(loss).toMatchObject({ state: 'lost', amount: '100000' })
    const back = refund(store, [openFakeMethod(chain)], loss?.id ?? '')
    await expect(back).rejects.toMatchObject({ code: 'conflict' })
    expect(await failing(ask(feed, { payment }))).toBeInstanceOf(PaymentRequired)
    expect([await states(), chain.debits()]).toEqual([['lost'], 0n])
    expect((await auditPayments({ store, methods: [], chain: false })).faults).toMatchObject([
      { where: 'records' },
    ])
  })

  test('of work that was owed is no debt any more', async () => {
    const { chain, ask, feed, gate, knobs, store } = paid
    const payment = await signFor(paid, feed)
    knobs.fail = new ToolError('upstream', 'The bowl is stuck.')
    await failing(ask(feed, { payment }))
    chain.reorganize()
    chain.keeping = 'throws'
    at += 61_000
    await gate.reconcile()
    expect(await listOwed(store)).toEqual([])
    at += 300_000
    await gate.reconcile()
    expect([await listOwed(store), await states(), chain.debits()]).toEqual([[], ['failed'], 0n])
  })

  test('that was given back already is an alarm, and moves nothing more', async () => {
    const { chain, ask, feed, gate, knobs, store } = paid
    knobs.fail = new ToolError('upstream', 'The bowl is stuck.')
    await failing(ask(feed, { payment: await signFor(paid, feed) }))
    const [debt] = await listOwed(store)
    await refund(store, [openFakeMethod(chain)], debt?.id ?? '', () => new Date(at))
    chain.reorganize()
    for (let i = 0; i < 3; i++) {
      at += 61_000
      await gate.reconcile()
    }
    expect([events(), await states(), chain.debits()]).toEqual([['lost'], ['refunded'], 0n])
  })

  test('and puts into another block keeps its record, and is spent under its new name too', async () => {
    const { chain, ask, feed, gate, store, rows } = paid
    await ask(feed, { payment: await signFor(paid, feed) })
    chain.reorganize(true)
    at += 61_000
    await gate.reconcile()
    const [transfer] = chain.transfers.values()
    expect((await rows.find({ index: 'state', where: { state: 'done' } })).rows[0]?.log).toBe(transfer?.log)
    expect(await store.transaction(tx => spendLog(tx, transfer?.log ?? '', 'tip:1'))).toBe(false)
    expect(events()).toEqual([])
    expect(await auditPayments({ store, methods: [], chain: false })).toMatchObject({ faults: [] })
  })

  test('is looked for twice, also after an outage, and then no more', async () => {
    const { chain, ask, feed, gate, rows } = paid
    await ask(feed, { payment: await signFor(paid, feed) })
    const looks = async (ms: number) => {
      at += ms
      const before = chain.finds
      await gate.reconcile()
      return chain.finds - before
    }
    expect(await looks(59_000)).toBe(0)
    chain.down = true
    await looks(2_000)
    chain.down = false
    expect(await looks(46_000)).toBe(1)
    expect(await looks(60_000)).toBe(0)
    expect(await looks(240_000)).toBe(1)
    expect((await rows.find({ index: 'state', where: { state: 'done' } })).rows).toMatchObject([
      { watch: null, watchEnd: null, sealed: null },
    ])
    chain.reorganize()
    expect(await looks(3600_000)).toBe(0)
  })
})
