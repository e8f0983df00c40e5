import { afterEach, beforeEach, expect, test } from 'vitest'
import { a2aRoutes, confirmTasks } from '../../a2a-adapter/index.ts'
import { taskRows } from '../../a2a-adapter/tasks/row.ts'
import { paymentRows } from '../../mcp/payment/gate/record.ts'
import { listen } from '../listen.ts'
import { pay } from '../payment/fake-method.ts'
import { openPaid, type Paid } from '../payment/gate-fixture.ts'
import { answerChallenge } from '../payment/payment-scheme.ts'
import { post } from '../rest/server.ts'
import { message10, rpc, v1 } from './serve.ts'

let paid: Paid
let url = ''
let at = 0
let stop: () => Promise<void>
beforeEach(async () => {
  at = Date.parse('2026-11-22T12:00:00Z')
  paid = await openPaid({ clock: () => new Date(at) })
  const served = await listen([{ prefix: '/fixture', routes: a2aRoutes(paid.world, paid.holder) }])
  url = served.url
  stop = served.stop
})
afterEach(async () => {
  await stop()
  await paid.stop()
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
const call = async (method: string, params: object, headers = {}): Promise<any> => {
  const response = await post(`${url}/fixture/a2a`, rpc(method, params), { ...v1, ...headers })
  const { result } = (await response.json()) as { result: unknown }
  return result
}
const ask = { skill: 'feed', cat: 'Mia' }
const paying = (taskId: string, payload: object) => ({
  taskId,
  metadata: { 'x402.payment.status': 'payment-submitted', 'x402.payment.payload': payload },
})
const confirm = () => confirmTasks(paid.world, [paid.holder], new AbortController().signal)
const read = async (id: string) => (await call('GetTask', { id })) as { status: Status }
type Status = { state: string; message?: { metadata?: Record<string, unknown> } }
const told = ({ state, message }: Status) => [state, message?.metadata?.['x402.payment.status']]

const pending = async (headers = {}) => {
  const { task } = await call('SendMessage', message10([ask]), headers)
  const required = task.status.message.metadata['x402.payment.required']
  paid.chain.slow = true
  const signed = pay(paid.chain, paid.chain.payer(), {
    ...required.accepts[0],
    amount: required.accepts[0].amount ?? required.accepts[0].maxAmountRequired,
  })
  const payload =
    required.x402Version === 1
      ? { x402Version: 1, scheme: 'exact', network: required.accepts[0].network, payload: signed.payload }
      : signed
  const waiting = (await call('SendMessage', message10(['pay'], paying(task.id, payload)), headers)).task
  expect(told(waiting.status)).toEqual(['TASK_STATE_WORKING', 'payment-verified'])
  return waiting.id as string
}

const speaksV1 = { 'a2a-extensions': 'https://github.com/google-a2a/a2a-x402/v0.1' }

test.each([
  ['version 2', {}],
  ['version 1', speaksV1],
])(
  'a task whose payment is confirmed late completes while its client only reads it (%s)',
  async (_, headers) => {
    const id = await pending(headers)
    at += 4_000
    await confirm()
    expect(told((await read(id)).status)).toEqual(['TASK_STATE_WORKING', 'payment-verified'])
    paid.chain.confirm()
    await confirm()
    expect((await read(id)).status.state).toBe('TASK_STATE_WORKING')
    at += 5_000
    await confirm()
    const { status } = await read(id)
    expect(told(status)).toEqual(['TASK_STATE_COMPLETED', 'payment-completed'])
    const network = headers === speaksV1 ? 'base-sepolia' : 'eip155:84532'
    expect(status.message?.metadata?.['x402.payment.receipts']).toMatchObject([{ success: true, network }])
    at += 60_000
    await confirm()
    expect([paid.knobs.runs, paid.chain.debits()]).toEqual([1, 100_000n])
  },
)

test('it completes too when the reconciliation saw the money first', async () => {
  const id = await pending()
  paid.chain.confirm()
  await paid.gate.reconcile()
  const { rows } = await paymentRows(paid.store).find({ index: 'state', where: { state: 'owed' } })
  expect(rows).toHaveLength(1)
  at += 4_000
  await confirm()
  expect((await read(id)).status.state).toBe('TASK_STATE_COMPLETED')
  expect(paid.knobs.runs).toBe(1)
})

test('on two replicas at once it runs once', async () => {
  const id = await pending()
  paid.chain.confirm()
  at += 4_000
  await Promise.all([confirm(), confirm(), confirm()])
  expect((await read(id)).status.state).toBe('TASK_STATE_COMPLETED')
  expect(paid.knobs.runs).toBe(1)
})

test('the client may send its payment again all the same', async () => {
  const { task } = await call('SendMessage', message10([ask]))
  const [offer] = task.status.message.metadata['x402.payment.required'].accepts
  const payload = pay(paid.chain, paid.chain.payer(), offer)
  paid.chain.slow = true
  await call('SendMessage', message10(['pay'], paying(task.id, payload)))
  paid.chain.confirm()
  const done = (await call('SendMessage', message10(['pay'], paying(task.id, payload)))).task
  expect(told(done.status)).toEqual(['TASK_STATE_COMPLETED', 'payment-completed'])
  at += 60_000
  await confirm()
  expect(paid.knobs.runs).toBe(1)
})

test('what is asked in version 1 is its object, for a client that activates its extension', async () => {
  const required = async (headers: object) =>
    (await call('SendMessage', message10([ask]), headers)).task.status.message.metadata[
      'x402.payment.required'
    ]
  expect(await required(speaksV1)).toMatchObject({
    x402Version: 1,
    accepts: [{ network: 'base-sepolia', maxAmountRequired: '100000', resource: 'a2a://fixture/feed' }],
  })
  const v2 = 'https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2'
  const both = { 'a2a-extensions': `${speaksV1['a2a-extensions']}, ${v2}` }
  for (const headers of [{}, { 'a2a-extensions': v2 }, both])
    expect(await required(headers)).toMatchObject({ x402Version: 2 })
})

test('a payment of another dialect is confirmed, sent again and kept out of the store the same way', async () => {
  const { task } = await call('SendMessage', message10([ask]))
  const [challenge] = task.status.message.metadata['org.paymentauth/payment-required'].challenges
  const credential = answerChallenge(paid.chain, challenge, paid.chain.payer())
  const metadata = { 'org.paymentauth/credential': credential }
  const send = async () => (await call('SendMessage', message10(['pay'], { taskId: task.id, metadata }))).task
  paid.chain.slow = true
  expect((await send()).status.state).toBe('TASK_STATE_WORKING')
  expect((await send()).status.state).toBe('TASK_STATE_WORKING')
  const row = await taskRows(paid.store).get(task.id)
  expect(JSON.stringify(row)).not.toContain(credential.payload.signature)
  paid.chain.confirm()
  const { status } = await send()
  expect(status.state).toBe('TASK_STATE_COMPLETED')
  expect(status.message.metadata['org.paymentauth/receipt']).toMatchObject({
    method: 'evm',
    status: 'success',
  })
  expect([paid.knobs.runs, paid.chain.debits()]).toEqual([1, 100_000n])
})
