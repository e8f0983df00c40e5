import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { a2aRoutes } from '../../a2a-adapter/index.ts'
import type { Challenge } from '../../mcp/payment/dialects/payment/challenge.ts'
import { claimReceipt } from '../../mcp/payment/gate/claim.ts'
import { loadReceipt } from '../../mcp/payment/gate/receipt.ts'
import { mcpRoutes } from '../../mcp/server/index.ts'
import { collectRoute } from '../../rest-adapter/collect.ts'
import { restRoutes } from '../../rest-adapter/index.ts'
import { receiptRoutes } from '../../rest-adapter/receipts.ts'
import { openShell } from '../../web/shell.ts'
import { message10, rpc, v1 } from '../a2a/serve.ts'
import { listen } from '../listen.ts'
import { ask as askMcp, callTool, eras, post as postMcp, requestOf } from '../mcp/wire.ts'
import { post } from '../rest/server.ts'
import { openFakeMethod, pay } from './fake-method.ts'
import { openPaid, type Paid } from './gate-fixture.ts'
import { answerChallenge } from './payment-scheme.ts'
import type { Requirements as Offer } from './x402.ts'

let paid: Paid
let url = ''
let stop: () => Promise<void>
beforeEach(async () => {
  paid = await openPaid()
  const { world, holder, store } = paid
  const claim: Parameters<typeof receiptRoutes>[0]['claim'] = (id, signature, address) =>
    claimReceipt(
      { store, methods: [openFakeMethod(paid.chain)], now: () => new Date() },
      id,
      signature,
      address,
    )
  const notRefunded = () => Promise.reject(new Error('nothing is refunded here'))
  const server = await listen([
    {
      prefix: '',
      routes: [
        ...receiptRoutes({ read: id => loadReceipt(store, id), claim, refund: notRefunded }, openShell()),
        collectRoute(world, [holder]),
      ],
    },
    {
      prefix: '/fixture',
      routes: [
        ...restRoutes(world, holder),
        ...mcpRoutes(world, holder, { shim: false, onClient: () => undefined }),
        ...a2aRoutes(world, holder),
      ],
    },
  ])
  url = server.url
  stop = server.stop
})
afterEach(async () => {
  await stop()
  await paid.stop()
})

const text64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
const json64 = (value: string | null) => JSON.parse(Buffer.from(value ?? '', 'base64').toString())
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
const readBody = async (response: Response): Promise<any> => response.json()
const sign = (offer: Offer, from = paid.chain.payer()) => pay(paid.chain, from, offer)

describe('over REST', () => {
  const feed = (headers = {}, name = 'feed') => post(`${url}/fixture/tools/${name}`, { cat: 'Mia' }, headers)
  const payment = async (name = 'feed') =>
    sign((await readBody(await feed({}, name))).paymentRequired.accepts[0])

  test('a call is quoted in header and body, paid, and has a receipt for everybody who knows its id', async () => {
    const unpaid = await feed()
    expect(unpaid.status).toBe(402)
    expect(unpaid.headers.get('content-type')).toBe('application/problem+json')
    const { paymentRequired: quote, ...problem } = await readBody(unpaid)
    expect(problem).toMatchObject({ code: 'payment_required', detail: expect.stringContaining('0.10 USDC') })
    expect(json64(unpaid.headers.get('payment-required'))).toEqual(quote)
    expect(quote).toMatchObject({
      x402Version: 2,
      error: 'Payment required',
      resource: { url: expect.any(String) },
    })
    const response = await feed({ 'payment-signature': text64(sign(quote.accepts[0])) })
    expect([response.status, await response.json()]).toEqual([200, { said: 'feed Mia', run: 1 }])
    const receipt = json64(response.headers.get('payment-response'))
    expect(receipt).toMatchObject({ success: true, network: 'eip155:84532', transaction: expect.any(String) })
    const record = await (await fetch(`${url}/receipts/${receipt.receipt}`)).json()
    expect(record).toMatchObject({ state: 'done', transaction: receipt.transaction, amount: '100000' })
    expect((await fetch(`${url}/receipts/${'0'.repeat(32)}`)).status).toBe(404)
  })

  test('a slow confirmation is 202 with Retry-After, then 200', async () => {
    const header = { 'payment-signature': text64(await payment()) }
    paid.chain.slow = true
    const pending = await feed(header)
    expect([pending.status, pending.headers.get('retry-after')]).toEqual([202, '2'])
    expect(json64(pending.headers.get('payment-response'))).toMatchObject({
      success: false,
      errorReason: 'settlement_pending',
      transaction: expect.stringMatching(/^0x/),
    })
    expect(pending.headers.get('payment-required')).toBeNull()
    paid.chain.confirm()
    expect((await feed(header)).status).toBe(200)
  })

  test('whoever has the Location of a 202 collects the answer by GET: once run, and the same as the call has', async () => {
    const header = { 'payment-signature': text64(await payment()) }
    paid.chain.slow = true
    const [pending, again] = [await feed(header), await feed(header)]
    const location = pending.headers.get('location') ?? ''
    expect(again.headers.get('location')).toBe(location)
    expect((await readBody(again)).params.collect).toBe(location)
    const collect = `${url}${new URL(location).pathname}`
    const waiting = await fetch(collect)
    expect([waiting.status, waiting.headers.get('retry-after'), waiting.headers.get('location')]).toEqual([
      202,
      '2',
      location,
    ])
    expect(paid.knobs.runs).toBe(0)
    // Nothing of the handle is in the store, nor the input in clear.
    const indexes = [{ name: 'until', fields: ['until'] }]
    const rows = await paid.store.transaction(tx =>
      tx.collection('payment.calls', indexes).find({ index: 'until', limit: 10 }),
    )
    expect(rows.rows).toHaveLength(1)
    expect(JSON.stringify(rows.rows)).not.toMatch(new RegExp(`Mia|${location.slice(-43)}`))
    paid.chain.confirm()
    const [one, two] = await Promise.all([fetch(collect), fetch(collect)])
    const answers = [one.status === 200 ? one : two, await fetch(collect), await feed(header)]
    for (const answer of answers)
      expect([answer.status, await readBody(answer)]).toEqual([200, { said: 'feed Mia', run: 1 }])
    expect(json64(answers[1]?.headers.get('payment-response') ?? null)).toMatchObject({ success: true })
    expect(paid.knobs.runs).toBe(1)
    expect((await fetch(`${collect.slice(0, -1)}_`)).status).toBe(404)
    expect((await fetch(`${url}/payments/x`)).status).toBe(404)
  })

  test('a refusal is 402 with the reason, a stranger tool 409, a broken handler 500 with the receipt', async () => {
    const good = await payment()
    const forgedPayment = { ...good, payload: { ...good.payload, signature: '00' } }
    const refusal = await feed({ 'payment-signature': text64(forgedPayment) })
    expect([refusal.status, (await readBody(refusal)).reason]).toEqual([402, 'invalid_signature'])
    expect(json64(refusal.headers.get('payment-response'))).toMatchObject({ success: false })
    paid.knobs.fail = new Error('secret detail')
    const failure = await feed({ 'payment-signature': text64(good) })
    expect([failure.status, json64(failure.headers.get('payment-response')).success]).toEqual([500, true])
    expect(await failure.text()).not.toContain('secret')
    expect((await feed({ 'payment-signature': text64(good) }, 'groom')).status).toBe(409)
    paid.knobs.fail = undefined
    expect((await feed({ 'payment-signature': text64(good) })).status).toBe(200)
  })

  test('an Idempotency-Key keeps neither an unpaid answer nor the failure of a paid one', async () => {
    const header = { 'payment-signature': text64(await payment()), 'idempotency-key': 'k1' }
    paid.chain.slow = true
    expect((await feed(header)).status).toBe(202)
    paid.chain.confirm()
    const { ToolError } = await import('../../mcp/kernel/error.ts')
    paid.knobs.fail = new ToolError('not_found', 'no cat')
    expect((await feed(header)).status).toBe(404)
    paid.knobs.fail = undefined
    expect((await feed(header)).status).toBe(200)
    expect((await feed({ 'idempotency-key': 'k1' })).status).toBe(402)
    paid.chain.slow = true
    const look = { 'payment-signature': text64(await payment('look')), 'idempotency-key': 'k2' }
    expect((await feed(look, 'look')).status).toBe(202)
    expect((await feed({ 'idempotency-key': 'k2' }, 'look')).status).toBe(402)
  })
})

describe.each(eras)('over MCP of %s', era => {
  const feed = (payment?: object) =>
    callTool(
      `${url}/fixture/mcp`,
      era,
      'feed',
      { cat: 'Mia' },
      payment && { meta: { 'x402/payment': payment } },
    )

  test('a call is quoted, refused, confirmed late and answered', async () => {
    const { result: unpaid } = await feed()
    const quote = unpaid.structuredContent as { accepts: [Offer]; resource: { url: string } }
    expect([unpaid.isError, quote.resource.url]).toEqual([true, 'mcp://tool/feed'])
    expect(JSON.parse(unpaid.content[0]?.text ?? '')).toEqual(quote)
    const payment = sign(quote.accepts[0])
    const { result: refusal } = await feed({ ...payment, payload: { ...payment.payload, signature: '00' } })
    expect(refusal.structuredContent).toMatchObject({ error: 'invalid_exact_evm_payload_signature' })
    paid.chain.slow = true
    const { result: pending } = await feed(payment)
    expect([pending.isError, pending.structuredContent]).toEqual([true, undefined])
    expect(pending._meta?.['x402/payment-response']).toMatchObject({ errorReason: 'settlement_pending' })
    expect(JSON.parse(pending.content[0]?.text ?? '')).toMatchObject({
      code: 'payment_pending',
      retryable: true,
    })
    paid.chain.confirm()
    const { result } = await feed(payment)
    expect(result.structuredContent).toEqual({ said: 'feed Mia', run: 1 })
    expect(result._meta?.['x402/payment-response']).toMatchObject({ success: true })
  })
})

describe('the MCP extension org.x402/payment', () => {
  const capabilities = {
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'org.x402/payment': {} } },
  }
  const feed = (era: '2025' | '2026', meta: Record<string, unknown> = {}) =>
    callTool(`${url}/fixture/mcp`, era, 'feed', { cat: 'Mia' }, { meta })

  test('is announced, and answered in its own words to a request that advertises it', async () => {
    const { result: about } = await askMcp(`${url}/fixture/mcp`, '2026', 'server/discover')
    expect(about.capabilities).toMatchObject({ extensions: { 'org.x402/payment': {} } })
    const { result } = await feed('2026', capabilities)
    expect(result.resultType).toBe('payment_required')
    expect(result.paymentRequired).toEqual(result.structuredContent)
    const [offer] = (result.paymentRequired as { accepts: Offer[] }).accepts
    if (!offer) throw new Error('no offer')
    const paymentPayload = sign(offer)
    const { result: answer } = await feed('2026', {
      ...capabilities,
      'org.x402/payment': { paymentPayload },
    })
    expect(answer).toMatchObject({
      resultType: 'complete',
      structuredContent: { run: 1 },
      _meta: { 'org.x402/payment': { settlementResponse: { success: true } } },
    })
  })

  test('changes nothing for requests that do not, nor in the era before', async () => {
    for (const answer of [feed('2026'), feed('2025', capabilities)]) {
      const { result } = await answer
      expect(result.paymentRequired).toBeUndefined()
      expect(result).toMatchObject({ isError: true, structuredContent: { x402Version: 2 } })
      expect(result.resultType).not.toBe('payment_required')
    }
  })
})

describe('the Payment scheme on the HTTP request of MCP', () => {
  const header = async () => {
    const { result } = await callTool(`${url}/fixture/mcp`, '2025', 'feed', { cat: 'Mia' })
    const quote = (result._meta?.['org.paymentauth/payment-required'] ?? {}) as {
      challenges?: Challenge[]
    }
    const { challenges = [] } = quote
    const [challenge] = challenges
    if (!challenge) throw new Error('no challenge')
    const credential = answerChallenge(paid.chain, challenge, paid.chain.payer())
    return { authorization: `Payment ${Buffer.from(JSON.stringify(credential)).toString('base64url')}` }
  }

  test('pays one call', async () => {
    const more = { headers: await header() }
    const { result } = await callTool(`${url}/fixture/mcp`, '2025', 'feed', { cat: 'Mia' }, more)
    expect(result.structuredContent).toMatchObject({ run: 1 })
  })

  test('is refused on a batch, which it could pay any call of', async () => {
    const { body, headers } = requestOf('2025', 'tools/call', { name: 'feed', arguments: { cat: 'Mia' } })
    const batch = [body, { ...body, id: 8 }]
    const { status, message } = await postMcp(`${url}/fixture/mcp`, batch, {
      ...headers,
      ...(await header()),
    })
    expect([status, message.error?.message]).toEqual([400, expect.stringContaining('batch')])
    expect(paid.chain.debits()).toBe(0n)
  })
})

describe('over A2A', () => {
  const send = async (params: object) => {
    const response = await post(`${url}/fixture/a2a`, rpc('SendMessage', params), v1)
    return (await readBody(response)).result
  }
  const ask = { skill: 'feed', cat: 'Mia' }
  const paying = (taskId: string, payment: object) => ({
    ...(taskId !== '' && { taskId }),
    metadata: { 'x402.payment.status': 'payment-submitted', 'x402.payment.payload': payment },
  })
  const statusOf = (task: { status: { state: string; message: { metadata: Record<string, unknown> } } }) => [
    task.status.state,
    task.status.message.metadata['x402.payment.status'],
  ]

  test('a task asks for payment, is confirmed late and completes', async () => {
    const { task } = await send(message10([ask]))
    expect(statusOf(task)).toEqual(['TASK_STATE_INPUT_REQUIRED', 'payment-required'])
    const payment = sign(task.status.message.metadata['x402.payment.required'].accepts[0])
    paid.chain.slow = true
    const pending = (await send(message10(['pay'], paying(task.id, payment)))).task
    expect(statusOf(pending)).toEqual(['TASK_STATE_WORKING', 'payment-verified'])
    expect(statusOf((await send(message10(['pay'], paying(task.id, payment)))).task)).toEqual(
      statusOf(pending),
    )
    paid.chain.confirm()
    const done = (await send(message10(['pay'], paying(task.id, payment)))).task
    expect(statusOf(done)).toEqual(['TASK_STATE_COMPLETED', 'payment-completed'])
    expect(done.artifacts[0].parts[1].data).toEqual({ said: 'feed Mia', run: 1 })
    expect([paid.knobs.runs, paid.chain.debits()]).toEqual([1, 100_000n])
  })

  test('a payment with the first message that is confirmed late becomes a task', async () => {
    const { task } = await send(message10([ask]))
    const payment = sign(task.status.message.metadata['x402.payment.required'].accepts[0])
    paid.chain.slow = true
    const pending = (await send(message10([ask], paying('', payment)))).task
    expect(statusOf(pending)).toEqual(['TASK_STATE_WORKING', 'payment-verified'])
    paid.chain.confirm()
    const done = (await send(message10(['pay'], paying(pending.id, payment)))).task
    expect(statusOf(done)).toEqual(['TASK_STATE_COMPLETED', 'payment-completed'])
  })

  test.each([
    ['too_little', 'INVALID_AMOUNT', 'authorization_value_mismatch', { value: '1' }],
    ['too_much', 'INVALID_AMOUNT', 'authorization_value_mismatch', { value: '100001' }],
    ['not_yet_valid', 'EXPIRED_PAYMENT', 'authorization_valid_after', { validAfter: '99999999999' }],
  ])('a payment that is %s fails the task with %s', async (_, code, standard, more) => {
    const { task } = await send(message10([ask]))
    const [offer] = task.status.message.metadata['x402.payment.required'].accepts
    const payment = pay(paid.chain, paid.chain.payer(), offer, more)
    const failure = (await send(message10(['pay'], paying(task.id, payment)))).task
    expect(failure.status.message.metadata).toMatchObject({
      'x402.payment.status': 'payment-failed',
      'x402.payment.error': code,
      'x402.payment.receipts': [{ success: false, errorReason: `invalid_exact_evm_payload_${standard}` }],
    })
  })
})

test('one payload comes to one answer over all three transports', async () => {
  const quote = await post(`${url}/fixture/tools/feed`, { cat: 'Mia' })
  const payment = sign((await readBody(quote)).paymentRequired.accepts[0])
  const rest = post(`${url}/fixture/tools/feed`, { cat: 'Mia' }, { 'payment-signature': text64(payment) })
  const mcp = callTool(
    `${url}/fixture/mcp`,
    '2025',
    'feed',
    { cat: 'Mia' },
    { meta: { 'x402/payment': payment } },
  )
  const message = message10([{ skill: 'feed', cat: 'Mia' }], {
    metadata: { 'x402.payment.payload': payment },
  })
  const a2a = post(`${url}/fixture/a2a`, rpc('SendMessage', message), v1)
  const [one, two, three] = await Promise.all([rest, mcp, a2a])
  const answer = { said: 'feed Mia', run: 1 }
  expect(await one.json()).toEqual(answer)
  expect(two.result.structuredContent).toEqual(answer)
  expect((await readBody(three)).result.message.parts[1].data).toEqual(answer)
  expect([paid.knobs.runs, paid.chain.debits()]).toEqual([1, 100_000n])
})
