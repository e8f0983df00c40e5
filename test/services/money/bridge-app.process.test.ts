import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stablecoinBridge } from '../../../contracts/stablecoin-bridge.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import { startBridgeApp } from './bridge-app.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON as it came
type Body = Record<string, any>

const usdcOfArc = { network: 'eip155:5042', asset: '0x3600000000000000000000000000000000000000' } as const

onAnvil('the bridge as it is served, on two local chains', () => {
  let app: Awaited<ReturnType<typeof startBridgeApp>>
  beforeAll(async () => {
    app = await startBridgeApp()
  })
  afterAll(() => app.stop())

  const json = async (path: string): Promise<{ status: number; headers: Headers; body: Body }> => {
    const response = await fetch(`${app.url}${path}`)
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
  }

  test('nothing is started before anybody asks for a price', async () => {
    const { status, body } = await json('/v1/bridge?from=base&to=arc&amount=0')
    expect(status).toBe(422)
    expect(body.issues).toEqual([{ path: 'amount', message: 'must be more than 0' }])
  })

  test('an unpaid call is a 402 with the exact price, its parts, and its purse as payTo', async () => {
    const quote = await json('/v1/bridge/quote?from=base&to=arc&amount=1')
    expect(quote.status).toBe(200)
    expect(quote.body).toMatchObject({
      price: '1.0351',
      parts: { amount: '1', margin: '0.01', forward_fee: '0.02', protocol_fee: '0.0001', gas: '0.005' },
      receives: { amount: '1', exactly: true },
    })
    const { status, body, headers } = await json('/v1/bridge?from=base&to=arc&amount=1')
    expect(status).toBe(402)
    const [offer] = body.paymentRequired.accepts
    expect(body.paymentRequired.accepts.length).toBe(1)
    expect(offer).toMatchObject({
      network: 'eip155:8453',
      payTo: quote.body.payTo,
      amount: quote.body.price_atomic,
    })
    expect(body.parts).toEqual(quote.body.parts)
    expect(body.hint).toContain('refuse more than $1')
    const length = [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
    expect(length).toBeLessThan(4096)
  })

  test('the stock client pays once, and exactly the amount arrives', async () => {
    const stock = await app.payer()
    await expect(stock.fetch(`${app.url}/v1/bridge?from=base&to=arc&amount=1`)).rejects.toThrow()
    const { account, fetch } = await app.payer({ maxAmountPerPayment: '$5' })
    const before = await app.balance('arc', account.address)
    const paid = await app.balance('base', account.address)
    const response = await fetch(`${app.url}/v1/bridge?from=base&to=arc&amount=1.25`)
    const body = (await response.json()) as Body
    expect(body).toMatchObject({ transfer: { state: 'minted', received: '1.25', exactly: true } })
    expect(await app.balance('arc', account.address)).toBe(before + 1_250_000n)
    const price = paid - (await app.balance('base', account.address))
    expect(body.transfer.paid).toBe(String(Number(price) / 1e6))
    const status = await json(`/v1/bridge/status?id=${body.transfer.id}`)
    expect(status.body).toMatchObject({
      transfer: { state: 'minted' },
      burns: [{ state: 'minted', amount: '1.25' }],
    })
    const byHash = await json(`/v1/bridge/status?from=base&transaction_hash=${body.transfer.burn}`)
    expect(byHash.body).toMatchObject({ transfer: null, burns: [{ state: 'minted' }] })
  })

  test('from Arc at least the amount arrives, for a client that was told of its USDC', async () => {
    const quote = await json('/v1/bridge/quote?from=arc&to=base&amount=2')
    expect(quote.body).toMatchObject({ mode: 'max_fee', receives: { amount: '2', exactly: false } })
    expect(quote.body.note).toContain('do not know the USDC of Arc')
    const careless = await app.payer({ maxAmountPerPayment: '$5' })
    await expect(careless.fetch(`${app.url}/v1/bridge?from=arc&to=base&amount=2`)).rejects.toThrow()
    const { account, fetch } = await app.payer({ allowedAssets: [usdcOfArc] })
    const before = await app.balance('base', account.address)
    const response = await fetch(`${app.url}/v1/bridge?from=arc&to=base&amount=2`)
    const body = (await response.json()) as Body
    expect(body.transfer).toMatchObject({ state: 'minted', exactly: false })
    const arrived = (await app.balance('base', account.address)) - before
    expect(arrived).toBeGreaterThanOrEqual(2_000_000n)
    expect(arrived).toBeLessThan(2_000_100n)
    expect(Number(body.transfer.received) * 1e6).toBeCloseTo(Number(arrived))
  })

  test('it is paid over MCP too, and the same payment again gets the same answer', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`)) as Transport)
    const { client: wallet } = await app.payer({ maxAmountPerPayment: '$5' })
    const input = { name: 'bridge_transfer', arguments: { from: 'base', to: 'arc', amount: '1.5' } }
    const unpaid = await client.callTool(input)
    expect(unpaid.isError).toBe(true)
    const payment = await wallet.createPaymentPayload(unpaid.structuredContent as never)
    const pay = () => client.callTool({ ...input, _meta: { 'x402/payment': payment } })
    const paid = await pay()
    expect(paid.structuredContent).toMatchObject({ transfer: { state: 'minted', received: '1.5' } })
    expect((await pay()).structuredContent).toEqual(paid.structuredContent)
    await client.close()
  })

  test('a referrer earns from the margin, and the price stays the same', async () => {
    const ref = '0x209693bc6afc0c5328ba36faf03c514ef312287c'
    const [{ body: routes }, plain, referred] = await Promise.all([
      json('/v1/bridge/routes?from=base'),
      json('/v1/bridge/quote?from=base&to=arc&amount=100'),
      json(`/v1/bridge/quote?from=base&to=arc&amount=100&ref=${ref}`),
    ])
    const lane = routes.routes.find(({ route }: Body) => route === 'base-arc')?.lane
    expect(referred.body.payTo).not.toBe(plain.body.payTo)
    expect(referred.body).toMatchObject({ price: plain.body.price, referral: '0.25', parts: { margin: '1' } })
    const { fetch } = await app.payer({ maxAmountPerPayment: '$200' })
    const response = await fetch(`${app.url}/v1/bridge?from=base&to=arc&amount=100&ref=${ref}`)
    const { transfer } = (await response.json()) as Body
    expect(transfer).toMatchObject({ state: 'minted', received: '100' })
    const reader = await app.chain('base').reader()
    const owed = await reader.readContract({
      address: lane,
      abi: stablecoinBridge.abi,
      functionName: 'referrals',
      args: [ref],
    })
    expect(owed).toBe(250_000n)
  })

  test.each([
    ['amount', 'from=base&to=arc&amount=0'],
    ['amount', 'from=base&to=arc&amount=1.0000001'],
    ['amount', 'from=base&to=arc&amount=1e30'],
    ['amount', 'from=base&to=arc&amount=-1'],
    ['amount', 'from=base&to=arc&amount=10000000.000001'],
    ['amount', 'from=base&to=arc&amount=10000000'],
    ['amount', 'from=base&to=arc&amount=%20'],
    ['amount', 'from=base&to=arc'],
    ['to', 'from=base&to=base&amount=1'],
    ['to', 'from=base&to=solana&amount=1'],
    ['to', 'from=arc&to=ethereum&amount=1'],
    ['from', 'from=ethereum&to=base&amount=1'],
    ['ref', 'from=base&to=arc&amount=1&ref=0x209693Bc6afc0C5328bA36FaF03C514EF312287c'],
    ['ref', 'from=base&to=arc&amount=1&ref=0x0000000000000000000000000000000000000000'],
    ['ref', 'from=base&to=arc&amount=1&ref=alice.eth'],
  ])('bad input names the field %s: %s', async (field, query) => {
    for (const path of ['/v1/bridge', '/v1/bridge/quote']) {
      const { status, body } = await json(`${path}?${query}`)
      expect([status, body.issues[0].path]).toEqual([422, field])
    }
  })

  test('a payer that names itself as the referrer is refused before anything moves', async () => {
    const { account, fetch } = await app.payer({ maxAmountPerPayment: '$5' })
    const before = await app.balance('base', account.address)
    const response = await fetch(`${app.url}/v1/bridge?from=base&to=arc&amount=1&ref=${account.address}`)
    expect(await response.json()).toMatchObject({
      code: 'invalid_input',
      charged: false,
      issues: [{ path: 'ref' }],
    })
    expect(await app.balance('base', account.address)).toBe(before)
  })

  test('routes say what is on, what is off and why; one that is off sells nothing', async () => {
    const { body } = await json('/v1/bridge/routes')
    expect(body.routes.length).toBe(17)
    const on = body.routes.filter((route: Body) => route.state === 'on').map((route: Body) => route.route)
    expect(on).toEqual(['base-arc', 'arc-base'])
    const arc = body.routes.find((route: Body) => route.route === 'base-arc')
    expect(arc.health).toMatchObject({ state: 'ok', open: 0 })
    expect(arc.health.p50_seconds).toBeLessThan(60)
    const off = await json('/v1/bridge?from=base&to=ethereum&amount=1')
    expect(off).toMatchObject({ status: 503, body: { reason: 'route_off', charged: false } })
    expect(off.body.detail).toContain('not on the local chains')
  })
})
