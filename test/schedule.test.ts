import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { type AnyJob, job } from '../mcp/kernel/job.ts'
import { schedule } from '../mcp/kernel/schedule.ts'
import { openTestWorld, type TestWorld } from './world.ts'

let world: TestWorld
afterEach(() => world.stop())

test('two replicas run a period of a job once, and the next period again', async () => {
  let now = new Date('2026-01-01T00:00:00Z')
  world = await openTestWorld({ ports: { clock: { now: () => now } } })
  let runs = 0
  const count = job({ name: 'count', every: 60, needs: ['store'] }).run(async () => void runs++) as AnyJob
  const replicas = [1, 2].map(() => schedule([{ owner: 'test', job: count }], { world, tickMs: 5 }))
  await vi.waitFor(() => expect(runs).toBe(1))
  await wait(60)
  expect(runs).toBe(1)
  now = new Date('2026-01-01T00:01:00Z')
  await vi.waitFor(() => expect(runs).toBe(2))
  await Promise.all(replicas.map(replica => replica.stop()))
})

test('a failure is reported and does not end the schedule', async () => {
  let now = new Date('2026-01-01T00:00:00Z')
  world = await openTestWorld({ ports: { clock: { now: () => now } } })
  let runs = 0
  const causes: unknown[] = []
  const failing = job({ name: 'fail', every: 60, needs: [] }).run(async () => {
    runs++
    throw new Error('password=hunter2')
  }) as AnyJob
  const plan = schedule([{ owner: 'test', job: failing }], {
    world,
    tickMs: 5,
    onReport: (_, cause) => causes.push(cause),
  })
  await vi.waitFor(() => expect(plan.reports()).toMatchObject([{ name: 'test.fail', ok: false }]))
  expect(JSON.stringify(plan.reports())).not.toContain('hunter2')
  expect(String(causes[0])).toContain('hunter2')
  now = new Date('2026-01-01T00:01:00Z')
  await vi.waitFor(() => expect(runs).toBe(2))
  await plan.stop()
})

test('a job that lacks a port does not run; stopping aborts what runs', async () => {
  world = await openTestWorld()
  let aborted = false
  let begun = false
  const lacking = job({ name: 'lack', every: 60, needs: ['dns'] }).run(async () => {
    throw new Error('ran')
  }) as AnyJob
  const long = job({ name: 'long', every: 60, needs: [] }).run(
    ({ signal }) =>
      new Promise(done => {
        begun = true
        signal.addEventListener('abort', () => {
          aborted = true
          done()
        })
      }),
  ) as AnyJob
  const plan = schedule(
    [lacking, long].map(job => ({ owner: 'test', job })),
    { world, tickMs: 5 },
  )
  await vi.waitFor(() => expect(begun).toBe(true))
  await plan.stop()
  expect(aborted).toBe(true)
  expect(plan.reports().map(({ name }) => name)).toEqual(['test.long'])
})
