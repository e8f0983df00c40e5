import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { call } from '../../mcp/kernel/call.ts'
import { PaymentRequired } from '../../mcp/kernel/error.ts'
import type { AnyTool } from '../../mcp/kernel/tool.ts'
import { openSandboxes } from '../../mcp/ports/sandbox/open.ts'
import { openResourceLane } from '../../mcp/ports/scheduler/scheduler.ts'
import { failing, openPaid, type Paid, signFor } from '../payment/gate-fixture.ts'
import type { Payload } from '../payment/x402.ts'
import { incoming } from './fixture.ts'

/** One place, and nobody waits for it long. */
const lane = openResourceLane('sandboxes', 1, { maxBookingMs: 100 })

let paid: Paid
let feed: AnyTool
beforeAll(async () => {
  paid = await openPaid()
  feed = { ...paid.feed, reserves: 'sandboxes' }
})
afterAll(() => paid.stop())
beforeEach(() => {
  Object.assign(paid.knobs, { runs: 0, fail: undefined, enter: undefined })
  paid.chain.settles = 0
})

const ask = (payment: Payload, signal?: AbortSignal) => {
  const sandboxes = openSandboxes({ python: '/usr/bin/absent', packages: '/absent', concurrency: 1 })
  const scheduler = {
    reserve: (_: string, booking: Parameters<typeof lane.reserve>[0]) => lane.reserve(booking),
  }
  const world = { ...paid.world, ports: { ...paid.world.ports, sandboxes, scheduler } }
  const evidence = { headers: {}, meta: { 'x402/payment': payment } }
  return call(
    world,
    paid.holder,
    feed,
    incoming({ input: { cat: 'Mia' }, evidence, ...(signal && { signal }) }),
  )
}

const neighbour = () => ({ client: '203.0.113.1', paid: true })

/** True when a payer elsewhere would have the place. */
const isFree = async (): Promise<boolean> => {
  const asker: { client: string; paid: boolean; release?: () => void } = neighbour()
  const has = await lane.reserve({ asker, isPaying: true }).then(
    () => true,
    () => false,
  )
  asker.release?.()
  return has
}

test('a call that pays is refused before its payment is touched while others have all places, and served with it later', async () => {
  const payment = await signFor(paid, feed)
  const place = await lane.enter({ asker: neighbour() })
  const refusal = await failing(ask(payment))
  expect(refusal).toMatchObject({ code: 'unavailable', extra: { reason: 'sandboxes_busy' } })
  expect(refusal.headers['Retry-After']).toBe('5')
  expect([paid.knobs.runs, paid.chain.settles]).toEqual([0, 0])
  place.leave()
  expect(await ask(payment)).toMatchObject({ output: { said: 'feed Mia' } })
  expect([paid.knobs.runs, paid.chain.settles]).toEqual([1, 1])
  expect(await isFree()).toBe(true)
})

test('a call that leaves while it waits for a place gives up its turn, unpaid', async () => {
  const payment = await signFor(paid, feed)
  const place = await lane.enter({ asker: neighbour() })
  const left = new AbortController()
  const refused = failing(ask(payment, left.signal))
  setTimeout(() => left.abort(), 20)
  expect((await refused).code).toBe('timeout')
  place.leave()
  expect([paid.knobs.runs, paid.chain.settles]).toEqual([0, 0])
  expect(await isFree()).toBe(true)
})

test('a call has its place while it runs, and no longer when it fails', async () => {
  const payment = await signFor(paid, feed)
  const met: boolean[] = []
  paid.knobs.enter = async () => void met.push(await isFree())
  paid.knobs.fail = new Error('the code broke')
  await expect(ask(payment)).rejects.toThrow()
  expect(met).toEqual([false])
  expect(await isFree()).toBe(true)
})

test('a forged payment holds no place once it is refused', async () => {
  const payment = await signFor(paid, feed)
  const forged = { ...payment, payload: { ...payment.payload, signature: 'f'.repeat(64) } }
  expect(await failing(ask(forged as Payload))).toBeInstanceOf(PaymentRequired)
  expect([paid.knobs.runs, paid.chain.settles]).toEqual([0, 0])
  expect(await isFree()).toBe(true)
})
