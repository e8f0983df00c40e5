import type {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
} from '@modelcontextprotocol/client'
import type { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import type { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadJudge } from './judges.ts'
import { type PaidApp, type Purr, paidFor, paying, startPaidApp } from './payer.ts'

type Result = {
  content: { text: string }[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Record<string, unknown>
}

/** What the tests need of a client, whichever SDK it is of. */
type Client = {
  listTools(): Promise<{ tools: { name: string; outputSchema?: unknown }[] }>
  callTool(params: {
    name: string
    arguments: Record<string, unknown>
    _meta?: Record<string, unknown>
  }): Promise<Result>
  close(): Promise<void>
}

const info = { name: 'payer', version: '1.0.0' }

const connect1 = async (url: string): Promise<Client> => {
  const { Client } = await loadJudge<{ Client: typeof Client1 }>('@modelcontextprotocol/sdk/client/index.js')
  const { StreamableHTTPClientTransport } = await loadJudge<{
    StreamableHTTPClientTransport: typeof Transport1
  }>('@modelcontextprotocol/sdk/client/streamableHttp.js')
  const client = new Client(info)
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport)
  return client as unknown as Client
}

const connect2 =
  (mode?: 'auto') =>
  async (url: string): Promise<Client> => {
    const { Client, StreamableHTTPClientTransport } = await loadJudge<{
      Client: typeof Client2
      StreamableHTTPClientTransport: typeof Transport2
    }>('@modelcontextprotocol/client')
    const client = new Client(info, mode ? { versionNegotiation: { mode } } : {})
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    return client as unknown as Client
  }

const rows: [string, (url: string) => Promise<Client>][] = [
  ['SDK v1', connect1],
  ['SDK v2 as it comes', connect2()],
  ['SDK v2, negotiating', connect2('auto')],
]

const receiptKey = 'x402/payment-response'

paying('the stock x402 client pays over MCP', () => {
  let app: PaidApp
  beforeAll(async () => {
    app = await startPaidApp()
  })
  afterAll(() => app.stop())

  describe.each(rows)('%s', (_, connect) => {
    let client: Client
    beforeAll(async () => {
      client = await connect(`${app.url}/cat/mcp`)
      const { tools } = await client.listTools()
      expect(tools.find(({ name }) => name === 'feed')?.outputSchema).toBeTypeOf('object')
    })
    afterAll(() => client.close())

    const feed = (payment?: object, name = 'feed') =>
      client.callTool({ name, arguments: {}, ...(payment && { _meta: { 'x402/payment': payment } }) })
    const sign = async (wallet = app.demo) => wallet.sign((await feed()).structuredContent)

    test('gets the quote as a failed result, in structure and in text', async () => {
      const { isError, structuredContent, content } = await feed()
      expect(isError).toBe(true)
      expect(structuredContent).toMatchObject({
        x402Version: 2,
        resource: { url: expect.stringMatching(/^mcp:\/\/tool\//) },
        accepts: [{ scheme: 'exact', network: 'eip155:8453', amount: '100000' }],
        extensions: { bazaar: { info: { input: { type: 'mcp', toolName: 'feed' } } } },
      })
      expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent)
    })

    test('pays, and reads the answer and the receipt', async () => {
      const payment = await sign()
      const before = await app.moved()
      const { isError, structuredContent, content, _meta } = await feed(payment)
      expect(isError ?? false).toBe(false)
      const purr = structuredContent as Purr
      expect(purr).toMatchObject({ network: 'eip155:8453', number: expect.any(Number) })
      expect(JSON.parse(content[0]?.text ?? '')).toEqual(purr)
      const receiptMeta = _meta?.[receiptKey] as { receipt: string; payer: string }
      const { transaction } = purr
      expect(receiptMeta).toMatchObject({ success: true, transaction, network: 'eip155:8453' })
      expect(receiptMeta.payer.toLowerCase()).toBe(app.demo.address.toLowerCase())
      expect(await app.receipt(transaction)).toMatchObject({ status: 'success' })
      expect(await app.moved(before)).toEqual(paidFor(1))
      const receipt = await fetch(`${app.url}/receipts/${receiptMeta.receipt}`)
      expect(await receipt.json()).toMatchObject({ tool: 'feed', transaction, state: 'done' })
    })

    test('gets the same answer for the same payment, here and over REST, for one debit', async () => {
      const payment = await sign()
      const before = await app.moved()
      const { structuredContent } = await feed(payment)
      expect(structuredContent).toMatchObject({ network: 'eip155:8453' })
      expect((await feed(payment)).structuredContent).toEqual(structuredContent)
      const headers = app.demo.header(payment)
      const rest = await fetch(`${app.url}/cat/api/feed`, { method: 'POST', headers })
      expect(await rest.json()).toEqual(structuredContent)
      expect(await app.moved(before)).toEqual(paidFor(1))
    })

    test('is refused with a payment that paid for another tool', async () => {
      const payment = await sign()
      await feed(payment)
      const before = await app.moved()
      const { isError, content, _meta } = await feed(payment, 'feed_testnet')
      expect(isError).toBe(true)
      expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({ code: 'conflict' })
      expect(_meta?.[receiptKey]).toMatchObject({
        success: false,
        errorReason: 'invalid_exact_evm_nonce_already_used',
      })
      expect(await app.moved(before)).toEqual(paidFor(0))
    })

    test('is told why the payment of a wallet without USDC is refused', async () => {
      const { isError, structuredContent, _meta } = await feed(await sign(app.poor))
      expect(isError).toBe(true)
      expect(structuredContent).toMatchObject({ error: 'insufficient_funds', accepts: [expect.any(Object)] })
      expect(_meta?.[receiptKey]).toMatchObject({ success: false, errorReason: 'insufficient_funds' })
    })

    test('pays through the bundle, too', async () => {
      const bundle = await connect(`${app.url}/mcp`)
      await bundle.listTools()
      const call = (_meta?: Record<string, unknown>) =>
        bundle.callTool({
          name: 'call_tool',
          arguments: { name: 'cat_feed', arguments: {} },
          ...(_meta && { _meta }),
        })
      const quote = await call()
      expect(quote).toMatchObject({ isError: true, structuredContent: { x402Version: 2 } })
      const before = await app.moved()
      const result = await call({ 'x402/payment': await app.demo.sign(quote.structuredContent) })
      expect(result).toMatchObject({
        structuredContent: { network: 'eip155:8453' },
        _meta: { [receiptKey]: { success: true } },
      })
      expect(await app.moved(before)).toEqual(paidFor(1))
      await bundle.close()
    })
  })
})
