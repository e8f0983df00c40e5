import { describe, expect, test } from 'vitest'
import { PaymentPending } from '../../mcp/kernel/error.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { openFakeMethod } from './fake-method.ts'
import { failing, openPaid, signFor } from './gate-fixture.ts'

const url = withDatabase()

/** Two replicas over one database and one chain. */
const openTwo = async (clock = () => new Date()) => {
  const schema = freshSchema()
  const stores = [
    await openPostgres({ url: url(), schema }),
    await openPostgres({ url: url(), schema }),
  ] as const
  const paid = await openPaid({ store: stores[0], clock })
  const other = paid.boot([openFakeMethod(paid.chain)], stores[1])
  const stop = async () => {
    await paid.stop()
    for (const store of stores) await store.close()
  }
  return { paid, other, stop }
}

describe.skipIf(!postgresIsHere)('on two replicas', () => {
  test.each(['feed', 'look', 'brush'] as const)(
    'the same payload for %s many times at once has one run and one debit',
    async name => {
      const { paid, other, stop } = await openTwo()
      for (let round = 0; round < 5; round++) {
        const payment = await signFor(paid, paid[name])
        const calls = Array.from({ length: 8 }, (_, i) => (i % 2 ? paid : other).ask(paid[name], { payment }))
        const all = await Promise.allSettled(calls)
        const answers = all.flatMap(one =>
          one.status === 'fulfilled' ? [JSON.stringify(one.value.output)] : [],
        )
        const errors = all.flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
        expect(new Set(answers).size).toBe(1)
        for (const error of errors) expect(error).toBeInstanceOf(PaymentPending)
        expect((await other.ask(paid[name], { payment })).output).toEqual(JSON.parse(answers[0] ?? ''))
        expect([paid.knobs.runs, paid.chain.debits()]).toEqual([round + 1, 100_000n * BigInt(round + 1)])
      }
      await stop()
    },
  )

  test('a replica waits for the other one, and takes over when that is gone for a minute', async () => {
    let at = Date.now()
    const { paid, other, stop } = await openTwo(() => new Date(at))
    const payment = await signFor(paid, paid.feed)
    let wake = () => {}
    paid.knobs.wait = new Promise<void>(resolve => {
      wake = resolve
    })
    const sleeping = failing(paid.ask(paid.feed, { payment }))
    while (paid.knobs.runs === 0) await new Promise(setImmediate)
    expect(await failing(other.ask(paid.feed, { payment }))).toBeInstanceOf(PaymentPending)
    paid.knobs.wait = undefined
    at += 60_000
    const outcome = await other.ask(paid.feed, { payment })
    expect(outcome.output).toEqual({ said: 'feed Mia', run: 1 })
    wake()
    expect(await sleeping).toBeInstanceOf(PaymentPending)
    expect((await paid.ask(paid.feed, { payment })).output).toEqual(outcome.output)
    expect(paid.chain.debits()).toBe(100_000n)
    await stop()
  })

  test('one payment for two tools pays one of them', async () => {
    const { paid, other, stop } = await openTwo()
    for (let round = 0; round < 5; round++) {
      const payment = await signFor(paid, paid.feed)
      const all = await Promise.allSettled([
        paid.ask(paid.feed, { payment }),
        other.ask(paid.groom, { payment }),
      ])
      expect(all.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(paid.knobs.runs).toBe(round + 1)
    }
    await stop()
  })

  test('what one replica answered, the other replays', async () => {
    const { paid, other, stop } = await openTwo()
    const payment = await signFor(paid, paid.feed)
    const first = await paid.ask(paid.feed, { payment })
    const again = await other.ask(paid.feed, { payment })
    expect([again.output, again.receipt]).toEqual([first.output, first.receipt])
    await stop()
  })
})
