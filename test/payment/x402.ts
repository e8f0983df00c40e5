import { reportSettled } from '../../mcp/kernel/error.ts'
import type { PaymentEvidence } from '../../mcp/kernel/http.ts'
import type { Receipt } from '../../mcp/kernel/tool.ts'
import { type Payload, type Requirements, readPayload } from '../../mcp/payment/dialects/x402/payload.ts'
import { x402 } from '../../mcp/payment/dialects/x402/x402.ts'
import type { Attempt, Offer, PaymentMethod } from '../../mcp/payment/method.ts'
import { openRates } from '../../mcp/payment/rates.ts'

export type { Payload, Requirements }

export const rates = openRates([])

/** A payment as the x402 dialect reads it off the wire. */
export const toAttempt = (payload: Payload): Attempt => {
  const [read] = x402.read({ headers: {}, meta: { 'x402/payment': payload } })
  if (!read || 'unreadable' in read) throw new Error(`not readable: ${JSON.stringify(readPayload(payload))}`)
  return read
}

/** A method as a client of x402 meets it: requirements out, payloads in. */
export const overX402 = (method: PaymentMethod) => {
  const { id, kind } = method
  const toOffer = ({ scheme: _, ...terms }: Requirements): Offer => ({
    method: id,
    kind,
    words: '',
    ...terms,
  })
  return {
    name: method.name,
    network: method.network,
    method,
    offer: async (amount: string, settle: 'before' | 'after'): Promise<Requirements> => {
      const price = { amount, unit: 'usd' } as const
      const {
        method: _m,
        kind: _k,
        words: _w,
        decimals: _d,
        ...terms
      } = await method.offer({ request: null, price, settle, asker: '', client: '', title: '' }, rates)
      return { scheme: 'exact', ...terms }
    },
    identity: (payload: Payload) => method.identify(toAttempt(payload)),
    verify: (payload: Payload, offer: Requirements) => method.verify(toAttempt(payload), toOffer(offer)),
    settle: (payload: Payload, offer: Requirements) => method.settle(toAttempt(payload), toOffer(offer)),
    find: (payload: Payload, offer: Requirements) => method.find(toAttempt(payload), toOffer(offer)),
    refund: async (id: string, payer: string, amount: string): Promise<string> => {
      const result = await method.refund(id, payer, amount)
      if (result.state !== 'sent') throw new Error(`the refund is ${result.state}`)
      return result.transaction
    },
    close: () => method.close(),
  }
}

export type X402Method = ReturnType<typeof overX402>

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')

/** A quote as the x402 dialect frames it, for gates that tests make up. */
export const askingFor = (quote: Readonly<Record<string, unknown>>) => ({
  headers: { 'PAYMENT-REQUIRED': base64(quote) },
  body: { paymentRequired: quote },
  structured: quote,
  a2a: { 'x402.payment.status': 'payment-required', 'x402.payment.required': quote },
})

/** The raw payment that came with a call; undefined when there is none. */
export const rawPayment = ({ headers, meta }: PaymentEvidence): unknown =>
  headers['payment-signature'] ?? meta['x402/payment'] ?? meta['x402.payment.payload']

/** The receipt of a payment that a made-up gate took, as the x402 dialect reports it. */
export const toReport = (receipt: Receipt) => x402.report(reportSettled(receipt))
