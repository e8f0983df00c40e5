import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { fixture, fixtureGate, slow } from './fixture.ts'
import { message10, rpc, type Served, serve, v1 } from './serve.ts'

let served: Served
let clock = new Date('2026-11-21T12:00:00.000Z')
beforeAll(async () => {
  served = await serve([fixture], { gate: fixtureGate(), ports: { clock: { now: () => clock } } })
})
afterAll(() => served.stop())
afterEach(() => {
  slow.finish()
})

const ada = { authorization: 'Bearer ada' }
const later = { configuration: { returnImmediately: true } }
const ask = { skill: 'consult', question: 'why?' }
const ask10 = async (method: string, params: object, headers = {}) =>
  (await served.post('/fixture/', rpc(method, params), { ...v1, ...headers })).body
const begin = async (params: object, headers = {}) =>
  (await ask10('SendMessage', params, headers)).result.task
const stateOf = async (id: string, headers = {}) =>
  (await ask10('GetTask', { id }, headers)).result.status.state

describe('ListTasks', () => {
  test('is empty for nobody without a context', async () => {
    await begin(message10([ask]))
    expect((await ask10('ListTasks', {})).result).toEqual({
      tasks: [],
      nextPageToken: '',
      pageSize: 50,
      totalSize: 0,
    })
  })

  test('shows nobody a context that a client chose, and its chooser its tasks by their ids', async () => {
    const { id } = await begin(message10([ask], { contextId: '1' }))
    const grouped = await begin(message10([ask], { contextId: '1' }))
    expect(grouped.contextId).toBe('1')
    expect((await ask10('ListTasks', { contextId: '1' })).result).toMatchObject({ tasks: [], totalSize: 0 })
    expect(await stateOf(id)).toBe('TASK_STATE_INPUT_REQUIRED')
    await begin(message10([ask], { contextId: '1' }), ada)
    expect((await ask10('ListTasks', { contextId: '1' }, ada)).result.totalSize).toBe(1)
  })

  test('takes no context for its own that only looks like one', async () => {
    const { contextId } = await begin(message10([ask]))
    expect((await ask10('ListTasks', { contextId })).result.totalSize).toBe(1)
    const last = contextId.endsWith('A') ? 'B' : 'A'
    const forged = contextId.slice(0, -1) + last
    await begin(message10([ask], { contextId: forged }))
    expect((await ask10('ListTasks', { contextId: forged })).result.totalSize).toBe(0)
  })

  test('lists in a context that an answer without a task named', async () => {
    const { contextId } = (await ask10('SendMessage', message10(['hello']))).result.message
    const { id } = await begin(message10([ask], { contextId }))
    expect(
      (await ask10('ListTasks', { contextId })).result.tasks.map((task: { id: string }) => task.id),
    ).toEqual([id])
  })

  test('pages newest first, each task once', async () => {
    const { id: first, contextId } = await begin(message10([ask]))
    const ids: string[] = [first]
    for (let n = 0; n < 6; n++) {
      clock = new Date(clock.getTime() + 1_000)
      ids.unshift((await begin(message10([ask], { contextId }))).id)
    }
    const seen: string[] = []
    let pageToken = ''
    do {
      const { result } = await ask10('ListTasks', { contextId, pageSize: 3, pageToken })
      expect(result).toMatchObject({ pageSize: 3, totalSize: 7 })
      seen.push(...result.tasks.map(({ id }: { id: string }) => id))
      pageToken = result.nextPageToken
    } while (pageToken !== '' && seen.length < 20)
    expect(seen).toEqual(ids)
  })

  test('filters by state and by time, and shows artifacts and history as asked', async () => {
    clock = new Date(clock.getTime() + 60_000)
    const contextId = 'filters'
    const done = await begin({ ...message10([{ skill: 'manage' }], { contextId }), ...later }, ada)
    await vi.waitFor(async () => expect(await stateOf(done.id, ada)).toBe('TASK_STATE_COMPLETED'))
    const since = clock.toISOString()
    clock = new Date(clock.getTime() + 60_000)
    const open = await begin(message10([ask], { contextId }), ada)
    const list = async (filter: object) => (await ask10('ListTasks', filter, ada)).result
    const ids = async (filter: object) => (await list(filter)).tasks.map(({ id }: { id: string }) => id)
    expect(await ids({ contextId })).toEqual([open.id, done.id])
    expect(await ids({ contextId, status: 'TASK_STATE_COMPLETED' })).toEqual([done.id])
    expect(await ids({ status: 'TASK_STATE_COMPLETED' })).toContain(done.id)
    expect(await ids({ contextId, status: 'TASK_STATE_REJECTED' })).toEqual([])
    expect(await ids({ contextId, status: 'TASK_STATE_UNSPECIFIED' })).toHaveLength(2)
    expect(await ids({ contextId, statusTimestampAfter: since })).toHaveLength(2)
    expect(await ids({ contextId, statusTimestampAfter: clock.toISOString() })).toEqual([open.id])
    const [plain] = (await list({ contextId, status: 'TASK_STATE_COMPLETED', historyLength: 0 })).tasks
    expect([plain.artifacts, plain.history]).toEqual([undefined, undefined])
    const full = (await list({ contextId, status: 'TASK_STATE_COMPLETED', includeArtifacts: true })).tasks[0]
    expect([full.artifacts.length, full.history.length]).toEqual([1, 1])
  })

  test.each([{ pageSize: -1 }, { pageSize: 1.5 }, { statusTimestampAfter: 'yesterday' }, { pageToken: 5 }])(
    'refuses %j',
    async bad => {
      expect((await ask10('ListTasks', { contextId: 'c', ...bad })).error.code).toBe(-32602)
    },
  )

  test('refuses a page token that it did not give', async () => {
    const { contextId } = await begin(message10([ask]))
    expect((await ask10('ListTasks', { contextId, pageToken: 'forged' })).error.code).toBe(-32602)
  })

  test('caps a page at 100 and takes 0 as unset', async () => {
    expect((await ask10('ListTasks', { contextId: 'c', pageSize: 5_000 })).result.pageSize).toBe(100)
    expect((await ask10('ListTasks', { contextId: 'c', pageSize: 0 })).result.pageSize).toBe(50)
  })
})
