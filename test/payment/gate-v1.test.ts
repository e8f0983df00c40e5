import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PaymentRequired } from '../../mcp/kernel/error.ts'
import { claimReceipt, claimText } from '../../mcp/payment/gate/claim.ts'
import { type Authorization, openChain, openFakeMethod, pay } from './fake-method.ts'
import { type CallOptions, failing, openPaid, type Paid, readQuote } from './gate-fixture.ts'

let paid: Paid
let at = 0
beforeEach(async () => {
  at = Date.parse('2026-11-22T12:00:00Z')
  paid = await openPaid({ clock: () => new Date(at) })
})
afterEach(() => paid.stop())

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')

/** A payment as a buyer of version 1 sends it. */
const signedV1 = async () => {
  const { ask, chain, feed } = paid
  const { payload } = pay(chain, chain.payer(), await readQuote(ask(feed)))
  return { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload }
}

const from = (payment: unknown, more: CallOptions = {}): CallOptions => ({
  evidence: { headers: { 'x-payment': base64(payment) }, meta: {} },
  client: '192.0.2.1',
  resource: 'https://cat.example.org/api/feed',
  ...more,
})

describe('the quote of version 1', () => {
  const readBody = async (promise: Promise<unknown>) => {
    const error = await failing(promise)
    if (!(error instanceof PaymentRequired)) throw error
    return error.parts.body as { x402Version?: number; accepts?: { network: string; resource: string }[] }
  }

  test('stands at the top of the body, beside that of version 2', async () => {
    const body = await readBody(paid.ask(paid.feed, { resource: 'https://cat.example.org/api/feed' }))
    expect(body).toMatchObject({
      x402Version: 1,
      error: 'Payment required',
      paymentRequired: { x402Version: 2 },
    })
    expect(body.accepts).toEqual([
      {
        scheme: 'exact',
        network: 'base-sepolia',
        maxAmountRequired: '100000',
        resource: 'https://cat.example.org/api/feed',
        description: paid.feed.description,
        mimeType: 'application/json',
        payTo: paid.chain.payTo,
        maxTimeoutSeconds: 300,
        asset: paid.chain.asset,
        extra: { name: 'USDC', version: '2', paymentFlow: 'upfront' },
      },
    ])
  })

  test('leaves out networks that version 1 has no name for, and itself where none is left', async () => {
    const [arbitrum, base] = [openChain('eip155:42161'), openChain('eip155:8453')]
    const methodOn = (chain: typeof base) => ({ ...openFakeMethod(chain), takes: () => true })
    const resource = 'https://cat.example.org/api/feed'
    const both = await readBody(paid.boot([methodOn(arbitrum), methodOn(base)]).ask(paid.feed, { resource }))
    expect(both.accepts?.map(({ network }) => network)).toEqual(['base'])
    const none = await readBody(paid.boot([methodOn(arbitrum)]).ask(paid.feed, { resource }))
    expect([none.x402Version, none.accepts]).toEqual([undefined, undefined])
    expect(none).toMatchObject({ paymentRequired: { accepts: [{ network: 'eip155:42161' }] } })
  })

  test('is left out for a resource that is not absolute', async () => {
    expect(await readBody(paid.ask(paid.feed, { resource: '/api/feed' }))).not.toHaveProperty('accepts')
  })
})

describe('a payment of version 1', () => {
  test.each(['x-payment', 'payment-signature'])('pays in %s', async header => {
    const evidence = { headers: { [header]: base64(await signedV1()) }, meta: {} }
    const { output, parts } = await paid.ask(paid.feed, { evidence })
    expect(output).toMatchObject({ run: 1 })
    const read = (name: string) =>
      JSON.parse(Buffer.from(parts?.headers?.[name] ?? '', 'base64').toString('utf8'))
    expect(read('X-PAYMENT-RESPONSE')).toMatchObject({ success: true, network: 'base-sepolia' })
    expect(read('PAYMENT-RESPONSE')).toMatchObject({ success: true, network: 'eip155:84532' })
  })

  test.each([
    ['x402.payment', (payment: object) => base64(payment)],
    ['x402.payment.payload', (payment: object) => payment],
    ['x402/payment', (payment: object) => payment],
    ['org.x402/payment', (payment: object) => ({ paymentPayload: payment })],
  ])('pays in the metadata %s', async (name, place) => {
    const evidence = { headers: {}, meta: { [name]: place(await signedV1()) } }
    expect((await paid.ask(paid.feed, { evidence })).output).toMatchObject({ run: 1 })
  })

  test('of version 2 in the header of version 1 pays as well', async () => {
    const payment = pay(paid.chain, paid.chain.payer(), await readQuote(paid.ask(paid.feed)))
    expect((await paid.ask(paid.feed, from(payment))).output).toMatchObject({ run: 1 })
  })

  test('cannot hold a price: when that has changed, it is refused with the mismatch and a fresh quote', async () => {
    const payment = await signedV1()
    for (const price of ['0.2', '0.05']) {
      paid.knobs.price = price
      const error = await failing(paid.ask(paid.feed, from(payment)))
      expect(error.extra.reason).toBe(price === '0.2' ? 'too_little' : 'too_much')
      expect((error as PaymentRequired).parts.body).toMatchObject({
        x402Version: 1,
        error: 'invalid_exact_evm_payload_authorization_value_mismatch',
      })
    }
    expect(paid.chain.debits()).toBe(0n)
  })

  test('for a network without a name here is refused with the network', async () => {
    const error = await failing(paid.ask(paid.feed, from({ ...(await signedV1()), network: 'iotex' })))
    expect(error.extra.reason).toBe('wrong_network')
  })

  test('that cannot be read is named by its header', async () => {
    for (const [header, value] of [
      ['x-payment', 'garbage'],
      ['payment-signature', base64({ x402Version: 3 })],
    ] as const) {
      const error = await failing(
        paid.ask(paid.feed, { evidence: { headers: { [header]: value }, meta: {} } }),
      )
      expect([error.code, error.extra.reason]).toEqual(['payment_required', 'unreadable'])
      expect(error.message).toContain(header.toUpperCase())
    }
  })

  test('beside another one is ambiguous, and neither moves; beside itself in version 2 it is one', async () => {
    const { ask, feed, chain } = paid
    const offer = await readQuote(ask(feed))
    const [one, other] = [pay(chain, chain.payer(), offer), await signedV1()]
    const both = (v2: object, v1: object) => ({
      evidence: { headers: { 'payment-signature': base64(v2), 'x-payment': base64(v1) }, meta: {} },
    })
    const error = await failing(ask(feed, both(one, other)))
    expect([error.status, error.extra.reason, chain.debits()]).toEqual([402, 'ambiguous_payment', 0n])
    const same = { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: one.payload }
    expect((await ask(feed, both(one, same))).output).toMatchObject({ run: 1 })
    expect(chain.debits()).toBe(100_000n)
  })
})

describe('a payment of version 1 that is sent again', () => {
  const other = '198.51.100.7'

  test('gets the answer at the same address for two minutes, and nobody else gets it', async () => {
    const { ask, feed, chain } = paid
    const payment = await signedV1()
    const first = await ask(feed, from(payment))
    at += 119_000
    expect(await ask(feed, from(payment))).toMatchObject({ output: first.output, replayed: true })
    const stranger = await failing(ask(feed, from(payment, { client: other })))
    expect([stranger.status, stranger.extra.reason]).toEqual([409, 'claim_needed'])
    at += 2_000
    const late = await failing(ask(feed, from(payment)))
    expect([late.status, late.extra.params?.receipt]).toEqual([409, first.receipt?.id])
    expect([paid.knobs.runs, chain.debits()]).toEqual([1, 100_000n])
  })

  test.each([
    ['the same Idempotency-Key', { idempotencyKey: '0f8a5b0c-7d31-4a53-9e6f' }],
    ['the same A2A task', { task: 'ab'.repeat(16) }],
  ])('gets it with %s from anywhere, at any time', async (_, secret) => {
    const { ask, look } = paid
    const payment = await signedV1()
    const first = await ask(look, from(payment, secret))
    at += 3_600_000
    expect(await ask(look, from(payment, { ...secret, client: other }))).toMatchObject({
      output: first.output,
      replayed: true,
    })
    expect((await failing(ask(look, from(payment, { client: other })))).status).toBe(409)
  })

  test('is not opened by a key that is short enough to guess', async () => {
    const { ask, look } = paid
    const payment = await signedV1()
    await ask(look, from(payment, { idempotencyKey: '1' }))
    const error = await failing(ask(look, from(payment, { client: other, idempotencyKey: '1' })))
    expect(error.status).toBe(409)
  })

  test('when somebody else carried it out before it came is a conflict, never a new quote', async () => {
    const { ask, feed, chain, knobs } = paid
    const payment = await signedV1()
    chain.execute(payment.payload.authorization as Authorization)
    const error = await failing(ask(feed, from(payment)))
    expect([error.status, error.extra.reason, knobs.runs]).toEqual([409, 'payment_owed', 0])
    expect(error.extra.charged).toBe(true)
  })

  test('by a stranger joins nothing and finishes nothing while it is confirmed', async () => {
    const { ask, feed, chain, knobs } = paid
    const payment = await signedV1()
    chain.slow = true
    expect((await failing(ask(feed, from(payment)))).status).toBe(202)
    expect((await failing(ask(feed, from(payment, { client: other })))).status).toBe(202)
    chain.confirm()
    expect((await failing(ask(feed, from(payment, { client: other })))).status).toBe(202)
    expect(knobs.runs).toBe(0)
    expect((await ask(feed, from(payment))).output).toMatchObject({ run: 1 })
  })

  test('at once from two addresses is answered to the first', async () => {
    const { ask, feed, chain } = paid
    const payment = await signedV1()
    const [first, second] = await Promise.allSettled([
      ask(feed, from(payment)),
      ask(feed, from(payment, { client: other })),
    ])
    expect([first.status, second.status]).toEqual(['fulfilled', 'rejected'])
    expect(chain.debits()).toBe(100_000n)
  })

  test('whose work failed is served free to its sender, and to no stranger', async () => {
    const { ask, feed, knobs } = paid
    const payment = await signedV1()
    knobs.fail = new Error('broken')
    await failing(ask(feed, from(payment)))
    knobs.fail = undefined
    expect((await failing(ask(feed, from(payment, { client: other })))).status).toBe(409)
    expect((await ask(feed, from(payment))).output).toMatchObject({ run: 1 })
  })

  test('gets it late at another address once its payer has signed the receipt', async () => {
    const { ask, feed, chain, store } = paid
    const payment = await signedV1()
    const { output, receipt } = await ask(feed, from(payment))
    at += 3_600_000
    const id = receipt?.id ?? ''
    const deps = { store, methods: [openFakeMethod(chain)], now: () => new Date(at) }
    const { from: payer } = payment.payload.authorization as Authorization
    const forgery = failing(claimReceipt(deps, id, chain.signText(chain.payer(), claimText(id)), other))
    expect((await forgery).code).toBe('forbidden')
    expect((await failing(ask(feed, from(payment, { client: other })))).status).toBe(409)
    await claimReceipt(deps, id, chain.signText(payer, claimText(id)), other)
    expect((await ask(feed, from(payment, { client: other }))).output).toEqual(output)
    expect((await failing(ask(feed, from(payment, { client: '203.0.113.9' })))).status).toBe(409)
    at += 121_000
    expect((await failing(ask(feed, from(payment, { client: other })))).status).toBe(409)
  })

  test('needs no claim in version 2, which holds a quote of ours', async () => {
    const { ask, feed, chain, store } = paid
    const payment = pay(chain, chain.payer(), await readQuote(ask(feed)))
    const { receipt } = await ask(feed, { payment, client: '192.0.2.1' })
    at += 3_600_000
    expect((await ask(feed, { payment, client: other })).replayed).toBe(true)
    const deps = { store, methods: [openFakeMethod(chain)], now: () => new Date(at) }
    expect((await failing(claimReceipt(deps, receipt?.id ?? '', '', other))).code).toBe('conflict')
    expect((await failing(claimReceipt(deps, '0'.repeat(32), '', other))).code).toBe('not_found')
  })
})
