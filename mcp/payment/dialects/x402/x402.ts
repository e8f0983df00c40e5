import type { PaymentEvidence } from '../../../kernel/http.ts'
import type { Charge, Listing } from '../../charge.ts'
import type { Dialect } from '../../dialect.ts'
import type { Offer } from '../../method.ts'
import { reportOverA2a } from './a2a.ts'
import { bazaarExtension } from './bazaar.ts'
import { type Requirements, readPayload } from './payload.ts'

type Fields = Readonly<Record<string, unknown>>

/** What x402 frames as scheme `exact`, by the kind of the offer and the namespace of its network (CAIP-2). */
const kinds: Readonly<Record<string, string>> = { eip155: 'eip3009', solana: 'svm-exact' }

const isFramed = ({ kind }: Offer): boolean => Object.values(kinds).includes(kind)

const toRequirements = ({
  network,
  amount,
  asset,
  payTo,
  maxTimeoutSeconds,
  extra,
}: Offer): Requirements => ({
  scheme: 'exact',
  network,
  amount,
  asset,
  payTo,
  maxTimeoutSeconds,
  extra,
})

/** Bytes of a quote that still fits a header beside others: Node's clients read 16 KiB of them. */
const maxQuoteBytes = 9000

const lean = (required: Fields): Fields => {
  if (Buffer.byteLength(JSON.stringify(required)) <= maxQuoteBytes) return required
  const { extensions: _, ...rest } = required
  return rest
}

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')

/** Where the payment is, by the transport: a header, the `_meta` of MCP, the metadata of an A2A message. */
const places = [
  ['PAYMENT-SIGNATURE', ({ headers }: PaymentEvidence) => headers['payment-signature']],
  ['_meta["x402/payment"]', ({ meta }: PaymentEvidence) => meta['x402/payment']],
  [
    'metadata["x402.payment.payload"]',
    ({ meta }: PaymentEvidence) => meta['x402.payment.payload'] ?? undefined,
  ],
] as const

const listingFor = (charge: Charge): Listing => ({
  resource: {
    url: charge.resource,
    description: charge.tool.description,
    mimeType: 'application/json',
    serviceName: charge.service.name,
  },
  extensions: { bazaar: bazaarExtension(charge) },
})

const required = (offers: readonly Offer[], charge: Charge, reason = 'Payment required'): Fields => {
  const { resource, extensions, error = reason } = charge.listing ?? listingFor(charge)
  return lean({
    x402Version: 2,
    error,
    resource,
    accepts: offers.map(toRequirements),
    ...(extensions && { extensions }),
  })
}

/** x402 version 2 over HTTP headers, MCP and A2A (specifications of x402 and of its MCP and A2A transports). */
export const x402: Dialect = {
  id: 'x402',
  ask(offers, charge, reason) {
    const framed = offers.filter(isFramed)
    if (framed.length === 0) return {}
    const quote = required(framed, charge, reason)
    return {
      headers: { 'PAYMENT-REQUIRED': base64(quote) },
      body: { paymentRequired: quote },
      structured: quote,
      a2a: { 'x402.payment.status': 'payment-required', 'x402.payment.required': quote },
    }
  },
  read(evidence) {
    for (const [where, place] of places) {
      const raw = place(evidence)
      if (raw === undefined) continue
      const read = readPayload(raw)
      if (!read) return { unreadable: where }
      const { accepted, payload } = read
      const { network, asset, payTo, amount } = accepted
      const extra = typeof accepted.extra === 'object' && accepted.extra !== null ? accepted.extra : {}
      const kind = kinds[network.split(':')[0] ?? ''] ?? 'unknown'
      const proof = [accepted, payload]
      return {
        dialect: 'x402',
        kind,
        network,
        accepted: { asset, payTo, amount, extra },
        proof,
        data: payload,
      }
    }
    return undefined
  },
  report: payment => ({
    headers: { 'PAYMENT-RESPONSE': base64(payment) },
    meta: { 'x402/payment-response': payment },
    a2a: reportOverA2a(payment),
  }),
}
