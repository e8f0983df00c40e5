import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { x402Client } from '@x402/core/client'
import type { PaymentRequirements } from '@x402/core/types'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { refundToPayer } from '../../mcp/payment/gate/payer-refund.ts'
import { loadReceipt } from '../../mcp/payment/gate/receipt.ts'
import { mcpRoutes } from '../../mcp/server/index.ts'
import { PaymentRefunded, PaymentUnanswered, payingFetch, payingTools } from '../../pay.ts'
import { collectRoute } from '../../rest-adapter/collect.ts'
import { restRoutes } from '../../rest-adapter/index.ts'
import { receiptRoutes } from '../../rest-adapter/receipts.ts'
import { openShell } from '../../web/shell.ts'
import { listen } from '../listen.ts'
import { openFakeMethod, pay } from './fake-method.ts'
import { openPaid, type Paid } from './gate-fixture.ts'
import type { Payload, Requirements } from './x402.ts'

let paid: Paid
let url = ''
let stop: () => Promise<void>
let payer = ''
let signed: Payload[] = []
beforeEach(async () => {
  paid = await openPaid()
  payer = paid.chain.payer()
  signed = []
  const { world, holder, store, gate } = paid
  const deps = {
    store,
    methods: [openFakeMethod(paid.chain)],
    ledger: undefined,
    now: () => new Date(),
    allow: async () => undefined,
  }
  const receipts = receiptRoutes(
    {
      read: id => loadReceipt(store, id),
      claim: () => Promise.reject(new Error('nothing is claimed here')),
      refund: (id, _, evidence) =>
        refundToPayer(deps, id, { records: gate.provenRecords(evidence.payment) }, { kind: 'payer' }),
    },
    openShell(),
  )
  const server = await listen([
    { prefix: '', routes: [...receipts, collectRoute(world, [holder])] },
    {
      prefix: '/fixture',
      routes: [
        ...restRoutes(world, holder),
        ...mcpRoutes(world, holder, { shim: false, onClient: () => undefined }),
      ],
    },
  ])
  url = server.url
  paid.test.at(url)
  stop = server.stop
})
afterEach(async () => {
  await stop()
  await paid.stop()
})

/** The stock client with a wallet on the chain in memory. `sent` sees what is signed before it is sent. */
const openClient = (sent: (payload: Payload) => void = () => undefined) =>
  new x402Client().setSpendControls(false).register('eip155:84532', {
    scheme: 'exact',
    createPaymentPayload: async (x402Version: number, requirements: PaymentRequirements) => {
      const { payload } = pay(paid.chain, payer, requirements as unknown as Requirements)
      signed.push({ payload } as Payload)
      sent({ payload } as Payload)
      return { x402Version, payload: payload as Record<string, unknown> }
    },
  })

const call = (send: typeof fetch) =>
  send(`${url}/fixture/tools/feed`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ cat: 'Mia' }),
  })

const expectOneMeal = async (answer: Response) => {
  expect([answer.status, await answer.json()]).toEqual([200, { said: 'feed Mia', run: 1 }])
  expect([signed.length, paid.chain.debits()]).toEqual([1, 100_000n])
}

const authorizationOf = ({ payload }: Payload) =>
  (payload as { authorization: Parameters<Paid['chain']['execute']>[0] }).authorization

test('a call on a slow chain is collected: signed once, paid once, run once', async () => {
  paid.chain.slow = true
  const asked: string[] = []
  const send: typeof fetch = async (input, init) => {
    asked.push(`${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`)
    const response = await fetch(input, init)
    if (response.status === 202) paid.chain.confirm()
    return response
  }
  await expectOneMeal(await call(payingFetch({ client: openClient() }, send)))
  expect(asked.map(line => line.replace(/[\w-]{43}$/, '…'))).toEqual([
    'POST /fixture/tools/feed',
    'POST /fixture/tools/feed',
    'GET /payments/…',
  ])
})

test('a connection that breaks after the payment was taken, a chain that is down, work that fails: the same payment again', async () => {
  let broken = 0
  const send: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (response.status === 402 || broken === 3) return response
    broken += 1
    paid.chain.down = broken === 1
    paid.knobs.fail = broken === 2 ? new Error('broken') : undefined
    if (broken === 1) throw new TypeError('fetch failed')
    return response
  }
  await expectOneMeal(await call(payingFetch({ client: openClient() }, send)))
})

test('money that does not pay the call is taken back', async () => {
  // A stranger carries the authorization before it is sent, and what is sent with it names no quote of ours.
  const client = openClient(payload => void paid.chain.execute(authorizationOf(payload)))
  const strip: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    const header = headers.get('payment-signature')
    if (header !== null) {
      const payment = JSON.parse(Buffer.from(header, 'base64').toString())
      delete payment.accepted.extra.quote
      headers.set('payment-signature', Buffer.from(JSON.stringify(payment)).toString('base64'))
    }
    return fetch(input, { ...init, headers })
  }
  const refused = await call(payingFetch({ client }, strip)).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(PaymentRefunded)
  expect((refused as PaymentRefunded).refund).toMatchObject({ state: 'refunded', amount: '100000' })
  expect([paid.knobs.runs, paid.chain.refunds.size]).toEqual([0, 1])
})

test('whoever waits no longer goes on with the same payment later', async () => {
  paid.chain.slow = true
  const waiting = call(payingFetch({ client: openClient(), waitMs: 100 }))
  const error = await waiting.catch((error: unknown) => error)
  expect(error).toBeInstanceOf(PaymentUnanswered)
  paid.chain.confirm()
  await expectOneMeal(await (error as PaymentUnanswered<Response>).resume())
})

test('a payment that is refused is the 402, and no second one is signed', async () => {
  paid.chain.balances.set(payer, 0n)
  const answer = await call(payingFetch({ client: openClient() }))
  expect([answer.status, signed.length, paid.chain.debits()]).toEqual([402, 1, 0n])
})

test('a Location at another origin is not followed: the payment is sent again instead', async () => {
  paid.chain.slow = true
  paid.test.at('http://elsewhere.example')
  const origins = new Set<string>()
  const send: typeof fetch = async (input, init) => {
    origins.add(new URL(String(input)).origin)
    const response = await fetch(input, init)
    if (response.status === 202) paid.chain.confirm()
    return response
  }
  await expectOneMeal(await call(payingFetch({ client: openClient() }, send)))
  expect([...origins]).toEqual([url])
})

test('an answer that is kept no more where it was to be collected is asked for with the payment', async () => {
  paid.chain.slow = true
  const send: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (response.status === 202) paid.chain.confirm()
    return String(input).includes('/payments/') ? new Response(null, { status: 404 }) : response
  }
  await expectOneMeal(await call(payingFetch({ client: openClient() }, send)))
})

test('the tools of an MCP client are paid for alike', async () => {
  const client = new Client({ name: 'payer', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/fixture/mcp`)) as Transport)
  paid.chain.slow = true
  const settling = vi.waitFor(() => expect(paid.chain.debits()).toBe(100_000n), 10_000)
  settling.then(() => setTimeout(() => paid.chain.confirm(), 50))
  const tools = payingTools(client, { client: openClient() })
  const answer = await tools.callTool({ name: 'feed', arguments: { cat: 'Mia' } })
  expect(answer.structuredContent).toEqual({ said: 'feed Mia', run: 1 })
  expect([signed.length, paid.chain.debits(), paid.knobs.runs]).toEqual([1, 100_000n, 1])
  await client.close()
})
