import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ToolError } from '../../mcp/kernel/error.ts'
import { sweepKeys } from '../../mcp/kernel/pipeline/idempotency.ts'
import { openLimits } from '../../mcp/kernel/pipeline/limits.ts'
import { free, tool } from '../../mcp/kernel/tool.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { openTestWorld, type TestWorld } from '../world.ts'
import { asker, counter, hints } from './fixture.ts'

let world: TestWorld
let now = new Date('2026-01-01T12:00:00Z')
beforeEach(async () => {
  world = await openTestWorld()
  world.ports.clock = { now: () => now }
})
afterEach(() => world.stop())

const store = () => world.ports.store as Store
type Counter = { id: string; rows: number; bytes: number }
const counters = async () =>
  (
    await store()
      .collection<Counter>('call.allowance', [{ name: 'id', fields: ['id'] }])
      .find({ index: 'id', limit: 1000 })
  ).rows

const wide = tool({
  name: 'wide',
  title: 'Wide',
  description: 'Answers with as much text as it is asked for.',
  input: z.object({ size: z.int().default(1) }),
  output: z.object({ text: z.string() }),
  needs: [],
  price: free,
  hints,
  examples: [{}],
}).run(async (_, { size }) => {
  if (size === 13) throw new ToolError('conflict', 'Not thirteen.')
  return { text: 'x'.repeat(size) }
})

describe('answers under idempotency keys', () => {
  test('that are too large to keep are told once, and the key says so', async () => {
    const ask = asker(world, wide)
    expect(await ask({ idempotencyKey: 'a', input: { size: 20_000 } })).toHaveProperty('output')
    expect(await ask({ idempotencyKey: 'a', input: { size: 20_000 } })).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('too large to keep'),
    })
    const ada = { idempotencyKey: 'a', input: { size: 20_000 }, credentials: { bearer: 'ada' } }
    await ask(ada)
    expect(await ask(ada)).toMatchObject({ replayed: true })
  })

  test('are as many for one address as it may have, and others still get theirs', async () => {
    const ask = asker(world, wide)
    const codes: string[] = []
    for (let n = 0; n < 501; n++) {
      const answer = await ask({ idempotencyKey: `k${n}` })
      codes.push('code' in answer ? answer.code : 'ok')
    }
    expect(codes.lastIndexOf('ok')).toBe(499)
    expect(codes.at(-1)).toBe('too_many_requests')
    expect(await ask()).toHaveProperty('output')
    expect(await ask({ idempotencyKey: 'k1' })).toMatchObject({ replayed: true })
    expect(await ask({ idempotencyKey: 'k', client: '192.0.2.9' })).toHaveProperty('output')
    now = new Date(now.getTime() + 25 * 3600_000)
    expect(await ask({ idempotencyKey: 'k1' })).toMatchObject({ replayed: false })
    await sweepKeys.run({ store: store(), clock: { now: () => now }, signal: new AbortController().signal })
    expect(await ask({ idempotencyKey: 'new' })).toHaveProperty('output')
    expect((await counters()).filter(({ id }) => id.includes('client')).map(({ rows }) => rows)).toEqual([2])
  })

  test('take bytes as well as a number, and give both back', async () => {
    const ask = asker(world, wide)
    let count = 0
    for (; count < 200; count++) {
      const answer = await ask({ idempotencyKey: `b${count}`, input: { size: 14_000 } })
      if ('code' in answer) break
    }
    expect(count).toBeGreaterThan(60)
    expect(count).toBeLessThan(80)
    await ask({ idempotencyKey: 'fails', client: '192.0.2.9', input: { size: 13 } })
    now = new Date(now.getTime() + 25 * 3600_000)
    await sweepKeys.run({ store: store(), clock: { now: () => now }, signal: new AbortController().signal })
    expect(await counters()).toEqual([])
  })
})

describe('a limit by the day', () => {
  const daily = (more: object = {}) =>
    counter({
      limits: [
        { perDay: 2, per: 'client' },
        { perDay: 3, per: () => 'all' },
      ],
      ...more,
    })

  test('counts one address, then all, until the day is over', async () => {
    const ask = asker(world, daily())
    expect(await ask()).toHaveProperty('output')
    expect(await ask()).toHaveProperty('output')
    expect(await ask()).toMatchObject({
      code: 'too_many_requests',
      detail: expect.stringContaining('of one caller'),
    })
    expect(await ask({ client: '192.0.2.2' })).toHaveProperty('output')
    expect(await ask({ client: '192.0.2.3' })).toMatchObject({ code: 'too_many_requests' })
    now = new Date(now.getTime() + 86_400_000)
    expect(await ask()).toHaveProperty('output')
  })

  test('shares what all have of a day between networks', async () => {
    const ask = asker(world, daily({ name: 'shared', limits: [{ perDay: 8, per: 'all' }] }))
    const take = async (network: string) => {
      for (let n = 0; ; n++) {
        const answer = await ask({ client: `${network}.${n}` })
        if ('output' in answer) continue
        expect(answer).toMatchObject({
          code: 'too_many_requests',
          detail: expect.stringContaining('This network'),
        })
        return n
      }
    }
    expect([await take('203.0.113'), await take('198.51.100'), await take('192.0.2')]).toEqual([4, 2, 1])
    for (let n = 0; n < 4; n++) expect(await ask({ client: `10.0.${n}.1` })).toHaveProperty('output')
    now = new Date(now.getTime() + 86_400_000)
    expect(await take('203.0.113')).toBe(4)
  })

  test('counts on all replicas together', async () => {
    const replica = { ...world, limits: openLimits() }
    await asker(world, daily())()
    await asker(replica, daily())()
    expect(await asker(replica, daily())()).toMatchObject({ code: 'too_many_requests' })
  })

  test('does not count what was refused, failed or replayed', async () => {
    const ask = asker(world, daily())
    expect(await ask({ input: { by: 'x' } })).toMatchObject({ code: 'invalid_input' })
    expect(await ask({ idempotencyKey: 'a' })).toMatchObject({ replayed: false })
    expect(await ask({ idempotencyKey: 'a' })).toMatchObject({ replayed: true })
    expect(await ask({ client: '192.0.2.2' })).toHaveProperty('output')
    const failing = tool({
      name: 'count',
      title: 'Count',
      description: 'Fails, and counts for nothing.',
      input: z.object({}),
      output: z.object({}),
      needs: [],
      price: free,
      limits: [{ perDay: 3, per: () => 'all' }],
      hints,
      examples: [{}],
    }).run(() => Promise.reject(new ToolError('conflict', 'No.')))
    for (let n = 0; n < 5; n++) expect(await asker(world, failing)()).toMatchObject({ code: 'conflict' })
    expect(await ask()).toHaveProperty('output')
  })
})

test('a limit keeps no key longer than a digest, however long the input is that it counts by', async () => {
  const keys: string[] = []
  const limits = openLimits()
  const recordingWorld = {
    ...world,
    limits: {
      ...limits,
      take: (key: string, quota: number) => {
        keys.push(key)
        return limits.take(key, quota)
      },
    },
  }
  const perTarget = counter({
    input: z.object({ by: z.int().default(1), at: z.string() }),
    limits: [{ perMinute: 1, per: ({ at }: { at: string }) => at }],
  })
  const ask = asker(recordingWorld, perTarget)
  expect(await ask({ input: { at: 'x'.repeat(100_000) } })).toHaveProperty('output')
  expect(await ask({ input: { at: 'x'.repeat(100_000) } })).toMatchObject({ code: 'too_many_requests' })
  expect(Math.max(...keys.map(({ length }) => length))).toBeLessThan(200)
})

describe('what makes somebody known', () => {
  const registering = (more: object = {}) => counter({ name: 'join', registers: true, ...more })

  test('happens 20 times a day for one network address, over all services, whatever keys it has', async () => {
    const one = asker(world, registering())
    const other = asker(world, registering({ name: 'enlist' }))
    const client = '203.0.113.1'
    for (let n = 0; n < 20; n++) expect(await (n % 2 ? one : other)({ client })).toHaveProperty('output')
    const refusal = { code: 'too_many_requests', reason: 'registrations_of_the_day', retryable: true }
    expect(await one({ client })).toMatchObject(refusal)
    expect(await other({ client, credentials: { bearer: 'ada' } })).toMatchObject(refusal)
    expect(await one({ client: '203.0.113.2' })).toHaveProperty('output')
    now = new Date(now.getTime() + 86_400_000)
    expect(await one({ client })).toHaveProperty('output')
  })

  test('is not counted where it failed, or made nobody known', async () => {
    const client = '203.0.113.3'
    const nobody = asker(world, registering({ registers: ({ runs }: { runs: number }) => runs < 0 }))
    for (let n = 0; n < 25; n++) expect(await nobody({ client })).toHaveProperty('output')
    for (let n = 0; n < 25; n++)
      expect(await asker(world, registering())({ client, input: { by: 'x' } })).toMatchObject({ status: 422 })
    const days = await world.ports.store
      ?.collection('daily-quotas', [{ name: 'until', fields: ['until'] }])
      .find({ index: 'until', limit: 1000 })
    expect(JSON.stringify(days?.rows)).not.toContain(client)
  })
})
