import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { toClient } from '../../mcp/kernel/http.ts'
import { openLimits, takeAll } from '../../mcp/kernel/pipeline/limits.ts'
import {
  computeShare,
  openSharedLimits,
  storeWindows,
  sweepWindows,
  type Windows,
} from '../../mcp/kernel/pipeline/shared-limits.ts'
import { onBothEngines } from '../payment/ledger-engines.ts'
import { runs } from '../stress.ts'

test('an IPv6 client is its /64, however its address is written', () => {
  for (const address of [
    '2001:db8::1',
    '2001:DB8:0:0:ffff::2',
    '2001:0db8:0000:0000:1:2:3:4',
    '2001:db8::5%eth0',
  ])
    expect(toClient(address)).toBe('2001:db8:0:0::/64')
  expect(toClient('2001:db8:0:1::1')).toBe('2001:db8:0:1::/64')
  expect([toClient('::ffff:192.0.2.1'), toClient('::FFFF:192.0.2.1')]).toEqual(['192.0.2.1', '192.0.2.1'])
  expect([toClient('::1'), toClient('192.0.2.1')]).toEqual(['0:0:0:0::/64', '192.0.2.1'])
})

test('what is refused uses nothing up, and what was taken can be given back', async () => {
  const limits = openLimits()
  expect(limits.take('a', 10, 8)).toMatchObject({ ok: true, remaining: 2 })
  expect(limits.take('a', 10, 3)).toMatchObject({ ok: false, remaining: 2 })
  expect(limits.take('a', 10, 2)).toMatchObject({ ok: true, remaining: 0 })
  limits.giveBack('a', 5)
  expect(limits.take('a', 10, 5)).toMatchObject({ ok: true })
  expect(limits.take('a', 10)).toMatchObject({ ok: false })
})

test('a call that counts in several windows counts in all or in none', async () => {
  const limits = openLimits()
  const both = [
    { key: 'address', quota: 5 },
    { key: 'key', quota: 3 },
  ]
  for (let n = 0; n < 3; n++)
    expect(await takeAll(limits, both)).toMatchObject({ ok: true, remaining: 2 - n })
  for (let n = 0; n < 9; n++) expect(await takeAll(limits, both)).toMatchObject({ ok: false })
  expect(limits.take('address', 5, 2)).toMatchObject({ ok: true, remaining: 0 })
})

/** Windows that replicas share, whose answers come when the schedule says. */
const openWindows = (arrive: () => Promise<unknown>, isAway: () => boolean = () => false): Windows => {
  const usage = new Map<string, number>()
  return {
    async book(id, quota, need, extra) {
      await arrive()
      if (isAway()) throw new Error('the store is away')
      const remaining = quota - (usage.get(id) ?? 0)
      const grant = remaining < need ? 0 : Math.min(remaining, need + extra)
      usage.set(id, (usage.get(id) ?? 0) + grant)
      await arrive()
      return grant
    },
  }
}

const at = Date.parse('2026-01-01T00:00:10Z')

test('replicas together admit the quota and one share for each further one at most, in any interleaving', async () => {
  const call = fc.record({
    replica: fc.nat(3),
    uses: fc.constantFrom(1, 1, 1, 2, 7, 20),
    waits: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.constantFrom(1, 3, 10, 20, 60),
      fc.integer({ min: 1, max: 4 }),
      fc.array(call, { minLength: 1, maxLength: 150 }),
      async (scheduler, quota, replicas, calls) => {
        const windows = openWindows(() => scheduler.schedule(Promise.resolve()))
        const limits = Array.from({ length: replicas }, () => openSharedLimits(windows, () => at))
        let admissions = 0
        let demand = 0
        const takes = calls.map(async ({ replica, uses, waits }) => {
          if (waits) await scheduler.schedule(Promise.resolve())
          demand += uses
          const own = limits[replica % replicas]
          if (!own) throw new Error('there is no such replica')
          const { ok, remaining } = await own.take('k', quota, uses)
          expect(remaining).toBeGreaterThanOrEqual(0)
          if (ok) admissions += uses
        })
        await scheduler.waitFor(Promise.all(takes))
        expect(admissions).toBeLessThanOrEqual(quota + (replicas - 1) * computeShare(quota))
        if (replicas === 1) expect(admissions).toBeLessThanOrEqual(quota)
        if (replicas === 1 && demand <= quota) expect(admissions).toBe(demand)
      },
    ),
    { numRuns: runs(1000, 100) },
  )
})

test('one replica alone admits the quota to the last use, however many come at once', async () => {
  const limits = openSharedLimits(
    openWindows(() => new Promise(setImmediate)),
    () => at,
  )
  const all = await Promise.all(Array.from({ length: 200 }, () => limits.take('k', 60)))
  expect(all.filter(({ ok }) => ok)).toHaveLength(60)
  expect(await limits.take('k', 60)).toMatchObject({ ok: false, remaining: 0, resetSeconds: 50 })
})

test('quiet clients ask no store, and a window that is used up asks it no more', async () => {
  let bookings = 0
  const windows = openWindows(async () => void bookings++)
  const limits = openSharedLimits(windows, () => at)
  for (let client = 0; client < 100; client++) limits.take(`client ${client}`, 60)
  expect(bookings).toBe(0)
  for (let n = 0; n < 100; n++) await limits.take('busy', 60)
  const before = bookings
  expect(before).toBeLessThan(30)
  for (let n = 0; n < 100; n++) expect(limits.take('busy', 60)).toMatchObject({ ok: false })
  expect(bookings).toBe(before)
})

test('while the store is away each replica counts for itself, and the next window is shared again', async () => {
  let away = true
  let now = at
  const windows = openWindows(
    async () => undefined,
    () => away,
  )
  const replicas = [openSharedLimits(windows, () => now), openSharedLimits(windows, () => now)]
  const fire = async () => {
    const all = await Promise.all(Array.from({ length: 300 }, (_, n) => replicas[n % 2]?.take('k', 60)))
    return all.filter(standing => standing?.ok).length
  }
  expect(await fire()).toBe(120)
  away = false
  now += 60_000
  expect(await fire()).toBeLessThanOrEqual(66)
})

onBothEngines(engine => {
  test('two replicas admit 60 a minute and six more at most', async () => {
    const place = await engine.place()
    const first = await place.open()
    const stores = engine.name === 'postgres' ? [first, await place.open()] : [first, first]
    onTestFinished(async () => {
      await Promise.all([...new Set(stores)].map(store => store.close()))
      await place.clean()
    })
    const replicas = stores.map(store => openSharedLimits(storeWindows(store), () => at))
    const all = await Promise.all(
      Array.from({ length: 400 }, async (_, n) => {
        for (let turn = 0; turn < n % 7; turn++) await new Promise(setImmediate)
        return replicas[n % 2]?.take('free:data:192.0.2.1', 60)
      }),
    )
    const admissions = all.filter(standing => standing?.ok).length
    expect(admissions).toBeLessThanOrEqual(66)
    expect(admissions).toBeGreaterThanOrEqual(54)
    const signal = new AbortController().signal
    const clock = { now: () => new Date(at + 120_000) }
    await sweepWindows.run({ store: first, clock, signal })
    expect(await first.collection('call.windows').count()).toBe(0)
  })
})
