import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import tasks from '../../mcp/services/tasks/service.ts'
import { openTestApp, type TestApp } from '../../testing.ts'
import { describeJudged, loadJudge } from './judges.ts'

type Hex = `0x${string}`
type Signer = { chainId: number; address: Hex; signMessage(message: Uint8Array): Promise<Hex> }
type Stock = {
  createSignerClient(signer: Signer): {
    fetch(url: string, init?: RequestInit): Promise<Response>
    signRequest(url: string, init?: RequestInit): Promise<Request>
  }
}

const account = privateKeyToAccount(generatePrivateKey())

describeJudged('clients', 'the stock client of ERC-8128', () => {
  let app: TestApp
  let client: ReturnType<Stock['createSignerClient']>
  beforeAll(async () => {
    app = await openTestApp({ services: [tasks] })
    const { createSignerClient } = await loadJudge<Stock>('@slicekit/erc8128')
    client = createSignerClient({
      chainId: 8453,
      address: account.address,
      signMessage: message => account.signMessage({ message: { raw: message } }),
    })
  })
  afterAll(() => app.close())

  const order = (body: object = {}): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const keys = () => `${app.url}/tasks/api/v1/auth/keys`

  test('is known by its wallet, and gets a key', async () => {
    const response = await client.fetch(keys(), order())
    expect(response.status).toBeLessThan(300)
    expect(JSON.stringify(await response.json()).toLowerCase()).toContain(account.address.toLowerCase())
  })

  test('is taken once for each signature, and not for another body, path or method', async () => {
    const signed = await client.signRequest(keys(), order())
    const headers = Object.fromEntries(signed.headers)
    const send = (url: string, init: RequestInit = {}) => fetch(url, { ...order(), headers, ...init })
    expect((await send(keys(), { body: '{"label":"other"}' })).status).toBe(401)
    expect((await send(`${keys()}?x=1`)).status).toBe(401)
    expect((await send(keys())).status).toBeLessThan(300)
    const again = await send(keys())
    expect(again.status).toBe(401)
    expect(await again.json()).toMatchObject({ reason: 'nonce_reused' })
  })
})

describeJudged('clients', 'older signatures of ERC-8128, switched off', () => {
  test('are refused with a reason', async () => {
    const app = await openTestApp({ services: [tasks], environment: { TASKS_OLDER_SIGNATURES: 'off' } })
    const { createSignerClient } = await loadJudge<Stock>('@slicekit/erc8128')
    const client = createSignerClient({
      chainId: 8453,
      address: account.address,
      signMessage: message => account.signMessage({ message: { raw: message } }),
    })
    const response = await client.fetch(`${app.url}/tasks/api/v1/auth/keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(response.status).toBe(401)
    await app.close()
  })
})
