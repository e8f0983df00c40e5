import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PaymentPending, ToolError } from '../../mcp/kernel/error.ts'
import { listOwed } from '../../mcp/payment/gate/owed.ts'
import { failing, openPaid, type Paid, readQuote, signFor } from './gate-fixture.ts'

let paid: Paid
beforeEach(async () => {
  paid = await openPaid()
})
afterEach(() => paid.stop())

const meals = () => paid.store.collection<{ id: string; run: number }>('fixture.meals').get('Mia')

describe('a call that is settled at its commit', () => {
  test('says nothing of money that is taken first', async () => {
    expect((await readQuote(paid.ask(paid.brush))).extra.paymentFlow).toBeUndefined()
  })

  test('takes nothing and writes nothing when its work fails, and the same payment tries again', async () => {
    const { ask, brush, chain, knobs, store } = paid
    const payment = await signFor(paid, brush)
    knobs.fail = new ToolError('upstream', 'The model is away.')
    expect(await failing(ask(brush, { payment }))).toMatchObject({ code: 'upstream' })
    expect([chain.debits(), chain.settles, await meals()]).toEqual([0n, 0, undefined])
    expect(await listOwed(store)).toEqual([])
    knobs.fail = undefined
    expect((await ask(brush, { payment })).output).toMatchObject({ said: 'brush Mia', run: 1 })
    expect(chain.debits()).toBe(100_000n)
  })

  test('writes nothing for money that does not come', async () => {
    const { ask, brush, chain, knobs } = paid
    const payment = await signFor(paid, brush)
    chain.refusing = 'settlement_failed'
    expect((await failing(ask(brush, { payment }))).status).toBe(402)
    expect([knobs.runs, await meals(), chain.debits()]).toEqual([1, undefined, 0n])
  })

  test('writes nothing while the money is on its way, and its answer once it is there', async () => {
    const { ask, brush, chain } = paid
    const payment = await signFor(paid, brush)
    chain.slow = true
    for (let n = 0; n < 2; n++) expect(await failing(ask(brush, { payment }))).toBeInstanceOf(PaymentPending)
    expect(await meals()).toBeUndefined()
    chain.confirm()
    expect((await ask(brush, { payment })).output).toMatchObject({ run: 1 })
    expect([(await meals())?.run, chain.debits()]).toEqual([1, 100_000n])
  })

  test('is owed when the store fails after the money came, and runs again for free', async () => {
    const { brush, chain, store, boot } = paid
    const payment = await signFor(paid, brush)
    let left = 1
    const broken = {
      ...store,
      transaction: ((work: never) =>
        chain.transfers.size > 0 && left-- === 0
          ? Promise.reject(new Error('the disk is full'))
          : store.transaction(work)) as typeof store.transaction,
    }
    await failing(boot(undefined, broken).ask(brush, { payment })).catch(() => undefined)
    expect([chain.debits(), await meals()]).toEqual([100_000n, undefined])
    expect(await listOwed(store, new Date(Date.now() + 120_000))).toMatchObject([{ tool: 'brush' }])
    expect((await boot().ask(brush, { payment })).output).toMatchObject({ run: 1 })
    expect([chain.debits(), (await meals())?.run]).toEqual([100_000n, 1])
  })
})
