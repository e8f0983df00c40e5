import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PaymentPending, ToolError } from '../../mcp/kernel/error.ts'
import { listOwed, refund } from '../../mcp/payment/gate/owed.ts'
import { loadReceipt } from '../../mcp/payment/gate/receipt.ts'
import { requireSettlementOrder } from '../../mcp/payment/gate/settlement.ts'
import { spendLog } from '../../mcp/payment/gate/spent.ts'
import { serviceWith } from '../call/fixture.ts'
import { openFakeMethod } from './fake-method.ts'
import { failing, openPaid, type Paid, readQuote, signFor } from './gate-fixture.ts'

let at = Date.now()
let paid: Paid
beforeEach(async () => {
  at = Date.now()
  paid = await openPaid({ clock: () => new Date(at) })
})
afterEach(() => paid.stop())

describe('a paid call', () => {
  test('runs once, debits once and answers with a receipt that can be read', async () => {
    const { ask, feed, chain, store, knobs } = paid
    const payment = await signFor(paid, feed)
    const outcome = await ask(feed, { payment })
    expect(outcome.output).toEqual({ said: 'feed Mia', run: 1 })
    expect([knobs.runs, chain.debits()]).toEqual([1, 100_000n])
    expect(outcome.receipt?.id).toMatch(/^[0-9a-f]{32}$/)
    expect(await loadReceipt(store, outcome.receipt?.id ?? '')).toMatchObject({
      id: outcome.receipt?.id,
      state: 'done',
      tool: 'feed',
      amount: '100000',
      transaction: outcome.receipt?.transaction,
    })
    expect(await loadReceipt(store, 'f'.repeat(32))).toBeUndefined()
  })

  test.each(['feed', 'look', 'brush'] as const)(
    'of %s twice at once has one run, one debit, the same answer',
    async name => {
      const { ask, chain, knobs } = paid
      const payment = await signFor(paid, paid[name])
      const all = await Promise.all(Array.from({ length: 6 }, () => ask(paid[name], { payment })))
      expect(new Set(all.map(({ output, receipt }) => JSON.stringify([output, receipt]))).size).toBe(1)
      expect([knobs.runs, chain.debits(), chain.settles]).toEqual([1, 100_000n, 1])
      expect(all.filter(({ replayed }) => replayed)).toHaveLength(5)
    },
  )

  test.each(['feed', 'look', 'brush'] as const)(
    'of %s sent again much later has the same answer',
    async name => {
      const payment = await signFor(paid, paid[name])
      const first = await paid.ask(paid[name], { payment })
      at += 400 * 24 * 3600_000
      const header = Buffer.from(JSON.stringify(payment)).toString('base64')
      const again = await paid.ask(paid[name], { payment: header })
      expect([again.output, again.receipt, again.replayed]).toEqual([first.output, first.receipt, true])
      expect([paid.knobs.runs, paid.chain.debits()]).toEqual([1, 100_000n])
    },
  )

  test('announces on the wire that it is settled first', async () => {
    expect((await readQuote(paid.ask(paid.feed))).extra.paymentFlow).toBe('upfront')
    expect((await readQuote(paid.ask(paid.look))).extra.paymentFlow).toBeUndefined()
  })
})

describe('a slow confirmation', () => {
  test.each(['feed', 'look', 'brush'] as const)(
    'of %s is pending, then the result, never a second 402',
    async name => {
      const { ask, chain, knobs } = paid
      chain.slow = true
      const payment = await signFor(paid, paid[name])
      for (let i = 0; i < 3; i++) {
        const pending = await failing(ask(paid[name], { payment }))
        expect(pending).toBeInstanceOf(PaymentPending)
        expect([pending.status, pending.headers['Retry-After']]).toEqual([202, '2'])
        expect(pending.extra.payment).toMatchObject({ success: false, errorReason: 'settlement_pending' })
        expect(JSON.stringify(pending.toProblem())).not.toContain('look Mia')
      }
      at += 3600_000
      chain.confirm()
      const outcome = await ask(paid[name], { payment })
      expect(outcome.output).toMatchObject({ said: `${name} Mia` })
      // What had its answer while the money was on its way kept nothing of it.
      expect([knobs.runs, chain.debits()]).toEqual([name === 'brush' ? 2 : 1, 100_000n])
    },
  )

  test('that a dead method hides is pending too, and says nothing of the method', async () => {
    const { ask, feed, chain } = paid
    const payment = await signFor(paid, feed)
    chain.breaking = new Error('insufficient funds for gas at http://10.0.0.7:8545 key 0xdead')
    const pending = await failing(ask(feed, { payment }))
    expect(pending).toBeInstanceOf(PaymentPending)
    expect(JSON.stringify([pending.toProblem(), pending.extra])).not.toMatch(/10\.0|dead|gas/)
    chain.down = true
    expect(await failing(ask(feed, { payment }))).toBeInstanceOf(PaymentPending)
    chain.down = false
    chain.breaking = undefined
    expect((await ask(feed, { payment })).output).toEqual({ said: 'feed Mia', run: 1 })
    expect([paid.knobs.runs, chain.debits()]).toEqual([1, 100_000n])
  })

  test('that the facilitator calls a failure is asked of the chain first', async () => {
    paid.chain.lying = true
    const payment = await signFor(paid, paid.feed)
    expect((await paid.ask(paid.feed, { payment })).output).toEqual({ said: 'feed Mia', run: 1 })
  })
})

describe('a handler that fails after settlement', () => {
  test('runs again for the same payload, free and without time limit', async () => {
    const { ask, feed, chain, knobs, store } = paid
    const payment = await signFor(paid, feed)
    knobs.fail = new ToolError('upstream', 'The bowl is stuck.')
    const failure = await failing(ask(feed, { payment }))
    expect(failure).toMatchObject({ code: 'upstream', extra: { payment: { success: true } } })
    knobs.fail = new Error('a stranger')
    expect((await failing(ask(feed, { payment }))).code).toBe('internal')
    expect(await listOwed(store)).toMatchObject([{ state: 'owed', amount: '100000', tool: 'feed' }])
    knobs.fail = undefined
    at += 900 * 24 * 3600_000
    expect((await ask(feed, { payment })).output).toEqual({ said: 'feed Mia', run: 1 })
    expect([chain.debits(), await listOwed(store)]).toEqual([100_000n, []])
  })

  test('is refunded by the operator once, whoever asks how often', async () => {
    const { ask, feed, chain, knobs, store } = paid
    const from = chain.payer(500_000n)
    const payment = await signFor(paid, feed, {}, from)
    knobs.fail = new Error('broken')
    await failing(ask(feed, { payment }))
    const [debt] = await listOwed(store)
    const methods = [openFakeMethod(chain)]
    const tries = await Promise.allSettled(
      Array.from({ length: 4 }, () => refund(store, methods, debt?.id ?? '')),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    expect(await refund(store, methods, debt?.id ?? '')).toMatch(/^0x/)
    expect([chain.balances.get(from), chain.refunds.size, await listOwed(store)]).toEqual([500_000n, 1, []])
    expect((await loadReceipt(store, debt?.id ?? ''))?.state).toBe('refunded')
    knobs.fail = undefined
    const after = await failing(ask(feed, { payment }))
    expect([after.code, knobs.runs]).toEqual(['conflict', 1])
  })

  test('is given back after its answer only where the operator says so, and then answers no more', async () => {
    const { ask, feed, chain, store } = paid
    const from = chain.payer(500_000n)
    const payment = await signFor(paid, feed, {}, from)
    const { receipt } = await ask(feed, { payment })
    const methods = [openFakeMethod(chain)]
    const giveBack = (wasServed: boolean) =>
      refund(store, methods, receipt?.id ?? '', () => new Date(), undefined, wasServed)
    await expect(giveBack(false)).rejects.toMatchObject({ code: 'conflict' })
    expect((await ask(feed, { payment })).receipt?.id).toBe(receipt?.id)
    expect(await giveBack(true)).toBe(await giveBack(true))
    expect([chain.balances.get(from), chain.refunds.size]).toEqual([500_000n, 1])
    expect((await failing(ask(feed, { payment }))).code).toBe('conflict')
  })

  test('is refunded under the same name when the first refund broke off', async () => {
    const { ask, feed, chain, knobs, store } = paid
    const from = chain.payer(500_000n)
    const payment = await signFor(paid, feed, {}, from)
    knobs.fail = new Error('broken')
    await failing(ask(feed, { payment }))
    const [debt] = await listOwed(store)
    chain.hooks.after = () => Promise.reject(new Error('cut'))
    const methods = [openFakeMethod(chain)]
    await expect(refund(store, methods, debt?.id ?? '')).rejects.toThrow('cut')
    expect(await listOwed(store)).toMatchObject([{ state: 'refunding' }])
    await refund(store, methods, debt?.id ?? '')
    expect([chain.balances.get(from), chain.refunds.size]).toEqual([500_000n, 1])
  })

  test('is not refunded while it is done or running', async () => {
    const payment = await signFor(paid, paid.feed)
    let go = () => {}
    paid.knobs.wait = new Promise<void>(resolve => {
      go = resolve
    })
    const running = paid.ask(paid.feed, { payment })
    while (paid.knobs.runs === 0) await new Promise(setImmediate)
    const [row] = (await paid.rows.find({ index: 'state', where: { state: 'paid' } })).rows
    const methods = [openFakeMethod(paid.chain)]
    const early = refund(paid.store, methods, row?.receipt ?? '', () => new Date(at))
    await expect(early).rejects.toMatchObject({ code: 'conflict' })
    go()
    await running
    await expect(refund(paid.store, methods, row?.receipt ?? '')).rejects.toMatchObject({ code: 'conflict' })
    expect(paid.chain.refunds.size).toBe(0)
  })

  test('of a tool settled after it ran costs nothing', async () => {
    const payment = await signFor(paid, paid.look)
    paid.knobs.fail = new ToolError('upstream', 'No light.')
    expect(await failing(paid.ask(paid.look, { payment }))).toMatchObject({ code: 'upstream' })
    expect([paid.chain.debits(), await listOwed(paid.store)]).toEqual([0n, []])
    paid.knobs.fail = undefined
    expect((await paid.ask(paid.look, { payment })).output).toMatchObject({ said: 'look Mia' })
  })
})

describe('one payment', () => {
  test('for a tool is a conflict on another tool, another input and another caller', async () => {
    const { ask, feed, groom, chain, knobs } = paid
    const payment = await signFor(paid, feed)
    await ask(feed, { payment })
    const wrong = [
      ask(groom, { payment }),
      ask(feed, { payment, input: { cat: 'Tom' } }),
      ask(feed, { payment, credentials: { bearer: 'ada' } }),
    ]
    for (const answer of wrong) {
      const error = await failing(answer)
      expect([error.code, error.status]).toEqual(['conflict', 409])
      expect(error.message).toContain('payment_already_used')
    }
    expect([knobs.runs, chain.debits()]).toEqual([1, 100_000n])
  })

  test('for two tools at once pays one of them', async () => {
    const { ask, feed, groom, chain, knobs } = paid
    const payment = await signFor(paid, feed)
    const both = await Promise.allSettled([ask(feed, { payment }), ask(groom, { payment })])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect([knobs.runs, chain.debits()]).toEqual([1, 100_000n])
  })

  test('sent again inside another envelope reads nothing and pays nothing', async () => {
    const { ask, feed, chain } = paid
    const payment = await signFor(paid, feed)
    await ask(feed, { payment })
    const stolenPayment = { ...payment, accepted: await readQuote(ask(feed)) }
    expect((await failing(ask(feed, { payment: stolenPayment }))).code).toBe('conflict')
    expect(chain.debits()).toBe(100_000n)
  })

  test('spends its transfer for every other claim', async () => {
    const { ask, feed, chain, store } = paid
    await ask(feed, { payment: await signFor(paid, feed) })
    const [transfer] = chain.transfers.values()
    expect(await store.transaction(tx => spendLog(tx, transfer?.log ?? '', 'tip:1'))).toBe(false)
    expect(await store.transaction(tx => spendLog(tx, 'other:0x1:0', 'tip:1'))).toBe(true)
    expect(await store.transaction(tx => spendLog(tx, 'other:0x1:0', 'tip:2'))).toBe(false)
  })

  test('whose transfer was claimed elsewhere runs nothing, and is not owed a second time', async () => {
    const { ask, feed, chain, store, knobs } = paid
    const payment = await signFor(paid, feed)
    chain.hooks.after = async () => {
      const [transfer] = chain.transfers.values()
      await store.transaction(tx => spendLog(tx, transfer?.log ?? '', 'tip:1'))
    }
    expect((await failing(ask(feed, { payment }))).code).toBe('conflict')
    expect((await failing(ask(feed, { payment }))).code).toBe('conflict')
    expect([knobs.runs, (await listOwed(store)).length]).toEqual([0, 0])
  })
})

test('no record holds an authorization in clear, and none at all once the money is here to stay', async () => {
  const { ask, feed, chain, rows, knobs, gate } = paid
  chain.slow = true
  const payment = await signFor(paid, feed)
  await failing(ask(feed, { payment }))
  const { authorization, signature } = payment.payload as {
    authorization: { nonce: string }
    signature: string
  }
  const [pending] = (await rows.find({ index: 'state', where: { state: 'pending' } })).rows
  expect(pending?.sealed).toEqual(expect.any(String))
  for (const secret of [authorization.nonce, authorization.nonce.slice(2), signature])
    expect(JSON.stringify(pending)).not.toContain(secret)
  chain.confirm()
  knobs.fail = new Error('x')
  await failing(ask(feed, { payment }))
  const [debt] = (await rows.find({ index: 'state', where: { state: 'owed' } })).rows
  for (const secret of [authorization.nonce, authorization.nonce.slice(2), signature])
    expect(JSON.stringify(debt)).not.toContain(secret)
  at += 301_000
  await gate.reconcile()
  expect((await rows.find({ index: 'state', where: { state: 'owed' } })).rows).toMatchObject([
    { sealed: null },
  ])
})

test('a writing tool that is settled after it ran does not boot', () => {
  const { feed, look } = paid
  expect(() => requireSettlementOrder([serviceWith(feed, look)])).not.toThrow()
  expect(() => requireSettlementOrder([serviceWith({ ...feed, settle: 'after' })])).toThrow('fixture.feed')
  const { settle: _, ...unsaid } = feed
  expect(() => requireSettlementOrder([serviceWith(unsaid)])).toThrow('fixture.feed')
})
