import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onAnvil } from '../payment/evm-chain.ts'
import { type AccountsApp, openAccountsApp } from '../services/proof/accounts-app.ts'
import { describeJudged, loadJudge } from './judges.ts'
import { openPayer } from './payer.ts'

type Wallet = { payInvoice(order: { invoice: string }): Promise<{ preimage: string }> }
type Pay = (url: string, request: RequestInit, options: { wallet: Wallet }) => Promise<Response>
type Alby = { fetch402: Pay; fetchWithMpp: Pay }

type Client = {
  Fetch: { from(options: { fetch?: typeof fetch; methods: unknown[] }): typeof fetch }
  evm: { charge(options: object): unknown }
  Method: {
    from(facts: object): object
    toClient(method: object, facts: object): unknown
  }
  Credential: { serialize(credential: object): string }
}

type Schema = (...shape: unknown[]) => unknown

const json = { 'content-type': 'application/json' }

const body = (artifact: string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { ...json, ...headers },
  body: JSON.stringify({ artifact, artifact_type: 'shell_command' }),
})

/** The service behind a proxy that shows one challenge only, for clients that read no others. */
const startProxy = async (target: string, scheme: RegExp) => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(
        Object.entries(request.headers).flatMap(([name, value]) =>
          typeof value === 'string' && !['host', 'connection', 'content-length'].includes(name)
            ? [[name, value]]
            : [],
        ),
      ),
      body: Buffer.concat(chunks),
    })
    const [challenge] = scheme.exec(answer.headers.get('www-authenticate') ?? '') ?? []
    response.writeHead(answer.status, { ...json, ...(challenge && { 'www-authenticate': challenge }) })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}

describeJudged('clients', 'stock clients pay the verification service', () => {
  let app: AccountsApp
  let alby: Alby
  let wallet: Wallet & { paid: string[] }
  beforeAll(async () => {
    app = await openAccountsApp()
    alby = await loadJudge<Alby>('@getalby/lightning-tools/402')
    const paid: string[] = []
    wallet = {
      paid,
      async payInvoice({ invoice }) {
        paid.push(invoice)
        return { preimage: await app.payInvoice(invoice) }
      },
    }
  })
  afterAll(() => app.stop())

  test('Alby’s fetch402 pays a review, once', async () => {
    const before = wallet.paid.length
    const response = await alby.fetch402(`${app.url}/review`, body('rm -rf /'), { wallet })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ verdict: 'reject' })
    expect(wallet.paid).toHaveLength(before + 1)
  })

  test('Alby’s fetch402 tops up the account of a key', async () => {
    const { headers } = await app.funded(0)
    const request = { method: 'POST', headers: { ...json, ...headers }, body: '{"sats":500}' }
    expect((await alby.fetch402(`${app.url}/topup`, request, { wallet })).status).toBe(200)
    expect((await app.get('/balance', headers)).body).toMatchObject({ balance_sats: 500 })
  })

  test('Alby’s fetchWithMpp pays the Payment challenge, once', async () => {
    const proxy = await startProxy(
      app.url,
      /Payment (?:\w+="[^"]*"(?:, )?)*method="lightning"(?:, \w+="[^"]*")*/,
    )
    const before = wallet.paid.length
    const response = await alby.fetchWithMpp(`${proxy.url}/review`, body('ls -la'), { wallet })
    expect([response.status, wallet.paid.length]).toEqual([200, before + 1])
    await proxy.stop()
  })

  test('L402 and Payment ask for the same invoice, and it pays one of them once', async () => {
    const refusal = await fetch(`${app.url}/review`, body('whoami'))
    const header = refusal.headers.get('www-authenticate') ?? ''
    const [, token = '', invoice = ''] = /token="([^"]+)"/.exec(header) ?? []
    const [, l402 = ''] = /invoice="([^"]+)"/.exec(header) ?? []
    const line =
      /Payment ((?:\w+="[^"]*"(?:, )?)*method="lightning"(?:, \w+="[^"]*")*)/.exec(header)?.[1] ?? ''
    const challenge = Object.fromEntries(
      Array.from(line.matchAll(/(\w+)="([^"]*)"/g), ([, name = '', value = '']) => [name, value]),
    )
    const request = JSON.parse(Buffer.from(challenge.request ?? '', 'base64url').toString())
    expect(invoice).toBe('')
    expect(request).toMatchObject({ amount: '200', currency: 'sat', methodDetails: { invoice: l402 } })
    const preimage = await app.payInvoice(l402)
    const credential = Buffer.from(JSON.stringify({ challenge, payload: { preimage } })).toString('base64url')
    const paid = await fetch(`${app.url}/review`, body('whoami', { authorization: `Payment ${credential}` }))
    expect(paid.status).toBe(200)
    const receipt = Buffer.from(paid.headers.get('payment-receipt') ?? '', 'base64url').toString()
    expect(JSON.parse(receipt)).toMatchObject({ method: 'lightning', status: 'success' })
    const again = await fetch(`${app.url}/review`, body('whoami', { authorization: `Payment ${credential}` }))
    expect(await again.json()).toEqual(await paid.json())
    const twice = await fetch(
      `${app.url}/review`,
      body('whoami', { authorization: `L402 ${token}:${preimage}` }),
    )
    expect(twice.status).toBe(409)
  })

  test('mppx pays the Payment challenge with a method of its own interface', async () => {
    const { Fetch } = await loadJudge<Client>('mppx/client')
    const { Method, Credential, z } = await loadJudge<Client & { z: Record<string, Schema> }>('mppx')
    const { object = () => ({}), string = () => ({}), record = () => ({}), any = () => ({}) } = z
    const lightning = Method.from({
      name: 'lightning',
      intent: 'charge',
      schema: {
        credential: { payload: object({ preimage: string() }) },
        request: object({
          amount: string(),
          currency: string(),
          externalId: string(),
          recipient: string(),
          methodDetails: record(string(), any()),
        }),
      },
    })
    const client = Method.toClient(lightning, {
      async createCredential({
        challenge,
      }: {
        challenge: { request: { methodDetails: { invoice: string } } }
      }) {
        const { preimage } = await wallet.payInvoice(challenge.request.methodDetails)
        return Credential.serialize({ challenge, payload: { preimage } })
      },
    })
    const before = wallet.paid.length
    const pay = Fetch.from({ fetch, methods: [client] })
    const response = await pay(`${app.url}/review`, body('uptime'))
    expect([response.status, wallet.paid.length]).toEqual([200, before + 1])
  })

  onAnvil('on local chains', () => {
    const demoKey = async () => {
      await fetch(`${app.url}/review`, body('date'))
      const keys = JSON.parse(await readFile(join(app.dir, 'devnet.json'), 'utf8')) as { demo: `0x${string}` }
      return keys.demo
    }

    test('the stock x402 client pays a review, and tops up at the stated rate', async () => {
      const payer = await openPayer(await demoKey())
      expect((await payer.fetch(`${app.url}/review`, body('df -h'))).status).toBe(200)
      const { headers } = await app.funded(0)
      const request = { method: 'POST', headers: { ...json, ...headers }, body: '{"sats":500}' }
      const response = await payer.fetch(`${app.url}/topup`, request)
      expect(await response.json()).toMatchObject({ added_sats: 500, balance_sats: 500 })
      const receipt = payer.receiptIn(response) as { receipt?: string }
      expect(await (await fetch(`${app.site}/receipts/${receipt.receipt}`)).json()).toMatchObject({
        amount: '300000',
        rate: { rate: '1 sat = 0.0006 usd', source: 'configured' },
      })
    })

    test('mppx with a wallet of tokens pays although the header has no room for a challenge of its own', async () => {
      const { Fetch, evm } = await loadJudge<Client>('mppx/client')
      const { privateKeyToAccount } = await loadJudge<typeof import('viem/accounts')>('viem/accounts')
      const method = evm.charge({
        account: privateKeyToAccount(await demoKey()),
        currencies: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
        networks: [8453],
        authorization: { name: 'USD Coin', version: '2' },
        decimals: 6,
      })
      const response = await Fetch.from({ fetch, methods: [method] })(`${app.url}/review`, body('free -m'))
      expect(response.status).toBe(200)
    })
  })
})
