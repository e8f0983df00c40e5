import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMoney } from './run.ts'
import { base64, offer, quote, quoteV1 } from './shops.ts'

let money: Awaited<ReturnType<typeof startMoney>>
const at = new Date('2026-11-22T12:00:00Z')
const now = at.getTime() / 1000
beforeAll(async () => {
  money = await startMoney({ clock: { now: () => at } })
})
afterAll(() => money.stop())

const decode = (value: unknown) => money.ask('x402_decode', { value })

const authorization = {
  from: offer.payTo,
  to: offer.payTo,
  value: '10000',
  validAfter: String(now - 60),
  validBefore: String(now + 60),
  nonce: `0x${'1'.repeat(64)}`,
}
const payment = {
  x402Version: 2,
  accepted: offer,
  payload: { authorization, signature: `0x${'2'.repeat(130)}` },
}
const paymentV1 = { x402Version: 1, scheme: 'exact', network: 'base', payload: payment.payload }
const settled = {
  success: true,
  transaction: `0x${'3'.repeat(64)}`,
  network: 'eip155:8453',
  payer: offer.payTo,
}

test.each([
  ['a header line', `PAYMENT-REQUIRED: ${base64(quote())}`, 'payment_required', 2],
  ['a bare value', base64(quote()), 'payment_required', 2],
  ['a body of version 1', JSON.stringify(quoteV1()), 'payment_required', 1],
  ['a payment', `payment-signature: ${base64(payment)}`, 'payment', 2],
  ['a payment of version 1', `X-PAYMENT: ${base64(paymentV1)}`, 'payment', 1],
  ['a receipt', `PAYMENT-RESPONSE: ${base64(settled)}`, 'settlement', null],
  ['MCP _meta', { _meta: { 'x402/payment': payment } }, 'payment', 2],
  ['_meta itself', { 'x402/payment-response': settled }, 'settlement', null],
  ['an MCP result', { isError: true, structuredContent: quote() }, 'payment_required', 2],
  ['a quoted text', JSON.stringify(base64(payment)), 'payment', 2],
] as const)('reads %s', async (_what, value, kind, version) => {
  expect(await decode(value)).toMatchObject({ kind, version, valid: true, first: null })
})

test.each([
  [
    'a payment of version 1 in the header of version 2',
    `PAYMENT-SIGNATURE: ${base64(paymentV1)}`,
    'wrong_version_for_header',
  ],
  [
    'a payment of version 2 in the header of version 1',
    `X-PAYMENT: ${base64(payment)}`,
    'wrong_version_for_header',
  ],
  ['a quote where a payment belongs', `PAYMENT-SIGNATURE: ${base64(quote())}`, 'wrong_place'],
  ['JSON in a header', `PAYMENT-SIGNATURE: ${JSON.stringify(payment)}`, 'not_base64'],
  ['fields of version 1 in version 2', { ...paymentV1, x402Version: 2 }, 'v1_fields_in_v2'],
  ['fields of version 2 in version 1', { ...payment, x402Version: 1 }, 'v2_fields_in_v1'],
  ['no authorization', { ...payment, payload: {} }, 'no_authorization'],
  ['no signature', { ...payment, payload: { authorization } }, 'no_signature'],
  [
    'numbers',
    { ...payment, payload: { ...payment.payload, authorization: { ...authorization, value: 10000 } } },
    'bad_value',
  ],
  [
    'milliseconds',
    {
      ...payment,
      payload: { ...payment.payload, authorization: { ...authorization, validBefore: `${now}000` } },
    },
    'milliseconds',
  ],
  [
    'what is past',
    {
      ...payment,
      payload: { ...payment.payload, authorization: { ...authorization, validBefore: String(now - 5) } },
    },
    'expired',
  ],
  ['a success without a transaction', { success: true }, 'no_transaction'],
  ['a cut value', base64(payment).slice(0, 101), 'unreadable'],
  ['no message', { hello: 'world' }, 'unknown_message'],
  ['a list', '[1]', 'no_object'],
  [
    'a wrong name of the domain',
    quote([{ ...offer, extra: { name: 'USDC', version: '2' } }]),
    'wrong_domain_name',
  ],
] as const)('says what is wrong with %s', async (_what, value, code) => {
  expect(await decode(value)).toMatchObject({ valid: false, first: { code } })
})

test.each(['polygon-amoy', 'avalanche-fuji', 'sei', 'base-sepolia'])(
  'knows %s of version 1',
  async network => {
    const { findings } = await decode({ ...paymentV1, network })
    expect(findings).toEqual([])
  },
)
