import type { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import type { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadJudge } from './judges.ts'
import { type PaidApp, type Purr, paidFor, paying, startPaidApp } from './payer.ts'

/** Every stock client that can pay in USDC, against the 402 as it is served: each pays once, and gets what it paid for. */
paying('every stock client pays', () => {
  let app: PaidApp
  beforeAll(async () => {
    app = await startPaidApp()
  })
  afterAll(() => app.stop())

  type Account = ReturnType<typeof import('viem/accounts')['privateKeyToAccount']>
  /** Wallets of two libraries have types that differ in nothing that matters here. */
  const as = <T>(value: unknown): T => value as T

  const wallet = async () => {
    const { createWalletClient, http } = await loadJudge<typeof import('viem')>('viem')
    const { privateKeyToAccount } = await loadJudge<typeof import('viem/accounts')>('viem/accounts')
    const { base } = await loadJudge<typeof import('viem/chains')>('viem/chains')
    const account: Account = privateKeyToAccount(app.demoKey)
    return {
      account,
      client: createWalletClient({ account, chain: base, transport: http('http://127.0.0.1:9') }),
    }
  }

  const clientV2 = async (account: Account) => {
    const { x402Client } = await loadJudge<typeof import('@x402/fetch')>('@x402/fetch')
    const { ExactEvmScheme } =
      await loadJudge<typeof import('@x402/evm/exact/client')>('@x402/evm/exact/client')
    return new x402Client().register('eip155:*', new ExactEvmScheme(account))
  }

  const clientV1 = async (account: Account) => {
    const { ExactEvmSchemeV1 } = await loadJudge<typeof import('@x402/evm/v1')>('@x402/evm/v1')
    const client = await clientV2(account)
    return client.registerV1('base', as(new ExactEvmSchemeV1(account)))
  }

  const mppMethods = async (account: Account) => {
    const { evm } = await loadJudge<{ evm: { charge(options: object): unknown } }>('mppx/client')
    const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
    const authorization = { name: 'USD Coin', version: '2' }
    return [evm.charge({ account, currencies: [usdc], networks: [8453], authorization, decimals: 6 })]
  }

  type Answer = { status: number; body: Purr; header(name: string): string | null }

  const toAnswer = async (response: Response): Promise<Answer> => ({
    status: response.status,
    body: (await response.json()) as Purr,
    header: name => response.headers.get(name),
  })

  type AxiosAnswer = { status: number; data: Purr; headers: Record<string, string> }

  const fromAxios = ({ status, data, headers }: AxiosAnswer): Answer => ({
    status,
    body: data,
    header: name => headers[name] ?? null,
  })

  type Axios = { default: { create(): { post(url: string, body?: object): Promise<AxiosAnswer> } } }

  const overRest: [string, string, (url: string) => Promise<Answer>][] = [
    [
      '@x402/fetch',
      'payment-response',
      async url => {
        const { wrapFetchWithPayment } = await loadJudge<typeof import('@x402/fetch')>('@x402/fetch')
        const { account } = await wallet()
        return toAnswer(await wrapFetchWithPayment(fetch, await clientV2(account))(url, { method: 'POST' }))
      },
    ],
    [
      '@x402/fetch with version 1 registered',
      'payment-response',
      async url => {
        const { wrapFetchWithPayment } = await loadJudge<typeof import('@x402/fetch')>('@x402/fetch')
        const { account } = await wallet()
        return toAnswer(await wrapFetchWithPayment(fetch, await clientV1(account))(url, { method: 'POST' }))
      },
    ],
    [
      '@x402/fetch that sees version 1 only',
      'x-payment-response',
      async url => {
        const { wrapFetchWithPayment } = await loadJudge<typeof import('@x402/fetch')>('@x402/fetch')
        const { account } = await wallet()
        const withoutHeader: typeof fetch = async (...request) => {
          const response = await fetch(...request)
          const headers = new Headers(response.headers)
          headers.delete('payment-required')
          return new Response(response.body, { status: response.status, headers })
        }
        const client = await clientV1(account)
        return toAnswer(await wrapFetchWithPayment(withoutHeader, client)(url, { method: 'POST' }))
      },
    ],
    [
      '@x402/axios',
      'payment-response',
      async url => {
        const { wrapAxiosWithPayment } = await loadJudge<{
          wrapAxiosWithPayment<T>(axios: T, client: unknown): T
        }>('@x402/axios')
        const { default: axios } = await loadJudge<Axios>('axios')
        const { account } = await wallet()
        return fromAxios(await wrapAxiosWithPayment(axios.create(), await clientV2(account)).post(url))
      },
    ],
    [
      'x402-fetch',
      'x-payment-response',
      async url => {
        const { wrapFetchWithPayment } = await loadJudge<{
          wrapFetchWithPayment(fetch: unknown, wallet: unknown): typeof globalThis.fetch
        }>('x402-fetch')
        const { client } = await wallet()
        return toAnswer(await wrapFetchWithPayment(fetch, client)(url, { method: 'POST' }))
      },
    ],
    [
      'x402-axios',
      'x-payment-response',
      async url => {
        const { withPaymentInterceptor } = await loadJudge<{
          withPaymentInterceptor<T>(axios: T, wallet: unknown): T
        }>('x402-axios')
        const { default: axios } = await loadJudge<Axios>('axios')
        const { client } = await wallet()
        return fromAxios(await withPaymentInterceptor(axios.create(), client).post(url))
      },
    ],
    [
      'mppx Fetch',
      'payment-receipt',
      async url => {
        const { Fetch } = await loadJudge<{
          Fetch: { from(options: object): typeof globalThis.fetch }
        }>('mppx/client')
        const { account } = await wallet()
        const methods = await mppMethods(account)
        return toAnswer(await Fetch.from({ fetch, methods })(url, { method: 'POST' }))
      },
    ],
  ]

  test.each(overRest)('%s over REST, and reads its receipt in %s', async (_, receipt, pay) => {
    const before = await app.moved()
    const { status, body, header } = await pay(`${app.url}/cat/api/feed`)
    expect([status, body.network]).toEqual([200, 'eip155:8453'])
    const proof = JSON.parse(Buffer.from(header(receipt) ?? '', 'base64').toString())
    expect(proof.transaction ?? proof.reference).toBe(body.transaction)
    expect(await app.moved(before)).toEqual(paidFor(1))
  })

  describe('over MCP', () => {
    type Result = {
      structuredContent?: Record<string, unknown>
      _meta?: Record<string, unknown>
      isError?: boolean
      receipt?: { reference: string }
    }
    type Params = { name: string; arguments: object; _meta?: Record<string, unknown> }
    type Client = { callTool(params: Params): Promise<Result>; close(): Promise<void> }

    const connect = async (): Promise<Client> => {
      const { Client } = await loadJudge<{ Client: typeof Client1 }>(
        '@modelcontextprotocol/sdk/client/index.js',
      )
      const { StreamableHTTPClientTransport } = await loadJudge<{
        StreamableHTTPClientTransport: typeof Transport1
      }>('@modelcontextprotocol/sdk/client/streamableHttp.js')
      const client = new Client({ name: 'payer', version: '1.0.0' })
      await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/cat/mcp`)) as Transport)
      await client.listTools()
      return client as unknown as Client
    }
    const feed = { name: 'feed', arguments: {} }

    /** A version 1 payment for an entry of `accepts`, as base64: what x402-mcp has the model pass on. */
    const signV1 = async (entry: unknown) => {
      const { createPaymentHeader } = await loadJudge<{
        createPaymentHeader(wallet: unknown, version: number, entry: unknown): Promise<string>
      }>('x402/client')
      return createPaymentHeader((await wallet()).client, 1, entry)
    }
    const firstV1 = (quote: Result) =>
      (quote._meta?.['x402.payment-required'] as { accepts: unknown[] } | undefined)?.accepts[0]

    const rows: [string, (client: Client) => Promise<Result>][] = [
      [
        'SDK v1 with the x402 client',
        async client => {
          const { account } = await wallet()
          const quote = await client.callTool(feed)
          const payment = await (await clientV2(account)).createPaymentPayload(as(quote.structuredContent))
          return client.callTool({ ...feed, _meta: { 'x402/payment': payment } })
        },
      ],
      [
        'SDK v1 with the x402 client, nested as the extension has it',
        async client => {
          const { account } = await wallet()
          const quote = await client.callTool(feed)
          const payment = await (await clientV2(account)).createPaymentPayload(as(quote.structuredContent))
          const result = await client.callTool({
            ...feed,
            _meta: { 'org.x402/payment': { paymentPayload: payment } },
          })
          expect(result._meta?.['org.x402/payment']).toMatchObject({ settlementResponse: { success: true } })
          return result
        },
      ],
      [
        'x402-mcp, whose model passes an entry of version 1 on',
        async client =>
          client.callTool({
            ...feed,
            _meta: { 'x402.payment': await signV1(firstV1(await client.callTool(feed))) },
          }),
      ],
      [
        'mppx McpClient.wrap',
        async client => {
          const { McpClient } = await loadJudge<{
            McpClient: { wrap(client: unknown, options: object): Client }
          }>('mppx/mcp/client')
          const { account } = await wallet()
          const result = await McpClient.wrap(client, { methods: await mppMethods(account) }).callTool(feed)
          expect(result.receipt?.reference).toBe(result.structuredContent?.transaction)
          return result
        },
      ],
    ]

    test.each(rows)('%s', async (_, pay) => {
      const client = await connect()
      const before = await app.moved()
      const { isError, structuredContent } = await pay(client)
      expect([isError, structuredContent?.network]).toEqual([undefined, 'eip155:8453'])
      expect(await app.moved(before)).toEqual(paidFor(1))
      await client.close()
    })
  })

  describe('over A2A', () => {
    const send = async (message: object, headers: Record<string, string> = {}) => {
      const params = {
        message: { role: 'user', kind: 'message', messageId: crypto.randomUUID(), ...message },
      }
      const response = await fetch(`${app.url}/cat/a2a`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params }),
      })
      const { result } = (await response.json()) as { result: Task }
      return result
    }
    type Task = { id: string; status: { state: string; message: { metadata: Record<string, never> } } }
    const ask = { parts: [{ kind: 'data', data: { skill: 'feed' } }] }
    const pay = (taskId: string, metadata: object) => ({
      taskId,
      parts: [{ kind: 'text', text: 'pay' }],
      metadata,
    })

    test('the parser of a2a-x402, which takes the first entry of version 1', async () => {
      const headers = { 'X-A2A-Extensions': 'https://github.com/google-a2a/a2a-x402/v0.1' }
      const before = await app.moved()
      const task = await send(ask, headers)
      const quote = task.status.message.metadata['x402.payment.required'] as unknown as {
        accepts: unknown[]
      }
      const { createPaymentHeader } = await loadJudge<{
        createPaymentHeader(wallet: unknown, version: number, entry: unknown): Promise<string>
      }>('x402/client')
      const header = await createPaymentHeader((await wallet()).client, 1, quote.accepts[0])
      const payload = JSON.parse(Buffer.from(header, 'base64').toString())
      const metadata = { 'x402.payment.status': 'payment-submitted', 'x402.payment.payload': payload }
      const done = await send(pay(task.id, metadata), headers)
      expect(done.status.state).toBe('completed')
      expect(done.status.message.metadata['x402.payment.receipts']).toMatchObject([
        { success: true, network: 'base' },
      ])
      expect(await app.moved(before)).toEqual(paidFor(1))
    })

    test('mppx, with the challenge and the credential in the metadata', async () => {
      const { account } = await wallet()
      const [method] = (await mppMethods(account)) as {
        createCredential(options: object): Promise<string>
      }[]
      const { Credential } = await loadJudge<{ Credential: { deserialize(text: string): object } }>('mppx')
      const before = await app.moved()
      const task = await send(ask)
      const { challenges } = task.status.message.metadata['org.paymentauth/payment-required'] as unknown as {
        challenges: object[]
      }
      const credential = Credential.deserialize(
        (await method?.createCredential({ challenge: challenges[0] })) ?? '',
      )
      const done = await send(pay(task.id, { 'org.paymentauth/credential': credential }))
      expect(done.status.state).toBe('completed')
      expect(done.status.message.metadata['org.paymentauth/receipt']).toMatchObject({ status: 'success' })
      expect(await app.moved(before)).toEqual(paidFor(1))
    })
  })

  test('all headers of a 402 fit into 4 KiB, as a page in a browser gets them', async () => {
    const measureBytes = async (path: string) => {
      const response = await fetch(`${app.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: app.url },
        body: '{}',
      })
      expect([path, response.status]).toEqual([path, 402])
      const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`)
      return Buffer.byteLength(`HTTP/1.1 402 Payment Required\r\n${lines.join('')}\r\n`)
    }
    const paths = [
      '/cat/api/feed',
      '/cat/api/feed/testnet',
      '/cat/tools/feed',
      '/data/tools/site-audit',
      '/data/tools/domain-report',
      '/data/tools/dns-lookup',
      '/data/tools/seo-audit',
    ]
    const sizes = await Promise.all(paths.map(async path => [path, await measureBytes(path)] as const))
    console.log(sizes.map(([path, bytes]) => `${path} ${bytes}`).join('\n'))
    for (const [path, bytes] of sizes) expect([path, bytes <= 4096, bytes]).toEqual([path, true, bytes])
  })
})
