import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { sweepTasks } from '../../a2a-adapter/index.ts'
import { type TaskRow, taskRows } from '../../a2a-adapter/tasks/row.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { fixture, fixtureGate, proofs, slow } from './fixture.ts'
import { message03, message10, rpc, type Served, serve, v1 } from './serve.ts'

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
const bob = { authorization: 'Bearer bob' }
const later = { configuration: { returnImmediately: true } }
const ask = { skill: 'consult', question: 'why?' }
const store = () => served.world.ports.store as Store
const ask10 = async (method: string, params: object, headers = {}) =>
  (await served.post('/fixture/', rpc(method, params), { ...v1, ...headers })).body
const begin = async (params: object, headers = {}) =>
  (await ask10('SendMessage', params, headers)).result.task
const stateOf = async (id: string, headers = {}) =>
  (await ask10('GetTask', { id }, headers)).result.status.state

describe('a client that wants a task at once', () => {
  test.each([
    [
      '1.0 returnImmediately',
      'SendMessage',
      { ...message10([{ skill: 'dns-lookup', domain: 'x' }]), ...later },
      v1,
    ],
    [
      '0.3 blocking: false',
      'message/send',
      { ...message03([{ skill: 'dns-lookup', domain: 'x' }]), configuration: { blocking: false } },
      {},
    ],
  ])('gets one with %s, and its artifact later', async (_, method, params, headers) => {
    const { body } = await served.post('/fixture/', rpc(method, params), headers)
    const task = body.result.task ?? body.result
    expect(task.status.state).toMatch(/working/i)
    expect(task.id).toMatch(/^[0-9a-f]{32}$/)
    await vi.waitFor(async () => expect(await stateOf(task.id)).toBe('TASK_STATE_COMPLETED'))
    const { result } = await ask10('GetTask', { id: task.id })
    expect(result.artifacts).toEqual([
      {
        artifactId: expect.any(String),
        name: 'dns-lookup',
        parts: [
          { text: 'Tool dns-lookup' },
          { data: { tool: 'dns-lookup', input: { domain: 'x' } }, mediaType: 'application/json' },
        ],
      },
    ])
  })

  test('gets a message all the same where the text selects no skill', async () => {
    expect((await ask10('SendMessage', { ...message10(['hello']), ...later })).result.message.role).toBe(
      'ROLE_AGENT',
    )
  })

  test('sees a failure as a failed task with the problem', async () => {
    const { id } = await begin({ ...message10([{ skill: 'fail', code: 'not_found' }]), ...later })
    await vi.waitFor(async () => expect(await stateOf(id)).toBe('TASK_STATE_FAILED'))
    const { parts } = (await ask10('GetTask', { id })).result.status.message
    expect(parts[0].text).toBe('It failed with not_found.')
    expect(parts[1].data.code).toBe('not_found')
  })

  test('sees a call that must be paid as one that waits for input', async () => {
    const { id } = await begin({ ...message10([ask]), ...later })
    await vi.waitFor(async () => expect(await stateOf(id)).toBe('TASK_STATE_INPUT_REQUIRED'))
    const { message } = (await ask10('GetTask', { id })).result.status
    expect(message.metadata['x402.payment.required'].x402Version).toBe(2)
  })

  test('cannot make the store hold what it cannot hold', async () => {
    const params = { ...message10([{ skill: 'dns-lookup', domain: 'a\0b' }]), ...later }
    expect((await ask10('SendMessage', params)).error.code).toBe(-32602)
  })

  test('may start 120 a minute', async () => {
    const tight = await serve([fixture])
    const send = () =>
      tight.post('/fixture/', rpc('SendMessage', { ...message10([{ skill: 'manage' }]), ...later }), v1)
    const answers = await Promise.all(Array.from({ length: 121 }, send))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
    await tight.stop()
  })
})

describe('cancel', () => {
  test('aborts the handler, and the task stays canceled', async () => {
    const aborted = slow.aborted
    const { id } = await begin({ ...message10([{ skill: 'wait' }]), ...later })
    await vi.waitFor(() => expect(slow.started).toBeGreaterThan(0))
    expect((await ask10('CancelTask', { id })).result.status.state).toBe('TASK_STATE_CANCELED')
    await vi.waitFor(() => expect(slow.aborted).toBe(aborted + 1))
    slow.finish()
    expect(await stateOf(id)).toBe('TASK_STATE_CANCELED')
  })

  test('once more returns the canceled task; a completed one is -32002', async () => {
    const { id } = await begin(message10([ask]))
    await ask10('CancelTask', { id })
    expect((await ask10('CancelTask', { id })).result.status.state).toBe('TASK_STATE_CANCELED')
    const done = await begin({ ...message10([{ skill: 'manage' }]), ...later })
    await vi.waitFor(async () => expect(await stateOf(done.id)).toBe('TASK_STATE_COMPLETED'))
    const { error } = await ask10('CancelTask', { id: done.id })
    expect([error.code, error.data[0].reason]).toEqual([-32002, 'TASK_NOT_CANCELABLE'])
  })

  test('and completion at the same time have one winner, in the answer and in the store', async () => {
    for (let round = 0; round < 30; round++) {
      const before = slow.started
      const { id } = await begin({ ...message10([{ skill: 'wait' }]), ...later })
      await vi.waitFor(() => expect(slow.started).toBe(before + 1))
      const cancel = ask10('CancelTask', { id })
      setTimeout(slow.finish, round % 5)
      const answer = await cancel
      await vi.waitFor(async () => expect(await stateOf(id)).not.toBe('TASK_STATE_WORKING'))
      const end = await stateOf(id)
      expect(end).toBe(answer.error ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_CANCELED')
    }
  })
})

describe('a task belongs to its caller', () => {
  test('who alone can read, cancel, continue and list it', async () => {
    const { id, contextId } = await begin(message10([ask]), ada)
    for (const headers of [{}, bob]) {
      expect((await ask10('GetTask', { id }, headers)).error.code).toBe(-32001)
      expect((await ask10('CancelTask', { id }, headers)).error.code).toBe(-32001)
      expect((await ask10('SendMessage', message10(['x'], { taskId: id }), headers)).error.code).toBe(-32001)
      expect((await ask10('ListTasks', { contextId }, headers)).result.totalSize).toBe(0)
    }
    expect(await stateOf(id, ada)).toBe('TASK_STATE_INPUT_REQUIRED')
    expect((await ask10('ListTasks', { contextId }, ada)).result.totalSize).toBe(1)
  })

  test('a task of nobody is read by whoever has its id', async () => {
    const { id } = await begin(message10([ask]))
    expect(await stateOf(id, ada)).toBe('TASK_STATE_INPUT_REQUIRED')
  })

  test('a task of another service does not exist here', async () => {
    const both = await serve([fixture, { ...fixture, slug: 'other' }], { gate: fixtureGate() })
    const sent = await both.post('/other/', rpc('SendMessage', message10([ask])), v1)
    const { id, contextId } = sent.body.result.task
    expect((await both.post('/fixture/', rpc('GetTask', { id }), v1)).body.error.code).toBe(-32001)
    expect((await both.post('/fixture/', rpc('ListTasks', { contextId }), v1)).body.result.totalSize).toBe(0)
    expect((await both.post('/other/', rpc('GetTask', { id }), v1)).body.result.id).toBe(id)
    await both.stop()
  })

  test('a wrong credential is refused, not taken for nobody', async () => {
    const { id } = await begin(message10([ask]), ada)
    const answer = await served.post('/fixture/', rpc('GetTask', { id }), {
      ...v1,
      authorization: 'Bearer eve',
    })
    expect([answer.status, answer.body.error.code]).toEqual([401, -32000])
    const nobodys = await begin(message10([ask]))
    const eve = { ...v1, authorization: 'Bearer eve' }
    expect((await served.post('/fixture/', rpc('GetTask', { id: nobodys.id }), eve)).status).toBe(401)
  })

  test('a credential is proven once a request, for a signature may be valid once', async () => {
    const before = proofs.count
    await begin(message10([ask]), ada)
    await begin({ ...message10([{ skill: 'manage' }]), ...later }, ada)
    expect(proofs.count).toBe(before + 2)
  })
})

describe('a message to a task', () => {
  test('of another context is -32602', async () => {
    const { id } = await begin(message10([ask], { contextId: 'mine' }))
    const { error } = await ask10('SendMessage', message10(['x'], { taskId: id, contextId: 'other' }))
    expect(error.code).toBe(-32602)
  })

  test('that is over is -32004', async () => {
    const { id } = await begin(message10([ask]))
    await ask10('CancelTask', { id })
    expect((await ask10('SendMessage', message10(['x'], { taskId: id }))).error.code).toBe(-32004)
  })

  test('that is being worked on is -32004', async () => {
    const { id } = await begin({ ...message10([{ skill: 'wait' }]), ...later })
    expect((await ask10('SendMessage', message10(['x'], { taskId: id }))).error.code).toBe(-32004)
    await ask10('CancelTask', { id })
  })
})

describe('time', () => {
  const dead = async (): Promise<TaskRow> => {
    const { id } = await begin(message10([ask]))
    const deadline = new Date(clock.getTime() + 1_000).toISOString()
    const row = await taskRows(store()).update(id, before => ({ ...before, state: 'working', deadline }))
    if (!row) throw new Error('the task is there')
    return row
  }

  test('ends work whose process died: failed when it is read, failed in the store after the job', async () => {
    const { id } = await dead()
    expect(await stateOf(id)).toBe('TASK_STATE_WORKING')
    clock = new Date(clock.getTime() + 2_000)
    expect(await stateOf(id)).toBe('TASK_STATE_FAILED')
    expect((await ask10('CancelTask', { id })).error.code).toBe(-32002)
    expect((await taskRows(store()).get(id))?.state).toBe('working')
    await sweepTasks.run({
      store: store(),
      clock: { now: () => clock },
      signal: new AbortController().signal,
    })
    expect((await taskRows(store()).get(id))?.state).toBe('failed')
    expect((await ask10('GetTask', { id })).result.status.message.parts[0].text).toContain('interrupted')
  })

  test.each([
    ['of nobody 15 minutes', {}, 15 * 60_000],
    ['of a known caller seven days', ada, 7 * 86_400_000],
  ])('drops a task %s after its last change', async (_, headers, time) => {
    const { id } = await begin(message10([ask]), headers)
    const sweep = () =>
      sweepTasks.run({ store: store(), clock: { now: () => clock }, signal: new AbortController().signal })
    clock = new Date(clock.getTime() + time - 1_000)
    await sweep()
    expect(await stateOf(id, headers)).toBe('TASK_STATE_INPUT_REQUIRED')
    clock = new Date(clock.getTime() + 2_000)
    expect((await ask10('GetTask', { id }, headers)).error.code).toBe(-32001)
    expect(await taskRows(store()).get(id)).toBeDefined()
    await sweep()
    expect(await taskRows(store()).get(id)).toBeUndefined()
  })
})
