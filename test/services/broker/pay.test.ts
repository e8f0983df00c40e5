import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evmPayer, type Payer } from '../../../bench/payer.ts'
import { openChain } from '../../../mcp/ports/chain/chain.ts'
import { networks } from '../../../mcp/ports/chain/networks.ts'
import { openDevnetKeys } from '../../../mcp/ports/devnet/keys.ts'
import { message03, rpc } from '../../a2a/serve.ts'
import { startApp } from '../../app.ts'
import { post as postMcp, requestOf } from '../../mcp/wire.ts'
import { makePayer, onAnvil, pay } from '../../payment/evm-chain.ts'

let app: Awaited<ReturnType<typeof startApp>>
let payer: Payer
beforeAll(async () => {
  app = await startApp()
  payer = evmPayer((await openDevnetKeys(app.dir)).demo)
})
afterAll(() => app.stop())

const ask = async (
  method: string,
  path: string,
  { body, key, pay = false }: { body?: object; key?: string; pay?: boolean } = {},
) => {
  const send = pay ? payer.fetch : fetch
  const response = await send(`${app.url}/broker${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, never>,
  }
}

const register = async () =>
  String((await ask('POST', '/v1/account/register', { body: { accepted_terms: true } })).body.api_key)

const balance = async (key: string) =>
  (await ask('GET', '/v1/account', { key })).body.credits as unknown as { available: number }

onAnvil('paying the broker by x402', () => {
  test('a metered call without funds is a problem and an x402 quote in one body', async () => {
    const { status, headers, body } = await ask('GET', '/v1/feed', { key: await register() })
    expect(status).toBe(402)
    expect(headers.get('content-type')).toContain('application/problem+json')
    expect(headers.get('payment-required')).toBeTruthy()
    expect(body).toMatchObject({
      status: 402,
      code: 'payment_required',
      reason: 'insufficient_funds_self',
      creditsRequired: 1,
      creditsRemaining: 0,
      creditsAdded: 1000,
      paymentRequired: {
        x402Version: 2,
        accepts: [{ scheme: 'exact', network: 'eip155:8453', amount: '500000' }],
      },
    })
  })

  test('a stock client pays it, the top-up is added, the fee is taken, and the next call costs credits only', async () => {
    const key = await register()
    const { status, body } = await ask('GET', '/v1/feed', { key, pay: true })
    expect(status).toBe(200)
    expect(body).toMatchObject({ credits_spent: 1, opened_account: null })
    expect(await balance(key)).toMatchObject({ available: 999 })
    expect((await ask('GET', '/v1/feed', { key })).status).toBe(200)
    expect(await balance(key)).toMatchObject({ available: 998 })
    const { lines } = (await ask('GET', '/v1/account/credits', { key })).body as unknown as {
      lines: { credits: number; memo: string }[]
    }
    expect(lines.map(({ credits, memo }) => `${memo} ${credits}`)).toEqual([
      'feed page -1',
      'feed page -1',
      'x402 1000',
    ])
  })

  test('a first payment without a key opens an account, and shows its key once', async () => {
    const { body } = await ask('POST', '/v1/account/credits', { body: { usd: '1.00' }, pay: true })
    expect(body).toMatchObject({ added: 2000, available: 2000, api_key: expect.stringMatching(/^brk_/) })
    expect(await balance(String(body.api_key))).toMatchObject({ available: 2000 })
    const again = await ask('GET', '/v1/feed', { pay: true })
    expect(again.body).toMatchObject({ credits_spent: 1, opened_account: null })
    expect(await balance(String(body.api_key))).toMatchObject({ available: 2999 })
  })

  describe('a key that was lost with its answer', () => {
    const json = (body: object, headers: object = {}) => ({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    })
    const readKey = (text: string) => /brk_[\w-]{20,}/.exec(text)?.[0] ?? ''
    /** Posts a payment and gives what came back, whole. */
    let taskId: string | undefined
    const ways: [way: string, send: (payment: object) => Promise<string>][] = [
      [
        'REST',
        async payment => {
          const header = { 'payment-signature': btoa(JSON.stringify(payment)) }
          const response = await fetch(`${app.url}/broker/v1/account/credits`, json({ usd: '1.00' }, header))
          return response.text()
        },
      ],
      [
        'MCP',
        async payment => {
          const call = { name: 'add_credits', arguments: { usd: '1.00' } }
          const { body, headers } = requestOf('2026', 'tools/call', call, { 'x402/payment': payment })
          return JSON.stringify((await postMcp(`${app.url}/broker/mcp`, body, headers)).result)
        },
      ],
      [
        'A2A',
        async payment => {
          const say = (more: object = {}) =>
            fetch(
              `${app.url}/broker/a2a`,
              json(rpc('message/send', message03([{ skill: 'add_credits', usd: '1.00' }], more))),
            )
          taskId ??= ((await (await say()).json()) as { result: { id: string } }).result.id
          const metadata = { 'x402.payment.status': 'payment-submitted', 'x402.payment.payload': payment }
          const response = await say({ taskId, metadata })
          return response.text()
        },
      ],
    ]
    test.each(ways)('is shown again over %s, until it is used', async (way, send) => {
      const own = await makePayer(
        openChain({ network: networks.base, rpc: (await app.devnetRpc('base')) ?? '', devnet: true }),
      )
      const quote = await ask('POST', '/v1/account/credits', { body: { usd: '1.00' } })
      const [offer] = (quote.body as never as { paymentRequired: { accepts: never[] } }).paymentRequired
        .accepts
      const payment = await pay(own.account, offer as never)
      const [first, second] = [readKey(await send(payment)), readKey(await send(payment))]
      expect([way, first !== '', second !== '', first === second]).toEqual([way, true, true, false])
      expect(await balance(second)).toMatchObject({ available: 2000 })
      const late = await send(payment)
      expect(readKey(late)).toBe('')
      expect(late).toContain('key_in_use')
      expect(late).toMatch(/charged\W+true/)
    })
  })

  test('a listing without funds is quoted a top-up, and posted once it is paid', async () => {
    const key = await register()
    const listing = { listing_type: 'sell', title: 'A briefing', body: 'Ten pages.', price_usd: 5 }
    for (let n = 0; n < 3; n++)
      expect((await ask('POST', '/v1/listings', { key, body: listing })).status).toBe(201)
    expect(await ask('POST', '/v1/listings', { key, body: listing })).toMatchObject({
      status: 402,
      body: { creditsRequired: 201 },
    })
    expect(await ask('POST', '/v1/listings', { key, body: { ...listing, title: '' } })).toMatchObject({
      status: 422,
    })
    expect(await ask('POST', '/v1/listings', { key, body: listing, pay: true })).toMatchObject({
      status: 201,
      body: { free_listings_left: 0 },
    })
    expect(await balance(key)).toMatchObject({ available: 1000 - 201 })
  })

  test('the manifest and the onboarding tell the same prices', async () => {
    const { prices } = (await ask('GET', '/v1/onboarding')).body as unknown as {
      prices: { credits: number }[]
    }
    expect(prices.map(({ credits }) => credits)).toEqual([1, 1, 201, 2000, 2000])
    const manifest = await ask('GET', '/.well-known/x402')
    expect(JSON.stringify(manifest.body)).toContain('/v1/account/credits')
  })
})
