import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { message03, rpc } from '../../a2a/serve.ts'
import { post as postMcp, requestOf } from '../../mcp/wire.ts'
import { abi, anvilClient, balanceOf, onAnvil } from '../../payment/evm-chain.ts'
import { type Buyer, openBuyer, type Prepared } from './buyer.ts'
import { type App, asked, asking, host, startSelling } from './shop.ts'

onAnvil('route intelligence', () => {
  let app: App
  let buyer: Buyer
  let ask: ReturnType<typeof asking>
  beforeAll(async () => {
    app = await startSelling()
    ask = asking(app)
    buyer = await openBuyer(app)
  })
  afterAll(() => app.stop())

  const prepare = async (): Promise<Prepared> => {
    const { status, body } = await ask.buy()
    expect(status).toBe(402)
    return (body as unknown as { params: Prepared }).params
  }
  const prove = ({ purchase_id }: Prepared, transaction_hash: string, more: object = {}) =>
    ask.buy({ purchase_id, transaction_hash, ...more })

  test('can be bought here, and readiness says how', async () => {
    const { body } = await ask.get('/commercial/route-intelligence/payment-readiness')
    expect(body).toMatchObject({
      launch_ready: true,
      blocking_reasons: [],
      network: 'eip155:8453',
      chain_id: 8453,
      facilitator_required: false,
      buyer_pays_gas: true,
      real_money_execution_enabled: false,
      atomic_amount: '50000',
    })
  })

  test('is frozen, quoted, paid by the buyer, delivered, and delivered again with the same bytes', async () => {
    const prepared = await prepare()
    expect(prepared).toMatchObject({
      quote: { amount: '0.05', currency: 'USDC', atomic_amount: '50000', network: 'eip155:8453' },
      authorization: {
        domain: { name: 'USD Coin', version: '2', chainId: 8453 },
        primaryType: 'TransferWithAuthorization',
        message: {
          to: prepared.quote.pay_to,
          value: '50000',
          nonce: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        },
      },
      contract_call: { to: prepared.quote.asset, selector: '0xe3ee160e', chain_id: 8453 },
    })
    expect(Date.parse(prepared.expires_at) - Date.parse(prepared.prepared_at)).toBeGreaterThan(14 * 60_000)
    const waiting = `/commercial/route-intelligence/purchases/${prepared.purchase_id}`
    expect((await ask.get(waiting)).body).toMatchObject({ state: 'prepared', result: null, payment: null })

    const payTo = prepared.quote.pay_to as Hex
    const before = await balanceOf(buyer.chain, payTo)
    const hash = await buyer.broadcast(prepared)
    expect(await balanceOf(buyer.chain, payTo)).toBe(before + 50_000n)

    const first = await prove(prepared, hash)
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({
      state: 'entitled',
      idempotent_replay: false,
      payment: { transaction_hash: hash, payer: buyer.account.address.toLowerCase() },
      result: { need: 'translation', route_count: 1, untrusted: true },
    })
    const { result } = first.body as unknown as { result: { routes: Record<string, never>[] } }
    const digest = createHash('sha256')
      .update(canonicalize(result) ?? '')
      .digest('hex')
    expect(prepared.prepared_result_digest).toBe(`sha256:${digest}`)
    expect(result.routes[0]).toMatchObject({
      rank: 1,
      role: 'primary',
      provider_price_state: 'known',
      provider_maximum_cost_usd: '0.01',
      commercial_rights_state: 'unknown',
      callability_history: { recorded: 0, last_verified_at: null },
      candidate: {
        agent_card_url: `https://${host}/.well-known/agent-card.json`,
        interaction_url: `https://${host}/work`,
        protocol: 'x402',
        pay_to: '0x1111111111111111111111111111111111111111',
        price: { amount: '0.01', currency: 'USDC', network: 'eip155:8453' },
      },
      quote: { amount: '10000', network: 'eip155:8453', resource: `https://${host}/work` },
      checks: expect.arrayContaining([expect.objectContaining({ id: 'quote_valid', status: 'pass' })]),
    })

    const again = await prove(prepared, hash.toUpperCase().replace('0X', '0x'))
    expect(again.text.replace('"idempotent_replay":true', '"idempotent_replay":false')).toBe(first.text)
    const { text } = await ask.get(waiting)
    expect(text).toBe(again.text)
    const reconciled = await ask.post(`${waiting}/reconcile`, { transaction_hash: hash })
    expect(reconciled.text).toBe(again.text)
    expect(await balanceOf(buyer.chain, payTo)).toBe(before + 50_000n)

    const other = await prepare()
    const reused = await prove(other, hash)
    expect(reused).toMatchObject({
      status: 409,
      body: { reason: 'payment_rejected', detail: expect.stringMatching(/nonce/) },
    })
    const otherHash = await buyer.broadcast(other)
    expect(await prove(prepared, otherHash)).toMatchObject({
      status: 409,
      body: { reason: 'payment_replay_conflict' },
    })
  })

  test('is entitled once by repeats that come at once', async () => {
    const prepared = await prepare()
    const hash = await buyer.broadcast(prepared)
    const answers = await Promise.all(Array.from({ length: 8 }, () => prove(prepared, hash)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const fresh = answers.filter(({ headers }) => !headers.has('idempotency-replayed'))
    expect(fresh).toHaveLength(1)
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.result))).size).toBe(1)
  })

  describe('is not given for', () => {
    const stranger: Hex = `0x${'1'.repeat(40)}`
    const wrong: [what: string, pay: (prepared: Prepared) => Promise<Hex>, why: RegExp][] = [
      [
        'a plain transfer',
        ({ quote, contract_call }) =>
          buyer.send(
            contract_call.to,
            encodeFunctionData({ abi, functionName: 'transfer', args: [quote.pay_to as Hex, 50_000n] }),
          ),
        /nonce/,
      ],
      ['another token', prepared => buyer.broadcast(prepared, { to: stranger }), /nonce/],
      ['a lower amount', prepared => buyer.broadcast(prepared, { message: { value: '49999' } }), /amount/],
      ['a higher amount', prepared => buyer.broadcast(prepared, { message: { value: '50001' } }), /amount/],
      [
        'another recipient',
        prepared => buyer.broadcast(prepared, { message: { to: stranger } }),
        /recipient/,
      ],
      ['the nonce of another purchase', async () => buyer.broadcast(await prepare()), /nonce/],
    ]
    test.each(wrong)('%s', async (_, pay, why) => {
      const prepared = await prepare()
      const { status, body } = await prove(prepared, await pay(prepared))
      expect(status).toBe(409)
      // What came in another amount is owed; the rest never came here.
      const reason = why.source === 'amount' ? 'payment_owed' : 'payment_rejected'
      expect(body).toMatchObject({ reason, detail: expect.stringMatching(why) })
      const { body: kept } = await ask.get(`/commercial/route-intelligence/purchases/${prepared.purchase_id}`)
      expect(kept).toMatchObject({ state: 'prepared', result: null })
    })

    test('a transaction that nobody knows: it is waited for', async () => {
      const { status, headers, body } = await prove(await prepare(), `0x${'ab'.repeat(32)}`)
      expect(status).toBe(202)
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(body).toMatchObject({ code: 'payment_pending', retryable: true, params: { confirmations: 0 } })
    })

    test.each([
      ['another need', { need: 'summaries' }, 409],
      ['another candidate', { candidate_identifier: `https://${host}/other` }, 409],
      ['no transaction', { transaction_hash: undefined }, 422],
      ['a hash that is none', { transaction_hash: '0x12' }, 422],
      ['an unknown purchase', { purchase_id: `pur_${'0'.repeat(32)}` }, 404],
      ['an id that is none', { purchase_id: 'mine' }, 422],
      ['an unknown field', { amount: '0' }, 422],
    ])('%s', async (_, more, status) => {
      expect(await prove(await prepare(), `0x${'ab'.repeat(32)}`, more)).toMatchObject({ status })
    })

    test.each([
      ['an empty need', { need: '' }],
      ['a need of 129', { need: 'x'.repeat(129) }],
      ['a control character', { need: 'a\nb' }],
      ['a candidate with a space', { candidate_identifier: 'a b' }],
    ])('%s', async (_, more) => {
      expect(await ask.buy(more)).toMatchObject({ status: 422 })
    })

    test('a need that nobody meets, or that nobody could be asked about', async () => {
      const need = { need: 'nobody-does-this', candidate_identifier: undefined }
      expect(await ask.buy(need)).toMatchObject({ status: 502, body: { retryable: true } })
      for (const path of ['/a2a/agents', '/mcp/v0.1/servers', '/x402/search'])
        app.internet.web.site('silent.example.net', path, { body: '{"agents":[],"servers":[],"items":[]}' })
      expect(await ask.buy({ ...need, need: 'nobody-at-all' })).toMatchObject({
        status: 409,
        body: { reason: 'no_purchasable_route_available' },
      })
    })
  })

  test('is bought over MCP by name, on a list of two', async () => {
    const mcp = async (url: string, method: string, params: Record<string, unknown> = {}) => {
      const { body, headers } = requestOf('2026', method, params)
      return (await postMcp(`${app.url}${url}`, body, headers)).result
    }
    const names = async (url: string) => (await mcp(url, 'tools/list')).tools.map(({ name }) => name)
    expect((await names('/gateway/mcp')).sort()).toEqual([
      'pre_spend_preflight',
      'verify_external_callability',
    ])
    const all = (await names('/mcp?services=gateway')).join(' ')
    for (const name of ['purchase_route_intelligence', 'discover_external', 'join_svc', 'payment_readiness'])
      expect(all).toContain(name)

    const call = (more: object = {}) =>
      mcp('/gateway/mcp', 'tools/call', {
        name: 'purchase_route_intelligence',
        arguments: { ...asked, ...more },
      })
    const quoted = await call()
    expect(quoted.isError).toBe(true)
    const { params } = JSON.parse(quoted.content[0]?.text ?? '') as { params: Prepared }
    const transaction_hash = await buyer.broadcast(params)
    const bought = await call({ purchase_id: params.purchase_id, transaction_hash })
    expect(bought.structuredContent).toMatchObject({ state: 'entitled', result: { route_count: 1 } })
  })

  test('is guidance and nothing else over A2A', async () => {
    const send = async (more: object = {}) => {
      const data = { action: 'purchase_route_intelligence', ...asked, ...more }
      const response = await fetch(`${app.url}/gateway/a2a/v1`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(rpc('message/send', message03([data]))),
      })
      return JSON.stringify(await response.json())
    }
    const prepared = await prepare()
    const transaction_hash = await buyer.broadcast(prepared)
    for (const more of [{}, { purchase_id: prepared.purchase_id, transaction_hash }]) {
      const answer = await send(more)
      expect(answer).toContain('guidance')
      expect(answer).not.toContain('"routes"')
    }
    expect(await prove(prepared, transaction_hash)).toMatchObject({ body: { idempotent_replay: false } })
  })

  test('that is paid too late is not given: the chain refuses the authorization', async () => {
    const [prepared, unpaid] = [await prepare(), await prepare()]
    await (await anvilClient(buyer.chain)).increaseTime({ seconds: 16 * 60 })
    const hash = await buyer.broadcast(prepared, { gas: 200_000n })
    expect(await prove(prepared, hash)).toMatchObject({
      status: 409,
      body: { reason: 'payment_rejected', detail: expect.stringMatching(/reverted/) },
    })
    expect(await prove(unpaid, hash)).toMatchObject({ status: 409 })
  })
})

test('where no network is configured nothing is sold, and it is said why', async () => {
  const app = await startSelling({ OCTAGENT_DEVNET: 'false' })
  const ask = asking(app)
  const blocking_reasons = ['network_base_not_configured']
  const readiness = await ask.get('/commercial/route-intelligence/payment-readiness')
  expect(readiness.body).toMatchObject({ launch_ready: false, blocking_reasons, network: null, pay_to: null })
  const { status, body } = await ask.buy()
  expect(status).toBe(503)
  expect(body).toMatchObject({
    reason: 'not_launch_ready',
    params: { launch_ready: false, blocking_reasons },
  })
  await app.stop()
})
