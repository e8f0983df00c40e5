import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js'
import type { StreamableHTTPClientTransport as McpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { KeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import { start } from '../../app/start.ts'
import { amountIn } from '../../mcp/ports/solnet/accounts.ts'
import { fromBase58 } from '../../mcp/ports/solnet/base58.ts'
import { toAddress } from '../../mcp/ports/solnet/keys.ts'
import { findTokenAccount, solanaNetworks } from '../../mcp/ports/solnet/network.ts'
import { startInternet } from '../internet/internet.ts'
import { hasSolana } from '../payment/svm-world.ts'
import { describeJudged, loadJudge } from './judges.ts'
import { type Connect, speak1, speak03 } from './pay-a2a-clients.ts'

const there = await hasSolana()
const { id: network, mint } = solanaNetworks.devnet
const price = 2_000n
const repairAnswer = { skill: 'json-repair', repaired: true, result: { a: 1 } }

/** A wallet that pays on the local Solana with the stock client, as it comes but for where the chain is. */
const openWallet = async (signer: KeyPairSigner, rpcUrl: string) => {
  const { wrapFetchWithPayment, x402Client, x402HTTPClient } =
    await loadJudge<typeof import('@x402/fetch')>('@x402/fetch')
  const { ExactSvmScheme } =
    await loadJudge<typeof import('@x402/svm/exact/client')>('@x402/svm/exact/client')
  const client = new x402Client().register('solana:*', new ExactSvmScheme(signer, { rpcUrl }))
  const http = new x402HTTPClient(client)
  const quoteIn = ({ headers }: Response) => http.getPaymentRequiredResponse(name => headers.get(name))
  return {
    address: signer.address,
    fetch: wrapFetchWithPayment(fetch, client),
    quoteIn,
    /** The header with a signed payment for the quote of an unpaid answer. */
    sign: async (unpaid: Response) =>
      http.encodePaymentSignatureHeader(await client.createPaymentPayload(quoteIn(unpaid))),
    receiptIn: ({ headers }: Response) =>
      http.getPaymentSettleResponse(name => headers.get(name)) as ReturnType<
        typeof http.getPaymentSettleResponse
      > & { receipt?: string },
  }
}

/** The whole program with its local Solana, the demo wallet and a wallet that holds nothing. */
const startSolanaApp = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-solana-'))
  const internet = await startInternet()
  const settings = { PORT: '0', OCTAGENT_DATA: dir, OCTAGENT_LOG: 'silent', OCTAGENT_RATE_LIMIT: '1000000' }
  const app = await start(readConfig(settings, services), { ports: internet.ports() })
  const rpc = (await app.solanaRpc()) ?? ''
  const keys = JSON.parse(await readFile(join(dir, 'solnet.json'), 'utf8')) as Record<
    'demo' | 'payTo',
    string
  >
  const { createKeyPairSignerFromBytes, generateKeyPairSigner } =
    await loadJudge<typeof import('@solana/kit')>('@solana/kit')
  const demo = await createKeyPairSignerFromBytes(new Uint8Array(fromBase58(keys.demo) ?? []))

  const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const { result } = (await (await fetch(rpc, { method: 'POST', headers, body })).json()) as {
      result: { value: unknown }
    }
    return result.value
  }
  const holds = async (owner: string): Promise<bigint> => {
    const account = await ask('getAccountInfo', await findTokenAccount(mint, owner), { encoding: 'base64' })
    return amountIn(Buffer.from((account as { data: [string] }).data[0], 'base64'))
  }
  return {
    url: app.url,
    demo: await openWallet(demo, rpc),
    poor: await openWallet(await generateKeyPairSigner(), rpc),
    /** Atomic USDC of the demo wallet and of the service. */
    held: async () => ({ demo: await holds(demo.address), till: await holds(toAddress(keys.payTo)) }),
    status: async (signature: string) => ((await ask('getSignatureStatuses', [signature])) as unknown[])[0],
    async stop() {
      await app.stop()
      await internet.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

describeJudged('clients', 'the stock x402 client pays on Solana', () => {
  describe.skipIf(!there)('for a data skill', () => {
    let app: Awaited<ReturnType<typeof startSolanaApp>>
    let url: string
    let before: Awaited<ReturnType<typeof app.held>>
    beforeAll(async () => {
      app = await startSolanaApp()
      url = `${app.url}/data/skills/json-repair?json=%7Ba:1`
    })
    afterAll(() => app?.stop())

    const remember = async () => {
      before = await app.held()
    }
    const expectPaid = async (times: bigint) =>
      expect(await app.held()).toEqual({
        demo: before.demo - price * times,
        till: before.till + price * times,
      })

    test('pays over REST, gets the answer and a receipt, and the chain agrees to the cent', async () => {
      await remember()
      const response = await app.demo.fetch(url)
      expect([response.status, await response.json()]).toEqual([200, expect.objectContaining(repairAnswer)])
      const settlement = app.demo.receiptIn(response)
      expect(settlement).toMatchObject({ success: true, network, payer: app.demo.address })
      await expectPaid(1n)
      const { transaction } = settlement
      expect(await app.status(transaction)).toMatchObject({ err: null })
      const receipt = await fetch(`${app.url}/receipts/${settlement.receipt}`)
      expect([receipt.status, await receipt.json()]).toEqual([
        200,
        expect.objectContaining({
          service: 'data',
          tool: 'json-repair',
          amount: String(price),
          network,
          transaction,
          state: 'done',
        }),
      ])
    })

    test('answers the same payment with the same bytes and receipt, for one debit', async () => {
      await remember()
      const headers = await app.demo.sign(await fetch(url))
      const one = await fetch(url, { headers })
      const text = await one.text()
      expect([one.status, JSON.parse(text)]).toEqual([200, expect.objectContaining(repairAnswer)])
      const again = await fetch(url, { headers })
      expect([again.status, await again.text()]).toEqual([200, text])
      const { receipt } = app.demo.receiptIn(one)
      expect(receipt).toBeTypeOf('string')
      expect(app.demo.receiptIn(again).receipt).toBe(receipt)
      await expectPaid(1n)
    })

    test('tells a wallet without USDC why its payment is refused', async () => {
      await remember()
      const response = await app.poor.fetch(url)
      expect(response.status).toBe(402)
      expect(app.poor.quoteIn(response)).toMatchObject({
        error: 'insufficient_funds',
        accepts: [{ network, amount: String(price), asset: mint }],
      })
      expect(app.poor.receiptIn(response)).toMatchObject({
        success: false,
        errorReason: 'insufficient_funds',
      })
      await expectPaid(0n)
    })

    test.each<[string, Connect]>([
      ['SDK 0.3.14', speak03],
      ['SDK 1.3.0', speak1],
    ])('is asked for nothing over A2A by %s', async (_, connect) => {
      await remember()
      const client = await connect(`${app.url}/data`, fetch)
      const { data, metadata } = await client.say({ skill: 'json-repair', json: '{a:1' })
      expect(data).toEqual([expect.objectContaining(repairAnswer)])
      expect(Object.keys(metadata).filter(key => key.startsWith('x402'))).toEqual([])
      await expectPaid(0n)
    })

    test('is asked for nothing over MCP', async () => {
      await remember()
      const { Client } = await loadJudge<{ Client: typeof McpClient }>(
        '@modelcontextprotocol/sdk/client/index.js',
      )
      const { StreamableHTTPClientTransport } = await loadJudge<{
        StreamableHTTPClientTransport: typeof McpTransport
      }>('@modelcontextprotocol/sdk/client/streamableHttp.js')
      const client = new Client({ name: 'payer', version: '1.0.0' })
      await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/data/mcp`)) as Transport)
      const result = await client.callTool({ name: 'json-repair', arguments: { json: '{a:1' } })
      await client.close()
      expect(result.structuredContent).toMatchObject(repairAnswer)
      expect([result.isError ?? false, result._meta?.['x402/payment-response']]).toEqual([false, undefined])
      await expectPaid(0n)
    })
  })
})
