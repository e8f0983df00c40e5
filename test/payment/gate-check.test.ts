import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ToolError } from '../../mcp/kernel/error.ts'
import { type AnyTool, free } from '../../mcp/kernel/tool.ts'
import { pay } from './fake-method.ts'
import { failing, openPaid, type Paid, readQuote, signFor } from './gate-fixture.ts'

let paid: Paid
let isClosed: boolean
let feed: AnyTool
/** A tool that refuses while it is closed. */
const closing = (more: Partial<AnyTool> = {}): AnyTool => ({
  ...paid.feed,
  ...more,
  check() {
    if (isClosed) throw new ToolError('conflict', 'The bowl is full.')
  },
})

beforeEach(async () => {
  paid = await openPaid()
  isClosed = true
  feed = closing()
})
afterEach(() => paid.stop())

describe('a call that its tool refuses', () => {
  test('has no price, and nothing moves for one that brings its payment', async () => {
    const { ask, chain, knobs } = paid
    expect(await failing(ask(feed))).toMatchObject({ code: 'conflict', extra: { charged: false } })
    isClosed = false
    const payment = await signFor(paid, feed)
    isClosed = true
    expect(await failing(ask(feed, { payment }))).toMatchObject({ code: 'conflict' })
    expect([knobs.runs, chain.debits(), await paid.rows.count({ index: 'claim' })]).toEqual([0, 0n, 0])
    isClosed = false
    expect((await ask(feed, { payment })).output).toMatchObject({ run: 1 })
  })

  test.each([
    ['free minute', { free: { channels: ['rest'], perMinute: 1 } }],
    ['free day', { free: { perMinute: 1, keyed: 1 } }],
    ['day', { price: free, quote: undefined, limits: [{ perDay: 1, per: 'client' }] }],
    [
      'day of one that has a price',
      { limits: [{ perDay: 1, per: 'client' }], free: { perMinute: 1, keyed: 1 } },
    ],
  ] as const)('takes nothing of the %s', async (_, more) => {
    const tool = closing(more as Partial<AnyTool>)
    const credentials = { bearer: 'ada' }
    for (let n = 0; n < 2; n++)
      expect(await failing(paid.ask(tool, { credentials }))).toMatchObject({ code: 'conflict' })
    isClosed = false
    expect((await paid.ask(tool, { credentials })).output).toMatchObject({ run: 1 })
  })

  test('has its answer again where it was answered before: by its payment, its key, or both', async () => {
    isClosed = false
    const payment = await signFor(paid, feed)
    const unpriced = closing({ free: { channels: ['rest'], perMinute: 9 } })
    const keyed = { idempotencyKey: 'dinner', credentials: { bearer: 'ada' } }
    const calls = [
      () => paid.ask(feed, { payment }),
      () => paid.ask(unpriced, { idempotencyKey: 'tea' }),
      () => paid.ask(unpriced, keyed),
    ]
    for (const ask of calls) await ask()
    isClosed = true
    for (const ask of calls) expect(await ask()).toMatchObject({ replayed: true })
    expect(paid.knobs.runs).toBe(3)
  })

  test('is answered once its money is on the way', async () => {
    const { chain, ask } = paid
    isClosed = false
    const payment = await signFor(paid, feed)
    chain.slow = true
    expect(await failing(ask(feed, { payment }))).toMatchObject({ code: 'payment_pending' })
    isClosed = true
    expect(await failing(ask(feed, { payment }))).toMatchObject({ code: 'payment_pending' })
    chain.confirm()
    expect((await ask(feed, { payment })).output).toMatchObject({ run: 1 })
    expect(chain.debits()).toBe(100_000n)
  })

  test('says why again under its key, and never a price', async () => {
    const keyed = { idempotencyKey: 'lunch', credentials: { bearer: 'ada' } }
    expect(await failing(paid.ask(feed, keyed))).toMatchObject({ code: 'conflict' })
    isClosed = false
    expect(await failing(paid.ask(feed, keyed))).toMatchObject({ code: 'conflict' })
    expect(await readQuote(paid.ask(feed))).toHaveProperty('amount')
  })

  test('is refused as such where its payment is no good, or belongs to another call', async () => {
    isClosed = false
    const offer = await readQuote(paid.ask(feed))
    const bad = pay(paid.chain, paid.chain.payer(), offer, { validBefore: '1' })
    const other = await signFor(paid, paid.groom)
    await paid.ask(paid.groom, { payment: other })
    isClosed = true
    for (const payment of [bad, other, 'garbage'])
      expect(await failing(paid.ask(feed, { payment }))).toMatchObject({
        code: 'conflict',
        message: 'The bowl is full.',
      })
  })
})
