import type { PaymentEvidence } from '../../../kernel/http.ts'
import { isRecord } from '../../../lib/json.ts'
import { toNameV1 } from '../../../lib/x402-networks.ts'
import type { Charge, QuoteFacts } from '../../charge.ts'
import type { Dialect } from '../../dialect.ts'
import type { Attempt, Offer } from '../../method.ts'
import { reportOverA2a, speaksV1 } from './a2a.ts'
import { bazaarExtension } from './bazaar.ts'
import { type Requirements, readPayload } from './payload.ts'
import { toStandardReason } from './reasons.ts'
import { quoteV1 } from './version1.ts'

type Fields = Readonly<Record<string, unknown>>

/** Offers that x402 frames as scheme `exact`, by their kind and the namespace of their network (CAIP-2). */
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

/** Bytes of a quote that leaves a header of 4 KiB room for the challenges beside it: proxies take no more by default. */
const maxQuoteBytes = 1500

const lean = (required: Fields): Fields => {
  if (Buffer.byteLength(JSON.stringify(required)) <= maxQuoteBytes) return required
  const { extensions: _, ...rest } = required
  return rest
}

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')

/** The MCP extension that has x402 in its own words; its name is that of the `_meta` member that its drafts nest in. */
const extension = 'org.x402/payment'

const findNestedPayment = ({ meta }: PaymentEvidence): unknown => {
  const member = meta[extension]
  return isRecord(member) ? member.paymentPayload : undefined
}

/** Places of a payment, by transport: a header, the `_meta` of MCP, the metadata of an A2A message. */
const places: readonly (readonly [string, (evidence: PaymentEvidence) => unknown])[] = [
  ['PAYMENT-SIGNATURE', ({ headers }) => headers['payment-signature']],
  ['X-PAYMENT', ({ headers }) => headers['x-payment']],
  ['_meta["x402/payment"]', ({ meta }) => meta['x402/payment']],
  [`_meta["${extension}"].paymentPayload`, findNestedPayment],
  ['_meta["x402.payment"]', ({ meta }) => meta['x402.payment']],
  ['metadata["x402.payment.payload"]', ({ meta }) => meta['x402.payment.payload']],
]

/** A quote's facts of the resource that is paid for. */
const quoteFactsFor = (charge: Charge): QuoteFacts =>
  charge.quoteFacts ?? {
    resource: {
      url: charge.resource,
      description: charge.tool.description,
      mimeType: 'application/json',
      serviceName: charge.service.name,
    },
    extensions: { bazaar: bazaarExtension(charge) },
  }

const required = (offers: readonly Offer[], { resource, extensions }: QuoteFacts, error: string): Fields => ({
  x402Version: 2,
  error,
  resource,
  accepts: offers.map(toRequirements),
  ...(extensions && { extensions }),
})

const toAttempt = (where: string, raw: unknown): Attempt | { unreadable: string } => {
  const payment = readPayload(raw)
  if (!payment) return { unreadable: where }
  const { version, network, accepted, rawAccepted, payload } = payment
  const kind = kinds[network.split(':')[0] ?? ''] ?? 'unknown'
  const attempt = { dialect: 'x402', kind, network, accepted, data: payload }
  if (version === 1) return { ...attempt, proof: [payload], form: 'v1', isPublic: true }
  const isNested = where.includes(extension)
  return { ...attempt, proof: [rawAccepted, payload], ...(isNested && { form: 'nested' }) }
}

/** Outcome of a payment as version 2 says it: the standard's codes in place of ours. */
const toSettleResponse = (payment: Fields): Fields => {
  const { errorReason, network } = payment
  if (typeof errorReason !== 'string') return payment
  return { ...payment, errorReason: toStandardReason(errorReason, String(network ?? '')) }
}

const toSettleResponseV1 = (response: Fields): Fields => {
  const network = toNameV1(String(response.network ?? ''))
  return network === undefined ? response : { ...response, network }
}

/**
 * x402 in both versions over HTTP headers, MCP and A2A (its specifications and those of its transports). A payment of version 1
 * is put into the words of version 2 here: what was signed is the same, so no method ever sees it.
 */
export const x402: Dialect = {
  id: 'x402',
  extensions: [extension],
  members: ['x402/payment', extension, 'x402.payment', 'x402.payment.payload'],
  ask(offers, charge, reason) {
    const framed = offers.filter(isFramed)
    if (framed.length === 0) return {}
    const facts = quoteFactsFor(charge)
    const why = reason === undefined ? 'Payment required' : toStandardReason(reason, framed[0]?.network ?? '')
    const error = facts.error ?? why
    const quote = required(framed, facts, error)
    const v1 = quoteV1(framed, facts, error)
    const { extensions = [] } = charge.evidence
    return {
      headers: { 'PAYMENT-REQUIRED': base64(lean(quote)) },
      body: { ...v1, paymentRequired: quote },
      structured: quote,
      ...(extensions.includes(extension) && {
        result: { resultType: 'payment_required', paymentRequired: quote },
      }),
      ...(v1 && { meta: { 'x402.payment-required': v1 } }),
      a2a: {
        'x402.payment.status': 'payment-required',
        'x402.payment.required': speaksV1(extensions) ? (v1 ?? quote) : quote,
      },
    }
  },
  read(evidence) {
    return places.flatMap(([where, place]) => {
      const raw = place(evidence) ?? undefined
      return raw === undefined ? [] : [toAttempt(where, raw)]
    })
  },
  report(payment, { attempt } = {}) {
    const response = toSettleResponse(payment)
    const inV1 = toSettleResponseV1(response)
    return {
      headers: { 'PAYMENT-RESPONSE': base64(response), 'X-PAYMENT-RESPONSE': base64(inV1) },
      meta: {
        'x402/payment-response': response,
        ...(attempt?.form === 'nested' && { [extension]: { settlementResponse: response } }),
      },
      a2a: reportOverA2a(payment, attempt?.form === 'v1' ? inV1 : response),
    }
  },
}
