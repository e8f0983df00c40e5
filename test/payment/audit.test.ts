import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPaymentOperations } from '../../app/payment-operations.ts'
import { openLimits } from '../../mcp/kernel/pipeline/limits.ts'
import { type AuditReport, auditPayments } from '../../mcp/payment/gate/audit.ts'
import { listOwed, refund } from '../../mcp/payment/gate/owed.ts'
import type { PaymentRow } from '../../mcp/payment/gate/record.ts'
import { listSales } from '../../mcp/payment/gate/sales.ts'
import { spentIn } from '../../mcp/payment/gate/spent.ts'
import { loadStanding } from '../../mcp/payment/gate/standing.ts'
import { credits } from '../../mcp/payment/ledger/amount.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import type { PaymentMethod } from '../../mcp/payment/method.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { type Authorization, openFakeMethod } from './fake-method.ts'
import { failing, openPaid, type Paid, signFor } from './gate-fixture.ts'

const url = withDatabase()
const engines = ['embedded', ...(postgresIsHere ? ['postgres'] : [])] as const

describe.each(engines)('an audit of the %s store', engine => {
  let paid: Paid
  let methods: readonly PaymentMethod[]
  let close = async () => {}
  beforeEach(async () => {
    const store =
      engine === 'postgres' ? await openPostgres({ url: url(), schema: freshSchema() }) : undefined
    close = async () => store?.close()
    paid = await openPaid(store && { store })
    methods = [openFakeMethod(paid.chain)]
    const ledger = openLedger()
    await paid.store.transaction(tx =>
      ledger.post(tx, {
        id: 'grant',
        unit: 'credit',
        memo: 'grant',
        postings: [
          { account: 'user:ada', amount: credits(5n) },
          { account: 'house:grants', amount: credits(-5n) },
        ],
      }),
    )
  })
  afterEach(async () => {
    await paid.stop()
    await close()
  })

  const look = (chain = true) => auditPayments({ store: paid.store, methods, chain })
  const buy = async (which = paid.feed) => paid.ask(which, { payment: await signFor(paid, which) })

  /** One payment that was answered, one that is owed, one that was given back, and one that moved nothing. */
  const trade = async () => {
    const done = await buy()
    await buy(paid.look)
    paid.knobs.fail = new Error('out of food')
    await failing(buy())
    await failing(buy())
    paid.knobs.fail = undefined
    const [first] = await listOwed(paid.store)
    await refund(paid.store, methods, first?.id ?? '')
    paid.chain.refusing = 'settlement_failed'
    await failing(buy())
    paid.chain.refusing = undefined
    const row = await paid.rows.find({
      index: 'receipt',
      where: { receipt: done.receipt?.id ?? '' },
      limit: 1,
    })
    return row.rows[0] as PaymentRow
  }

  test('lists what came and belongs to nothing, which can be owed, given back, or called our own', async () => {
    await trade()
    const { chain, store } = paid
    const later = () => new Date(Date.now() + 600_000)
    const { operator } = openPaymentOperations({
      store,
      methods,
      limits: openLimits(),
      clock: { now: later },
    })
    expect(await operator.audit(true)).toMatchObject({ ok: true, unexplained: [], chain: { unchecked: 0 } })
    const payer = chain.payer()
    const stray = chain.deposit(payer, 70_000n)
    const own = chain.deposit(chain.payer(), 5_000n)
    const report = await operator.audit(true)
    report.unexplained.sort((one, other) => Number(other.amount) - Number(one.amount))
    expect(report).toMatchObject({
      ok: false,
      faults: [],
      unexplained: [
        { id: stray.log, payer, amount: '70000', words: '70000 units on base-sepolia' },
        { id: own.log, amount: '5000' },
      ],
    })
    expect((await loadStanding(store, later())).standing).toMatchObject({ owed: 1, unexplained: 2 })
    await operator.owe(own.log, true)
    const receipt = await operator.owe(stray.log, false)
    expect((await failing(operator.owe(stray.log, false))).code).toBe('not_found')
    expect(await operator.audit(true)).toMatchObject({ ok: true, unexplained: [] })
    expect(await listOwed(store, later(), methods)).toMatchObject([{}, { id: receipt, payer }])
    await operator.refund(receipt)
    await operator.refund(receipt)
    expect(chain.refundPayees.get(receipt)).toBe(payer)
    expect([chain.refunds.size, (await operator.audit(false)).ok]).toEqual([2, true])
  })

  test('leaves a transfer alone whose call may still come, and one that came since', async () => {
    const { chain, store } = paid
    let at = Date.now()
    const clock = { now: () => new Date(at) }
    const { operator } = openPaymentOperations({ store, methods, limits: openLimits(), clock })
    const payment = await signFor(paid, paid.feed)
    chain.execute(payment.payload.authorization as Authorization)
    expect(await operator.audit(true)).toMatchObject({ ok: true, unexplained: [] })
    at += 301_000
    expect(await operator.audit(true)).toMatchObject({ ok: false, unexplained: [{}] })
    await paid.ask(paid.feed, { payment })
    expect(await operator.audit(true)).toMatchObject({ ok: true, unexplained: [] })
  })

  test('whose sum the books have, to the atom: what came, and what was given back', async () => {
    await trade()
    const { chain, store } = paid
    const { sales, sums } = await listSales(store, methods, '', '9999')
    expect(sums).toEqual([
      {
        ...{ network: chain.network, asset: chain.asset, count: 4 },
        ...{ in: String(chain.debits()), refunded: '100000' },
      },
    ])
    expect(sales[0]).toMatchObject({ service: 'fixture', tool: 'feed', amount: '0.100000', usd: '0.100000' })
    expect(sales.filter(({ refund }) => refund !== '')).toHaveLength(1)
    expect(sales.map(({ date }) => date)).toEqual(sales.map(({ date }) => date).sort())
    expect((await listSales(store, methods, '9998', '9999')).sales).toEqual([])
  })

  test('finds nothing where all agree, and counts it', async () => {
    await trade()
    expect(await look()).toEqual({
      ok: true,
      ledger: { entries: 1, postings: 2, balances: 2, holds: 0 },
      payments: {
        records: 5,
        settled: 4,
        refunded: 1,
        networks: [
          {
            network: 'eip155:84532',
            payments: 4,
            total: '400000',
            words: '400000 units on base-sepolia',
          },
        ],
      },
      spent: 4,
      chain: { checked: 5, unchecked: 0 },
      faults: [],
    } satisfies AuditReport)
  })

  const faults: [what: string, spoil: (row: PaymentRow) => Promise<unknown>, where: string, why: RegExp][] = [
    [
      'an amount that is not what the chain moved',
      row => paid.rows.put({ ...row, amount: '100001' }),
      'chain',
      /moved 100000, not 100001/,
    ],
    ['a payee that got nothing', row => paid.rows.put({ ...row, payTo: '0x01' }), 'chain', /not to 0x01/],
    ['a payer who paid nothing', row => paid.rows.put({ ...row, payer: '0x02' }), 'chain', /not from 0x02/],
    [
      'a transaction that the chain does not have',
      async () => paid.chain.transfers.clear(),
      'chain',
      /no transaction 0x/,
    ],
    [
      'a transfer that the transaction does not have',
      async row => {
        const log = `${row.log}9`
        await paid.rows.put({ ...row, log })
        await spentIn(paid.store).put({ id: log, by: `payment:${row.id}` })
        await spentIn(paid.store).delete(row.log ?? '')
      },
      'chain',
      /has no transfer/,
    ],
    [
      'a refund that the chain does not have',
      async () => paid.chain.refunds.clear(),
      'chain',
      /no refund 0x/,
    ],
    [
      'a transfer that is not among the spent ones',
      row => spentIn(paid.store).delete(row.log ?? ''),
      'spent',
      /not among the spent/,
    ],
    [
      'a transfer that something else has spent',
      row => spentIn(paid.store).put({ id: row.log ?? '', by: 'tip:1' }),
      'spent',
      /spent by tip:1/,
    ],
    [
      'a spent transfer whose payment does not name it',
      row => spentIn(paid.store).put({ id: 'eip155:84532:0x12:0', by: `payment:${row.id}` }),
      'spent',
      /does not name it/,
    ],
    [
      'a transfer that paid twice',
      row => paid.rows.put({ ...row, id: 'other', claim: null, receipt: 'f'.repeat(32) }),
      'records',
      /paid .+ before/,
    ],
    [
      'a settled payment without a transfer',
      row => paid.rows.put({ ...row, log: null, transaction: null }),
      'records',
      /names no transfer/,
    ],
    [
      'a balance that is not what the journal says',
      () =>
        paid.store
          .collection('ledger.balance')
          .put({ id: 'credit user:ada', value: '7', held: '0' } as never),
      'ledger',
      /balance credit user:ada: 7/,
    ],
    [
      'a hold that is kept back nowhere',
      () =>
        paid.store
          .collection('ledger.balance')
          .put({ id: 'credit user:ada', value: '5', held: '9' } as never),
      'ledger',
      /floor|held on/,
    ],
  ]
  test.each(faults)('finds %s', async (_, spoil, where, why) => {
    const row = await trade()
    await spoil(row)
    const { ok, faults } = await look()
    expect(ok).toBe(false)
    expect(faults).toContainEqual(expect.objectContaining({ where, detail: expect.stringMatching(why) }))
  })

  test('counts what a silent chain could not tell, and what a local chain forgot', async () => {
    const row = await trade()
    paid.chain.down = true
    expect(await look()).toMatchObject({ ok: true, chain: { checked: 0, unchecked: 5 }, faults: [] })
    expect(await look(false)).toMatchObject({ ok: true, chain: { checked: 0, unchecked: 0 } })
    paid.chain.down = false
    methods = []
    expect(await look()).toMatchObject({ ok: true, chain: { checked: 0, unchecked: 5 } })
    methods = [openFakeMethod(paid.chain)]
    paid.chain.transfers.clear()
    const offer = JSON.parse(row.offer)
    for (const state of ['done', 'owed', 'refunded']) {
      const { rows } = await paid.rows.find({ index: 'state', where: { state }, limit: 10 })
      for (const each of rows)
        await paid.rows.put({ ...each, offer: JSON.stringify({ ...offer, extra: { devnet: true } }) })
    }
    expect(await look()).toMatchObject({ ok: true, chain: { checked: 1, unchecked: 4 } })
  })
})
