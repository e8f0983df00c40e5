import { beforeEach, describe, expect, test, vi } from 'vitest'
import { toIdentity } from '../../a2a-adapter/caller.ts'
import { sendMessage } from '../../a2a-adapter/operations.ts'
import { compileSkills } from '../../a2a-adapter/skills/choose.ts'
import { openContexts } from '../../a2a-adapter/tasks/context.ts'
import { taskRows } from '../../a2a-adapter/tasks/row.ts'
import { openTaskStore } from '../../a2a-adapter/tasks/store.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { opened } from '../opened.ts'
import { fixture, fixtureGate, paid, required, runs } from './fixture.ts'
import { message03, message10, rpc, serve, v1 } from './serve.ts'

const gate = fixtureGate()
const served = opened(() => serve([fixture], { gate }))
beforeEach(() => {
  runs.paid = 0
  gate.seen.length = 0
})

const quoted = { ...required, resource: { url: 'a2a://fixture/consult' } }
const ask = { skill: 'consult', question: 'why?' }
let nonces = 0
const payload = () => ({
  x402Version: 2,
  accepted: required.accepts[0],
  payload: { nonce: `nonce-of-payment-${++nonces}` },
})
const paying = (taskId: string, proof: object, more: object = {}) => ({
  taskId,
  metadata: { 'x402.payment.status': 'payment-submitted', 'x402.payment.payload': proof, ...more },
})
const send03 = async (params: object, headers = {}) =>
  (await served.post('/fixture/', rpc('message/send', params), headers)).body
const send10 = async (params: object, headers = {}) =>
  (await served.post('/fixture/', rpc('SendMessage', params), { ...v1, ...headers })).body

describe('an unpaid call', () => {
  test('becomes a task that waits, with the quote as metadata, as data and in words', async () => {
    const { result } = await send03(message03([ask]))
    expect(result).toMatchObject({ kind: 'task', status: { state: 'input-required' } })
    const { metadata, parts } = result.status.message
    expect(metadata).toEqual({ 'x402.payment.status': 'payment-required', 'x402.payment.required': quoted })
    expect(parts[1].data).toEqual(quoted)
    expect(parts[0].text).toContain(`POST ${served.url}/fixture/tools/consult`)
    expect(runs.paid).toBe(0)
  })

  test('is quoted again when the client just talks', async () => {
    const { task } = (await send10(message10([ask]))).result
    const again = (await send10(message10(['how much?'], { taskId: task.id }))).result.task
    expect(again).toMatchObject({ id: task.id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } })
    expect(again.status.message.metadata['x402.payment.required']).toEqual(quoted)
  })

  test('without a store is an error', async () => {
    const bare = await serve([fixture], { gate, ports: { store: undefined } as never })
    const { body } = await bare.post('/fixture/', rpc('message/send', message03([ask])))
    expect(body.error.code).toBe(-31402)
    await bare.stop().catch(() => undefined)
  })
})

describe('a payment', () => {
  test('goes on with the stored tool and input, and completes the task with artifacts and a receipt (0.3)', async () => {
    const { result: task } = await send03(message03([ask]))
    const proof = payload()
    const { result } = await send03(message03(['pay'], paying(task.id, proof)))
    expect(result).toMatchObject({
      kind: 'task',
      id: task.id,
      contextId: task.contextId,
      status: { state: 'completed' },
    })
    expect(result.status.message.metadata).toEqual({
      'x402.payment.status': 'payment-completed',
      'x402.payment.receipts': [
        {
          success: true,
          transaction: '0xabc',
          network: 'eip155:8453',
          payer: '0x02',
          receipt: 'r1',
          method: 'test',
        },
      ],
    })
    expect(result.artifacts[0].parts).toEqual([
      { kind: 'text', text: 'The answer is why? because.' },
      { kind: 'data', data: { answer: 'why? because' } },
    ])
    expect(gate.seen).toEqual([proof])
    expect(result.history.map(({ role }: { role: string }) => role)).toEqual(['user', 'agent', 'user'])
  })

  test('does so in 1.0, and the answer can be read again', async () => {
    const { task } = (await send10(message10([ask]))).result
    const { result } = await send10(message10(['pay'], paying(task.id, payload())))
    expect(result.task.status.state).toBe('TASK_STATE_COMPLETED')
    const { body } = await served.post('/fixture/', rpc('GetTask', { id: task.id }), v1)
    expect(body.result.artifacts).toEqual(result.task.artifacts)
    expect((await send10(message10(['more'], paying(task.id, payload())))).error.code).toBe(-32004)
    expect(runs.paid).toBe(1)
  })

  test('is never stored', async () => {
    const { task } = (await send10(message10([ask]))).result
    const proof = payload()
    await send10(message10(['pay'], paying(task.id, proof)))
    const row = await taskRows(served.world.ports.store as Store).get(task.id)
    expect(JSON.stringify(row)).not.toContain(proof.payload.nonce)
    expect(row?.history.at(-1)?.metadata).toEqual({ 'x402.payment.status': 'payment-submitted' })
  })

  test('that is used already fails the task with the code of the extension', async () => {
    const proof = payload()
    const first = (await send10(message10([ask]))).result.task
    await send10(message10(['pay'], paying(first.id, proof)))
    const second = (await send10(message10([ask]))).result.task
    const { result } = await send10(message10(['pay'], paying(second.id, proof)))
    expect(result.task.status.state).toBe('TASK_STATE_FAILED')
    expect(result.task.status.message.metadata).toEqual({
      'x402.payment.status': 'payment-failed',
      'x402.payment.error': 'DUPLICATE_NONCE',
      'x402.payment.receipts': [
        { success: false, errorReason: 'nonce_already_used', network: 'eip155:8453', transaction: '' },
      ],
    })
    expect(runs.paid).toBe(1)
  })

  test('whose work fails ends the task without blaming the payment', async () => {
    const { task } = (await send10(message10([{ ...ask, question: 'break' }]))).result
    const { result } = await send10(message10(['pay'], paying(task.id, payload())))
    expect(result.task.status.state).toBe('TASK_STATE_FAILED')
    expect(result.task.status.message.metadata).toBeUndefined()
    expect(result.task.status.message.parts[0].text).toContain('does not pay twice')
  })

  test('sent many times at once runs the tool once', async () => {
    const { world } = served
    const { task } = (await send10(message10([ask]))).result
    const contexts = openContexts(world)
    const taskStore = openTaskStore(world, fixture, contexts)
    const deps = { world, skills: compileSkills(fixture), taskStore, contexts }
    const request = { method: 'POST', url: '/', headers: {}, digest: () => '' }
    const evidence = {
      credentials: {},
      request,
      payment: { headers: {}, meta: {} },
      idempotencyKey: undefined,
      client: '192.0.2.1',
    }
    const who = toIdentity(world, fixture, evidence)
    const params = message10(['pay'], paying(task.id, payload()))
    const gone = () => new AbortController().signal
    const once = () =>
      sendMessage(deps, { version: '0.3', params, evidence, identity: who, gone }) as Promise<{
        status: { state: string }
      }>
    const states = (await Promise.all(Array.from({ length: 8 }, once))).map(({ status }) => status.state)
    expect([runs.paid, gate.seen.length]).toEqual([1, 1])
    expect(states.sort()).toEqual(['completed', ...Array(7).fill('working')])
  })

  test('can come with the first message, and with the HTTP header', async () => {
    const direct = await send10(message10([ask], paying('', payload())))
    expect(direct.result.message.metadata['x402.payment.status']).toBe('payment-completed')
    expect(direct.result.message.parts[1].data).toEqual({ answer: 'why? because' })
    const header = await send10(message10([ask]), { 'payment-signature': 'encoded' })
    expect(header.result.message.parts[1].data).toEqual({ answer: 'why? because' })
    expect(gate.seen.at(-1)).toBe('encoded')
  })

  test('can be made in the background', async () => {
    const { task } = (await send10(message10([ask]))).result
    const params = {
      ...message10(['pay'], paying(task.id, payload())),
      configuration: { returnImmediately: true },
    }
    expect((await send10(params)).result.task.status.state).toBe('TASK_STATE_WORKING')
    await vi.waitFor(async () => {
      const { body } = await served.post('/fixture/', rpc('GetTask', { id: task.id }), v1)
      expect(body.result.status.state).toBe('TASK_STATE_COMPLETED')
    })
  })

  test('that is declined cancels the task', async () => {
    const { task } = (await send10(message10([ask]))).result
    const metadata = { 'x402.payment.status': 'payment-rejected' }
    const { result } = await send10(message10(['no'], { taskId: task.id, metadata }))
    expect(result.task.status).toMatchObject({ state: 'TASK_STATE_CANCELED', message: { metadata } })
  })

  test.each(['text', 5, [1], { big: 'x'.repeat(70_000) }])('that is no payload is -32602', async bad => {
    const { task } = (await send10(message10([ask]))).result
    expect((await send10(message10(['pay'], paying(task.id, bad as object)))).error.code).toBe(-32602)
  })

  test('that is under way cannot be canceled', async () => {
    const { task } = (await send10(message10([ask]))).result
    const rows = taskRows(served.world.ports.store as Store)
    await rows.update(task.id, row => ({ ...row, state: 'working', paying: true }))
    const { body } = await served.post('/fixture/', rpc('CancelTask', { id: task.id }), v1)
    expect(body.error.code).toBe(-32002)
  })
})

describe('the x402 extension', () => {
  const v02 = 'https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2'
  const v01 = 'https://github.com/google-a2a/a2a-x402/v0.1'

  test.each(['A2A-Extensions', 'X-A2A-Extensions'])(
    'is echoed in %s with each URI that is asked for',
    async name => {
      const ask = async (uris: string) =>
        (
          await served.post('/fixture/', rpc('message/send', message03(['help'])), { [name]: uris })
        ).headers.get(name)
      expect(await ask(v01)).toBe(v01)
      expect(await ask(`${v01}, ${v02}`)).toBe(`${v02}, ${v01}`)
      expect(await ask('https://unknown.example/x')).toBeNull()
      expect(await ask(`${served.url}/fixture/extensions/own/v1`)).toBe(
        `${served.url}/fixture/extensions/own/v1`,
      )
    },
  )

  test('is not active where nothing can be paid', async () => {
    const poor = await serve([fixture])
    const answer = await poor.post('/fixture/', rpc('message/send', message03(['help'])), {
      'A2A-Extensions': v01,
    })
    expect(answer.headers.get('a2a-extensions')).toBeNull()
    await poor.stop()
  })
})

test('what is shown once is told with the paid answer and stored nowhere', async () => {
  const keyed = { ...paid, name: 'consult', secret: true as const }
  const own = await serve(
    [{ ...fixture, tools: [keyed, ...fixture.tools.filter(({ name }) => name !== 'consult')] }],
    {
      gate: fixtureGate(),
    },
  )
  const ask10 = async (method: string, params: object) =>
    (await own.post('/fixture/', rpc(method, params), v1)).body
  const { task } = (await ask10('SendMessage', message10([ask]))).result
  const done = (await ask10('SendMessage', message10(['paid'], paying(task.id, payload())))).result.task
  expect(JSON.stringify(done.artifacts)).toContain('why? because')
  const later = (await ask10('GetTask', { id: task.id })).result
  expect(later.status.state).toBe('TASK_STATE_COMPLETED')
  expect(JSON.stringify(later.artifacts ?? [])).not.toContain('because')
  await own.stop()
})
