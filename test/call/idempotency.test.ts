import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { ToolError } from '../../mcp/kernel/error.ts'
import { sweepKeys } from '../../mcp/kernel/pipeline/idempotency.ts'
import { free, tool } from '../../mcp/kernel/tool.ts'
import { openTestWorld, type TestWorld } from '../world.ts'
import { asker, counter, hints } from './fixture.ts'

let world: TestWorld
let now = new Date('2026-01-01T00:00:00Z')
beforeAll(async () => {
  world = await openTestWorld()
  world.ports.clock = { now: () => now }
})
afterAll(() => world.stop())
beforeEach(async () => {
  now = new Date('2026-01-01T00:00:00Z')
  await world.ports.store?.collection('fixture.count').delete('count')
})

const requireStore = () => {
  const { store } = world.ports
  if (!store) throw new Error('no store')
  return store
}

test('the same key and input run once and have the same answer', async () => {
  const ask = asker(world, counter())
  const first = await ask({ idempotencyKey: 'a' })
  expect(first).toMatchObject({ output: { runs: 1 }, replayed: false })
  expect(await ask({ idempotencyKey: 'a' })).toMatchObject({ output: { runs: 1 }, replayed: true })
  expect(await ask({ idempotencyKey: 'b' })).toMatchObject({ output: { runs: 2 } })
  expect(await ask()).toMatchObject({ output: { runs: 3 } })
})

test('the same key with another input is a conflict', async () => {
  const ask = asker(world, counter())
  await ask({ idempotencyKey: 'c', input: { by: 1 } })
  expect(await ask({ idempotencyKey: 'c', input: { by: 2 } })).toMatchObject({
    code: 'conflict',
    status: 409,
  })
})

test('a key belongs to its caller and to its tool', async () => {
  const ask = asker(world, counter())
  await ask({ idempotencyKey: 'd' })
  expect(await ask({ idempotencyKey: 'd', client: '192.0.2.2' })).toMatchObject({ output: { runs: 2 } })
  expect(await ask({ idempotencyKey: 'd', credentials: { bearer: 'ada' } })).toMatchObject({
    output: { runs: 3 },
  })
  expect(await asker(world, counter({ name: 'other' }))({ idempotencyKey: 'd' })).toMatchObject({
    output: { runs: 4 },
  })
  expect(
    await ask({ idempotencyKey: 'd', credentials: { bearer: 'ada' }, client: 'elsewhere' }),
  ).toMatchObject({
    output: { runs: 3 },
    replayed: true,
  })
})

test('fifty at once run once; the others are told to wait or get the answer', async () => {
  const ask = asker(world, counter())
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask({ idempotencyKey: 'e' })))
  expect(await requireStore().collection('fixture.count').get('count')).toMatchObject({ runs: 1 })
  for (const answer of answers)
    if ('output' in answer) expect(answer.output).toMatchObject({ runs: 1 })
    else expect(answer).toMatchObject({ code: 'conflict', retryable: true })
})

const failing = (code: 'not_found' | 'upstream', name: string) => {
  let runs = 0
  const failingTool = tool({
    name,
    title: 'Fails',
    description: 'Fails and counts.',
    input: z.object({}),
    output: z.object({}),
    needs: ['store'],
    price: free,
    hints,
    examples: [{}],
  }).run(async () => {
    runs++
    throw new ToolError(code, 'It did not work.', { hint: 'Try something else.' })
  })
  return { ask: asker(world, failingTool), runs: () => runs }
}

test('a refusal of the handler is kept, a failure of ours or of a third party is not', async () => {
  const notFound = failing('not_found', 'refused')
  expect(await notFound.ask({ idempotencyKey: 'f' })).toMatchObject({ code: 'not_found' })
  expect(await notFound.ask({ idempotencyKey: 'f' })).toMatchObject({
    code: 'not_found',
    hint: 'Try something else.',
  })
  expect(notFound.runs()).toBe(1)
  const down = failing('upstream', 'down')
  await down.ask({ idempotencyKey: 'f' })
  await down.ask({ idempotencyKey: 'f' })
  expect(down.runs()).toBe(2)
})

test('an answer that holds a secret is never kept', async () => {
  const secret = tool({
    name: 'secret',
    title: 'Secret',
    description: 'Gives a key once.',
    input: z.object({}),
    output: z.object({ key: z.string() }),
    needs: ['store'],
    price: free,
    secret: true,
    hints,
    examples: [{}],
  }).run(async () => ({ key: 'brk_hush' }))
  const ask = asker(world, secret)
  expect(await ask({ idempotencyKey: 'g' })).toMatchObject({ output: { key: 'brk_hush' } })
  expect(await ask({ idempotencyKey: 'g' })).toMatchObject({ code: 'conflict' })
  const page = await requireStore().collection('call.idempotency').find({ index: 'until', limit: 1000 })
  expect(JSON.stringify(page.rows)).not.toContain('brk_hush')
})

test('a key that is no key is refused', async () => {
  const ask = asker(world, counter())
  for (const key of ['', 'with space', 'x'.repeat(256), 'ümlaut'])
    expect(await ask({ idempotencyKey: key })).toMatchObject({ code: 'invalid_input' })
})

test('after a day the key may be used again, and the sweep drops the record', async () => {
  const ask = asker(world, counter())
  await ask({ idempotencyKey: 'h' })
  now = new Date('2026-01-02T00:00:01Z')
  const store = requireStore()
  const before = await store.collection('call.idempotency').count()
  await sweepKeys.run({ store, clock: { now: () => now }, signal: new AbortController().signal })
  expect(await store.collection('call.idempotency').count()).toBeLessThan(before)
  expect(await ask({ idempotencyKey: 'h' })).toMatchObject({ output: { runs: 2 }, replayed: false })
})

test('an idempotent tool needs no key and keeps none', async () => {
  const ask = asker(world, counter({ name: 'idem', hints: { ...hints, idempotent: true } }))
  await ask({ idempotencyKey: 'i' })
  expect(await ask({ idempotencyKey: 'i' })).toMatchObject({ replayed: false })
})
