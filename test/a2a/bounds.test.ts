import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { sweepTasks } from '../../a2a-adapter/index.ts'
import { openContexts } from '../../a2a-adapter/tasks/context.ts'
import { taskRows } from '../../a2a-adapter/tasks/row.ts'
import { addTask, openTaskStore } from '../../a2a-adapter/tasks/store.ts'
import { free, tool } from '../../mcp/kernel/tool.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { fixture, fixtureGate } from './fixture.ts'
import { message10, rpc, type Served, serve, v1 } from './serve.ts'

const wide = tool({
  name: 'wide',
  title: 'Wide',
  description: 'Answers with as much text as it is asked for.',
  input: z.object({ size: z.int(), filler: z.string().optional() }),
  output: z.object({ text: z.string() }),
  needs: [],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: {},
  examples: [{ size: 1 }],
}).run(async (_, { size }) => ({ text: 'y'.repeat(size) }))

const wider = { ...fixture, tools: [...fixture.tools, wide] }

let served: Served
let clock = new Date('2026-11-21T12:00:00.000Z')
beforeAll(async () => {
  served = await serve([wider], { gate: fixtureGate(), ports: { clock: { now: () => clock } } })
})
afterAll(() => served.stop())

const ada = { authorization: 'Bearer ada' }
const later = { configuration: { returnImmediately: true } }
const store = () => served.world.ports.store as Store
const ask10 = async (method: string, params: object, headers = {}) =>
  (await served.post('/fixture/', rpc(method, params), { ...v1, ...headers })).body
const finished = async (id: string, headers = {}) => {
  await vi.waitFor(async () =>
    expect((await ask10('GetTask', { id }, headers)).result.status.state).not.toBe('TASK_STATE_WORKING'),
  )
  return (await ask10('GetTask', { id }, headers)).result
}
type Counter = { id: string; rows: number; bytes: number }
const counters = async () => {
  const { rows } = await store()
    .collection<Counter>('call.allowance', [{ name: 'id', fields: ['id'] }])
    .find({ index: 'id', limit: 1000 })
  return rows
}
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
const counted = async (kind: 'client' | 'part') => {
  const of = (await counters()).filter(({ id }) => id.includes(` ${kind} `))
  return { rows: sum(of.map(({ rows }) => rows)), bytes: sum(of.map(({ bytes }) => bytes)) }
}
const stored = async () => {
  const { rows } = await taskRows(store()).find({ index: 'expires', limit: 1000 })
  return { rows: rows.length, bytes: sum(rows.map(({ bytes = 0 }) => bytes)) }
}
const sweep = () =>
  sweepTasks.run({ store: store(), clock: { now: () => clock }, signal: new AbortController().signal })

describe('what a task keeps', () => {
  test('is nothing where the skill does not take the input', async () => {
    const before = await stored()
    const strangers = Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`f${n}`, 1]))
    const bad = { ...message10([{ skill: 'wide', size: 1, ...strangers }]), ...later }
    const { error } = await ask10('SendMessage', bad)
    expect(error.code).toBe(-32602)
    expect(await stored()).toEqual(before)
  })

  test('is no output over 64 KiB of a stranger, and the message says so', async () => {
    const big = { ...message10([{ skill: 'wide', size: 70_000 }]), ...later }
    const { id } = (await ask10('SendMessage', big)).result.task
    const { status, artifacts } = await finished(id)
    expect([status.state, artifacts]).toEqual(['TASK_STATE_COMPLETED', undefined])
    expect(status.message.parts.at(-1).text).toMatch(/too large to keep: 7\d{4} bytes.*65536/)
    const fits = { ...message10([{ skill: 'wide', size: 60_000 }]), ...later }
    const small = (await ask10('SendMessage', fits)).result.task
    expect((await finished(small.id)).artifacts[0].parts[1].data.text).toHaveLength(60_000)
  })

  test('is more of a known caller', async () => {
    const big = { ...message10([{ skill: 'wide', size: 70_000 }]), ...later }
    const { id } = (await ask10('SendMessage', big, ada)).result.task
    expect((await finished(id, ada)).artifacts[0].parts[1].data.text).toHaveLength(70_000)
  })

  test('is no input over 64 KiB; the work is done all the same', async () => {
    const filler = 'x'.repeat(200_000)
    const big = { ...message10([{ skill: 'wide', size: 3, filler }]), ...later }
    const { id } = (await ask10('SendMessage', big)).result.task
    expect((await finished(id)).artifacts[0].parts[1].data).toEqual({ text: 'yyy' })
    const row = await taskRows(store()).get(id)
    expect([row?.input, row?.history]).toEqual([null, []])
    expect(row?.bytes).toBeLessThan(3_000)
  })

  test('is no quote for an input that is too large; the refusal tells how to pay', async () => {
    const question = 'x'.repeat(70_000)
    const before = await stored()
    const { error } = await ask10('SendMessage', message10([{ skill: 'consult', question }]))
    expect(error.code).toBe(-31413)
    expect(error.message).toContain('/tools/consult')
    expect(await stored()).toEqual(before)
    const inTask = { ...message10([{ skill: 'consult', question }]), ...later }
    const { id } = (await ask10('SendMessage', inTask)).result.task
    const { status } = await finished(id)
    expect([status.state, status.message.parts[0].text]).toEqual([
      'TASK_STATE_FAILED',
      expect.stringContaining('/tools/consult'),
    ])
  })
})

describe('what tasks are counted as', () => {
  test('is what is stored, through all they become, and nothing when they are gone', async () => {
    const send = async (data: object, headers = {}) =>
      (await ask10('SendMessage', { ...message10([data]), ...later }, headers)).result.task.id
    const ids = await Promise.all([
      send({ skill: 'wide', size: 100 }),
      send({ skill: 'wide', size: 100 }, ada),
      send({ skill: 'fail', code: 'not_found' }),
      send({ skill: 'wait' }),
    ])
    const asked = (await ask10('SendMessage', message10([{ skill: 'consult', question: 'a' }]))).result.task
    await ask10('CancelTask', { id: ids[3] })
    const pay = {
      taskId: asked.id,
      metadata: { 'x402.payment.payload': { x402Version: 2, payload: { nonce: 'n1' } } },
    }
    const paid = (await ask10('SendMessage', message10(['pay'], pay))).result.task
    expect(paid.status.state).toBe('TASK_STATE_COMPLETED')
    for (const [at, id] of ids.entries()) await finished(id, at === 1 ? ada : {})
    const all = await stored()
    expect(all.rows).toBeGreaterThan(4)
    expect(await counted('part')).toEqual(all)
    expect(await counted('client')).toEqual(all)
    expect((await counters()).some(({ id }) => id.startsWith('a2a.tasks known'))).toBe(true)

    clock = new Date(clock.getTime() + 16 * 60_000)
    await sweep()
    expect(await ask10('GetTask', { id: paid.id })).toHaveProperty('result')
    expect(await counted('part')).toEqual(await stored())
    clock = new Date(clock.getTime() + 8 * 86_400_000)
    await sweep()
    expect([await stored(), await counters()]).toEqual([{ rows: 0, bytes: 0 }, []])
  })

  test('refuses a stranger past 256 tasks, and no other one', async () => {
    const ok = { ok: true, quota: 1, remaining: 1, resetSeconds: 1 }
    const world = { ...served.world, limits: { take: () => ok, giveBack: () => undefined } }
    const desk = openTaskStore(world, wider, openContexts(world))
    if (!desk) throw new Error('there is a store')
    const add = (client: string, owner?: string) =>
      addTask(desk, {
        userMessage: { messageId: 'm', role: 'user', parts: [{ text: 'x' }] },
        owner: owner === undefined ? undefined : { id: owner, via: 'bearer' },
        client,
        state: 'working',
        tool: 'wide',
        input: {},
        deadline: null,
        paying: false,
        offer: null,
        toAnswer: () => null,
      }).then(
        () => 'added',
        (error: { code: string; extra: { retryAfter?: number } }) =>
          `${error.code} ${error.extra.retryAfter}`,
      )
    // Working tasks have room for their output, so the bytes of one client are used up before the count is.
    const answers: string[] = []
    for (let n = 0; n < 70; n++) answers.push(await add('192.0.2.1'))
    expect(new Set(answers)).toEqual(new Set(['added', 'too_many_requests 60']))
    expect(answers.filter(answer => answer === 'added').length).toBeLessThanOrEqual(64)
    expect(await add('192.0.2.2')).toBe('added')
    expect(await add('192.0.2.1', 'fixture:ada')).toBe('added')
    expect(await counted('part')).toEqual(await stored())

    const others: string[] = []
    for (let n = 0; n < 1_000 && !others.at(-1)?.startsWith('unavailable'); n++)
      others.push(await add(`198.51.100.${n}`))
    expect(others.at(-1)).toBe('unavailable 60')
    expect((await counted('part')).bytes).toBeLessThanOrEqual(65 << 20)
    expect(await add('192.0.2.1', 'fixture:ada')).toBe('added')
  })
})
