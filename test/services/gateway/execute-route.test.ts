// Real local chain payments and every step of an execution: about 10 CPU seconds.
import { createPublicKey, verify as verifySignature } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { encodeFunctionData, type Hex, parseSignature } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorizationAbi } from '../../../mcp/lib/evm-abi.ts'
import type { Chain } from '../../../mcp/ports/chain/port.ts'
import { openEvm } from '../../../mcp/ports/evm/evm.ts'
import type { Evm } from '../../../mcp/ports/evm/port.ts'
import type { Fetch } from '../../../mcp/ports/fetch/port.ts'
import type { Ports } from '../../../mcp/ports/ports.ts'
import type { Store } from '../../../mcp/ports/store/port.ts'
import { balanceOf, makePayer, onAnvil, openTestDevnet, signTerms } from '../../payment/evm-chain.ts'
import { openProbing, rpcPage } from './probing.ts'
import { cardAt, quoteOf, refused, startTown, type Town } from './town.ts'

type Answer = Record<string, never>
type Payload = Awaited<ReturnType<typeof signTerms>>
type Verdict = { canonical: string; signature: string }

const payTo = '0x1111111111111111111111111111111111111111'
const price = 10_000n
const generous = { max_cost: '0.05', authority: { budget: '1.00' }, accepted_licenses: ['MIT'] }
const schema = { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } }
const wanted = { schema, content_type: 'application/json' }
const good = JSON.stringify({ text: 'Guten Tag' })
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')

onAnvil('a bounded route', () => {
  let town: Town
  let chain: Chain
  let devnet: Awaited<ReturnType<typeof openTestDevnet>>
  let buyer: Awaited<ReturnType<typeof makePayer>>
  let facilitator: Awaited<ReturnType<typeof makePayer>>
  let bearer: string
  /** Signatures that providers were sent, one entry each time. */
  const received: string[] = []

  beforeAll(async () => {
    devnet = await openTestDevnet()
    chain = devnet.devnet.chain('base')
    ;[town, buyer, facilitator] = await Promise.all([startTown(), makePayer(chain), makePayer(chain, 0n)])
    const { rpc, generation } = await devnet.devnet.network('base')
    const evm = openEvm({
      rpc: { eth: [], base: [], arbitrum: [], optimism: [], polygon: [] },
      local: () => async () => ({ rpc, generation }),
    })
    const { fetch } = town.internet.ports({ timeouts: { headersMs: 1500 } })
    Object.assign(town.world.ports, { evm, fetch })
    bearer = await town.join()
  })
  afterAll(async () => {
    await town.stop()
    await devnet.close()
  })

  /** Takes a payment as a facilitator does: the transfer that was signed, on the chain. */
  const settle = async ({ payload }: Payload): Promise<Hex> => {
    const { authorization: a, signature } = payload as {
      authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>
      signature: Hex
    }
    const { r, s, v = 27n } = parseSignature(signature)
    const [value, after, before] = [a.value, a.validAfter, a.validBefore].map(BigInt) as [
      bigint,
      bigint,
      bigint,
    ]
    const args = [a.from as Hex, a.to as Hex, value, after, before, a.nonce as Hex, Number(v), r, s] as const
    const data = encodeFunctionData({
      abi: authorizationAbi,
      functionName: 'transferWithAuthorization',
      args,
    })
    const hash = await facilitator.send(data)
    await (await chain.reader()).waitForTransactionReceipt({ hash })
    return hash
  }

  const json = { 'content-type': 'application/json' }
  const ask402 = (response: ServerResponse, required: object) => {
    response.writeHead(402, { ...json, 'payment-required': encode(required) }).end(JSON.stringify(required))
  }

  type Behaviour = (payload: Payload, response: ServerResponse) => Promise<unknown>
  const delivers =
    (body: string, claim?: string): Behaviour =>
    async (payload, response) => {
      const transaction = claim ?? (await settle(payload))
      const header = encode({ success: true, transaction, network: 'eip155:8453' })
      response.writeHead(200, { ...json, 'payment-response': header }).end(body)
    }

  let named = 0
  /** A provider over HTTP; `live` is its 402 of now, which the test may change after the verdict. */
  const sell = (behave: Behaviour) => {
    const live = { required: quoteOf() as object }
    const host = `route-${++named}.example.com`
    town.internet.web.site(host, '/.well-known/agent-card.json', town.json(cardAt(host)))
    town.internet.web.site(host, '/work', (request: IncomingMessage, response: ServerResponse) => {
      const header = request.headers['payment-signature']
      if (typeof header !== 'string') return ask402(response, live.required)
      const payload = JSON.parse(Buffer.from(header, 'base64').toString()) as Payload
      received.push(String((payload.payload as { signature: string }).signature))
      behave(payload, response).catch(error => response.destroy(error as Error))
    })
    return { url: `https://${host}/work`, live }
  }

  const decide = async (url: string): Promise<Verdict> => {
    await openProbing(town).verify(url)
    const answer = await town.ask('pre_spend_preflight', {
      need: 'translation',
      candidate_identifier: url,
      ...generous,
    })
    expect(answer).toMatchObject({ verdict: 'GO', reason_codes: [] })
    return answer.signed as Verdict
  }

  const pay = () => signTerms(chain, buyer.account, quoteOf().accepts[0] as never)

  const execute = async ({ canonical, signature }: Verdict, more: object = {}, caller: object = {}) =>
    (await town.ask(
      'execute_route',
      { canonical, signature, request: {}, max_cost_usd: '0.01', expect: wanted, ...more },
      caller,
    )) as Answer

  /** The statement of a receipt, checked with the published key and nothing else. */
  const openOffline = async ({ receipt }: Answer): Promise<Record<string, unknown>> => {
    const { canonical, signature, kid } = receipt as unknown as Record<string, string>
    const { keys } = await town.sign.jwks()
    const key = (keys as { kid: string }[]).find(one => one.kid === kid)
    const isGood = verifySignature(
      null,
      Buffer.from(canonical ?? ''),
      createPublicKey({ key: key as never, format: 'jwk' }),
      Buffer.from(signature ?? '', 'base64url'),
    )
    expect(isGood).toBe(true)
    expect(await town.ask('verify_verdict', { canonical, signature })).toMatchObject({
      valid: true,
      expired: false,
    })
    return JSON.parse(canonical ?? '')
  }

  const spent = async <T>(work: () => Promise<T>) => {
    const before = await balanceOf(chain, buyer.address)
    const result = await work()
    return { result, usdc: before - (await balanceOf(chain, buyer.address)) }
  }

  describe('over HTTP', () => {
    test('is quoted, signed by its buyer, paid, verified, and never sent again', async () => {
      const { url } = sell(delivers(good))
      const verdict = await decide(url)
      const asked = await execute(verdict, {}, { credentials: { bearer } })
      expect(asked).toMatchObject({ decision: 'PAYMENT_REQUIRED', money_state: 'not_sent', receipt: null })
      const { typed_data, payment } = asked.to_sign as unknown as {
        typed_data: { domain: object; types: object; message: Record<string, string> }
        payment: { payload: { authorization: object } }
      }
      const message = { ...typed_data.message, from: buyer.address }
      const signature = await buyer.account.signTypedData({ ...typed_data, message } as never)
      const signed = { ...payment, payload: { authorization: message, signature } }
      const { result, usdc } = await spent(() => execute(verdict, { payment: signed }))
      expect(result).toMatchObject({
        decision: 'EXECUTED',
        outcome: 'verified',
        money_state: 'delivered',
        result: { text: good, content_type: 'application/json' },
        settlement: { state: 'settled' },
      })
      expect(usdc).toBe(price)
      const statement = await openOffline(result)
      expect(statement).toMatchObject({
        need: 'translation',
        quote: { amount: '10000', pay_to: payTo },
        payment: { from: buyer.address.toLowerCase(), digest: expect.stringMatching(/^sha256:/) },
        result: { sha256: expect.stringMatching(/^sha256:/) },
        refund: null,
        outcome: 'verified',
      })
      const again = await spent(() => execute(verdict, { payment: encode(signed) }))
      expect(again.result).toMatchObject({
        idempotent_replay: true,
        outcome: 'verified',
        money_state: 'delivered',
        result: { text: good },
      })
      expect(again.usdc).toBe(0n)
      expect(received.filter(one => one === signature)).toHaveLength(1)
    })

    test.each<[what: string, required: () => object, reason: string, more?: object]>([
      ['dearer', () => quoteOf('10001'), 'dearer'],
      ['cheaper', () => quoteOf('9999'), 'cheaper'],
      ['paid to another', () => quoteOf('10000', `0x${'2'.repeat(40)}`), 'other_payee'],
      ['over the maximum of the call', () => quoteOf(), 'over_max_cost', { max_cost_usd: '0.009999' }],
    ])('that is now %s holds, and nothing is sent', async (_, required, reason_code, more) => {
      const { url, live } = sell(delivers(good))
      const verdict = await decide(url)
      live.required = required()
      const count = received.length
      const payment = await pay()
      const { result, usdc } = await spent(() => execute(verdict, { payment, ...more }))
      expect(result).toMatchObject({ decision: 'HOLD', reason_code, money_state: 'not_sent', receipt: null })
      expect(usdc).toBe(0n)
      expect(received).toHaveLength(count)
    })

    test.each<[what: string, behave: Behaviour, paid: bigint, expected: object]>([
      [
        'slow',
        async payload => settle(payload),
        price,
        { outcome: 'failed', money_state: 'paid', settlement: { state: 'settled' } },
      ],
      ['of the wrong shape', delivers('{"text":""}'), price, { outcome: 'failed', money_state: 'delivered' }],
      [
        'redirecting',
        async (_, response) => response.writeHead(307, { location: 'https://other.example.com/' }).end(),
        0n,
        { outcome: 'failed', money_state: 'sent_unknown', settlement: { state: 'unused' } },
      ],
      [
        'lying about its payment',
        delivers(good, `0x${'7'.repeat(64)}`),
        0n,
        { outcome: 'failed', money_state: 'delivered', settlement: { state: 'unused' } },
      ],
      [
        'dead after its payment',
        async (payload, response) => {
          await settle(payload)
          response.destroy()
        },
        price,
        { outcome: 'failed', money_state: 'paid', settlement: { state: 'settled' } },
      ],
      [
        'silent about its payment, which it does not take',
        async (_, response) => response.writeHead(200, json).end(good),
        0n,
        { outcome: 'unverifiable', money_state: 'delivered' },
      ],
    ])('whose provider is %s is told as it is', async (_, behave, paid, expected) => {
      const { url } = sell(behave)
      const verdict = await decide(url)
      const payment = await pay()
      const { result, usdc } = await spent(() => execute(verdict, { payment }))
      expect(result).toMatchObject({ decision: 'EXECUTED', ...expected })
      expect(usdc).toBe(paid)
      const { refund, outcome } = await openOffline(result)
      expect(outcome).toBe(result.outcome)
      const isOwed = String(result.money_state) === 'paid'
      if (isOwed) expect(refund).toMatchObject({ owed_by: payTo, amount: '10000' })
      else expect(refund).toBeNull()
      const later = (await town.ask('pre_spend_preflight', {
        need: 'translation',
        candidate_identifier: url,
        ...generous,
      })) as Answer
      const checks = later.checks as unknown as { id: string; status: string }[]
      const counts = paid === 0n ? 'not_applicable' : isOwed ? 'fail' : 'pass'
      expect(checks.find(({ id }) => id === 'paid_outcomes')?.status).toBe(counts)
    })

    test('takes no payment that is not exactly what the verdict covers', async () => {
      const { url } = sell(delivers(good))
      const verdict = await decide(url)
      const count = received.length
      const offer = quoteOf().accepts[0] as never
      const terms = (more: object) => signTerms(chain, buyer.account, offer, more)
      const now = BigInt(Math.floor(Date.now() / 1000))
      const whole = await pay()
      const forged = { ...whole, payload: { ...whole.payload, signature: `0x${'11'.repeat(64)}1b` } }
      const wrong: [payment: object, path: string][] = [
        [await terms({ value: 10_001n }), 'payment.payload.authorization.value'],
        [await terms({ to: `0x${'2'.repeat(40)}` }), 'payment.payload.authorization.to'],
        [await terms({ validBefore: now }), 'payment.payload.authorization.validBefore'],
        [forged, 'payment.payload.signature'],
        [{ ...whole, accepted: { ...whole.accepted, amount: '1' } }, 'payment.accepted'],
        [{ x402Version: 3 }, 'payment.x402Version'],
      ]
      for (const [payment, path] of wrong)
        expect(await refused(execute(verdict, { payment }))).toMatchObject({
          code: 'invalid_input',
          issues: [{ path }],
        })
      const payment = whole
      const elsewhere = { payment, request: { url: 'https://other.example.com/work' } }
      expect(await refused(execute(verdict, elsewhere))).toMatchObject({ issues: [{ path: 'request.url' }] })
      const unknown = { payment, expect: { schema: { pattern: '(a+)+$' } } }
      expect(await refused(execute(verdict, unknown))).toMatchObject({ issues: [{ path: 'expect.schema' }] })
      expect(await refused(execute(verdict))).toMatchObject({ code: 'unauthenticated' })
      const changed = { ...verdict, canonical: verdict.canonical.replace('"10000"', '"10001"') }
      expect(await execute(changed, { payment })).toMatchObject({ reason_code: 'not_authentic' })
      expect(await execute(verdict, { payment }, { channel: 'a2a' })).toMatchObject({ decision: 'GUIDANCE' })
      town.later(5 * 60_000)
      expect(await execute(verdict, { payment })).toMatchObject({ decision: 'HOLD', reason_code: 'expired' })
      town.later(-5 * 60_000)
      expect(received).toHaveLength(count)
    })
  })

  test('of an MCP server is paid in its tools/call', async () => {
    const host = `route-${++named}.example.com`
    const required = { ...quoteOf(), error: 'Payment required' }
    const page = rpcPage(({ method, params }) => {
      if (method === 'initialize')
        return { result: { protocolVersion: '2025-11-25', serverInfo: { name: 'T' } } }
      if (method === 'tools/list')
        return { result: { tools: [{ name: 'translate', description: 'Translates. Paid by x402.' }] } }
      if (method !== 'tools/call') return { result: {} }
      const { _meta, name } = params as unknown as { _meta?: Record<string, Payload>; name: string }
      const payload = _meta?.['x402/payment']
      if (!payload) return { result: { isError: true, structuredContent: required, content: [] } }
      return (response: ServerResponse) =>
        void settle(payload).then(transaction => {
          const meta = { 'x402/payment-response': { success: true, transaction } }
          const result = { content: [], structuredContent: { text: name }, _meta: meta }
          response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id: callId, result }))
        })
    })
    let callId: unknown
    town.internet.web.site(host, '/.well-known/agent-card.json', town.json(cardAt(host)))
    town.internet.web.site(host, '/mcp', (request: IncomingMessage, response: ServerResponse) => {
      if (request.method === 'GET') return ask402(response, required)
      request.on('data', chunk => {
        const { id, method } = JSON.parse(String(chunk)) as { id: unknown; method: string }
        if (method === 'tools/call') callId = id
      })
      return page(request, response)
    })
    const verdict = await decide(`https://${host}/mcp`)
    const request = { protocol: 'mcp', tool: 'translate', arguments: { text: 'hello' } }
    const payment = await pay()
    const { result, usdc } = await spent(() => execute(verdict, { request, payment }))
    expect(result).toMatchObject({
      outcome: 'verified',
      money_state: 'delivered',
      result: { text: '{"text":"translate"}' },
    })
    expect(usdc).toBe(price)
    await openOffline(result)
  })

  test('of an A2A agent goes on with the task that asked for payment', async () => {
    const host = `route-${++named}.example.com`
    let rpcId: unknown
    const page = rpcPage(({ method, params }) => {
      if (method !== 'SendMessage') return { error: { code: -32601, message: 'Method not found' } }
      type Message = { taskId?: string; metadata?: Record<string, Payload> }
      const { message } = params as unknown as { message: Message }
      const payload = message.metadata?.['x402.payment.payload']
      const status = (state: string, metadata: object) => ({ state, message: { parts: [], metadata } })
      if (!payload || message.taskId !== 'task-1') {
        const metadata = { 'x402.payment.status': 'payment-required', 'x402.payment.required': quoteOf() }
        return { result: { task: { id: 'task-1', status: status('TASK_STATE_INPUT_REQUIRED', metadata) } } }
      }
      return (response: ServerResponse) =>
        void settle(payload).then(transaction => {
          const metadata = { 'x402.payment.receipts': [{ success: true, transaction }] }
          const artifacts = [{ artifactId: 'a', parts: [{ data: { text: 'Guten Tag' } }] }]
          const task = { id: 'task-1', status: status('TASK_STATE_COMPLETED', metadata), artifacts }
          response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id: rpcId, result: { task } }))
        })
    })
    town.internet.web.site(host, '/.well-known/agent-card.json', town.json(cardAt(host)))
    town.internet.web.site(host, '/a2a', (request: IncomingMessage, response: ServerResponse) => {
      if (request.method === 'GET') return response.writeHead(405).end()
      request.on('data', chunk => {
        rpcId = (JSON.parse(String(chunk)) as { id: unknown }).id
      })
      page(request, response)
    })
    const verdict = await decide(`https://${host}/a2a`)
    const payment = await pay()
    const request = { protocol: 'a2a', text: 'hello' }
    const { result, usdc } = await spent(() => execute(verdict, { request, payment }))
    expect(result).toMatchObject({
      outcome: 'verified',
      money_state: 'delivered',
      result: { text: '{"text":"Guten Tag"}' },
    })
    expect(usdc).toBe(price)
    await openOffline(result)
  })

  test('is paid once by two who bring the same payment at once', async () => {
    const { url } = sell(delivers(good))
    const verdict = await decide(url)
    const payment = await pay()
    const { result, usdc } = await spent(() =>
      Promise.all([execute(verdict, { payment }), execute(verdict, { payment })]),
    )
    expect(usdc).toBe(price)
    const { signature } = payment.payload as { signature: string }
    expect(received.filter(one => one === signature)).toHaveLength(1)
    expect(result.map(({ idempotent_replay }) => idempotent_replay).sort()).toEqual([false, true])
  })

  test('that ends at any step leaves the money in the state that is told, and is not paid twice', async () => {
    const { ports } = town.world as { ports: Ports }
    const { fetch, evm, store } = ports
    let left = 0
    let isOver = false
    /** A step to the world outside: the program ends at the one that is counted down to, and never comes back. */
    const cross = async () => {
      if (isOver || --left === 0) {
        isOver = true
        await new Promise(() => {})
      }
    }
    const wrapFetch = (inner: Fetch): Fetch =>
      Object.assign(
        async (...args: Parameters<Fetch>) => {
          await cross()
          const fetched = await inner(...args)
          await cross()
          return fetched
        },
        { forCall: (turn: object) => wrapFetch(inner.forCall?.(turn) ?? inner) },
      )
    const wrapEvm = (inner: Evm): Evm => ({
      ...inner,
      local: name => {
        const local = inner.local?.(name)
        if (!local) return undefined
        const ask: typeof local.ask = async (...args) => {
          await cross()
          return local.ask(...args)
        }
        return { ...local, ask }
      },
    })
    const wrapStore = (inner: Store): Store => ({
      ...inner,
      transaction: async work => {
        await cross()
        const result = await inner.transaction(work)
        await cross()
        return result
      },
    })
    const states = new Set<string>()
    let verdict = await decide(sell(delivers(good)).url)
    for (let step = 1; ; step++) {
      if (step % 10 === 0) verdict = await decide(sell(delivers(good)).url)
      const payment = await pay()
      const { signature } = payment.payload as { signature: string }
      left = step
      isOver = false
      Object.assign(ports, { fetch: wrapFetch(fetch), evm: wrapEvm(evm), store: wrapStore(store) })
      const ended = new Promise<string>(resolve => {
        const timer = setInterval(() => {
          if (!isOver) return
          clearInterval(timer)
          resolve('killed')
        }, 2)
      })
      const before = await balanceOf(chain, buyer.address)
      const first = await Promise.race([execute(verdict, { payment }).then(() => 'ended'), ended])
      // What was on its way when the program ended arrives all the same.
      await new Promise(resolve => setTimeout(resolve, 60))
      Object.assign(ports, { fetch, evm, store })
      const wasTaken = (await balanceOf(chain, buyer.address)) < before
      const wasSent = received.includes(signature)
      const { money_state, idempotent_replay } = await execute(verdict, { payment })
      states.add(`${money_state}${idempotent_replay ? '' : ' anew'}`)
      if (wasTaken) expect(['paid', 'delivered']).toContain(money_state)
      else if (idempotent_replay) expect(money_state).toBe('sent_unknown')
      if (!idempotent_replay) expect(wasSent).toBe(false)
      expect(received.filter(one => one === signature).length).toBeLessThanOrEqual(1)
      if (first === 'ended') break
    }
    expect([...states].sort()).toEqual(['delivered', 'delivered anew', 'paid', 'sent_unknown'])
  }, 60_000)
})
