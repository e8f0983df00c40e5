import { asRecord, isRecord, type JsonRecord } from '../../../lib/json.ts'
import { fromNameV1 } from '../../../lib/x402-networks.ts'
import { parseEncoded } from './encoded.ts'
import { error, type MessageFinding, warning } from './finding.ts'
import { isCaip2 } from './network.ts'
import { checkQuote } from './quote-check.ts'

export const messageKinds = ['payment_required', 'payment', 'settlement', 'unknown'] as const

/** A message of x402 taken apart. */
export type PaymentMessage = {
  kind: (typeof messageKinds)[number]
  version: 1 | 2 | null
  /** How it was encoded. */
  form: 'base64' | 'base64url' | 'json' | null
  /** Header or `_meta` member it was given with. */
  place: string | null
  value: unknown
  findings: MessageFinding[]
}

/** Places of each kind of message, by version: header names and MCP `_meta` members. */
const places: Readonly<
  Record<string, { kind: PaymentMessage['kind']; version: 1 | 2 | null; isHeader: boolean }>
> = {
  'payment-required': { kind: 'payment_required', version: 2, isHeader: true },
  'payment-signature': { kind: 'payment', version: 2, isHeader: true },
  'payment-response': { kind: 'settlement', version: 2, isHeader: true },
  'x-payment': { kind: 'payment', version: 1, isHeader: true },
  'x-payment-response': { kind: 'settlement', version: 1, isHeader: true },
  'x402/payment': { kind: 'payment', version: null, isHeader: false },
  'x402/payment-response': { kind: 'settlement', version: null, isHeader: false },
}

const headerLine = /^\s*["']?([A-Za-z0-9-]{3,40})["']?\s*:\s*([^{[][\s\S]*|[{[][\s\S]*)$/

/** Takes a header line apart: `PAYMENT-SIGNATURE: eyJ…`. */
const splitLine = (text: string): { place: string | null; rest: string } => {
  const [, name = '', rest = ''] = headerLine.exec(text) ?? []
  return name.toLowerCase() in places ? { place: name.toUpperCase(), rest } : { place: null, rest: text }
}

const detectKind = (value: JsonRecord): PaymentMessage['kind'] => {
  if (Array.isArray(value.accepts)) return 'payment_required'
  if (isRecord(value.payload)) return 'payment'
  if (typeof value.success === 'boolean') return 'settlement'
  return 'unknown'
}

const detectVersion = (value: JsonRecord): 1 | 2 | null =>
  value.x402Version === 1 || value.x402Version === 2 ? value.x402Version : null

const checkAuthorization = (payload: JsonRecord, now: number): MessageFinding[] => {
  const at = 'payload.authorization'
  if (payload.transaction !== undefined || payload.permit2Authorization !== undefined) return []
  if (!isRecord(payload.authorization))
    return [error('no_authorization', at, 'payload.authorization is missing: there is nothing to settle.')]
  const findings: MessageFinding[] = []
  const { authorization } = payload
  if (typeof payload.signature !== 'string' || !/^0x([0-9a-fA-F]{2})+$/.test(payload.signature))
    findings.push(error('no_signature', 'payload.signature', 'payload.signature is no bytes in hex.'))
  for (const field of ['from', 'to'])
    if (!/^0x[0-9a-fA-F]{40}$/.test(String(authorization[field])))
      findings.push(error(`bad_${field}`, `${at}.${field}`, `${field} is no address: 0x and 40 hex digits.`))
  for (const field of ['value', 'validAfter', 'validBefore'])
    if (typeof authorization[field] !== 'string' || !/^\d+$/.test(authorization[field]))
      findings.push(error(`bad_${field}`, `${at}.${field}`, `${field} is not a text of digits.`))
  if (!/^0x[0-9a-fA-F]{64}$/.test(String(authorization.nonce)))
    findings.push(error('bad_nonce', `${at}.nonce`, 'nonce is not 32 bytes: 0x and 64 hex digits.'))
  if (findings.length > 0) return findings
  const [after, before] = [Number(authorization.validAfter), Number(authorization.validBefore)]
  if (after > 1e11 || before > 1e12)
    return [
      error('milliseconds', `${at}.validAfter`, 'The times look like milliseconds; they are Unix seconds.'),
    ]
  if (before <= now)
    return [error('expired', `${at}.validBefore`, `It expired ${Math.floor(now - before)} s ago.`)]
  if (after > now)
    return [
      error('not_yet_valid', `${at}.validAfter`, `It is not valid yet, for ${Math.ceil(after - now)} s.`),
    ]
  return []
}

const checkPayment = (value: JsonRecord, now: number): MessageFinding[] => {
  const version = detectVersion(value)
  const findings: MessageFinding[] = []
  if (version === null)
    findings.push(error('unknown_version', 'x402Version', 'x402Version is neither 1 nor 2.'))
  if (version === 2 && !isRecord(value.accepted))
    findings.push(
      value.network !== undefined
        ? error(
            'v1_fields_in_v2',
            'network',
            'scheme and network stand at the top, as in version 1; version 2 repeats the whole offer as accepted.',
          )
        : error('no_accepted', 'accepted', 'accepted is missing: version 2 repeats the offer that is paid.'),
    )
  if (version === 1 && isRecord(value.accepted))
    findings.push(
      error(
        'v2_fields_in_v1',
        'accepted',
        'accepted belongs to version 2; version 1 has scheme and network.',
      ),
    )
  const network = version === 2 ? asRecord(value.accepted).network : value.network
  if (version === 2 && typeof network === 'string' && !isCaip2(network))
    findings.push(error('network_not_caip2', 'accepted.network', 'Version 2 names networks by CAIP-2.'))
  if (version === 1 && typeof network === 'string' && fromNameV1(network) === undefined)
    findings.push(
      warning('unknown_network', 'network', 'The network has no name in version 1 that is known here.'),
    )
  return [...findings, ...checkAuthorization(asRecord(value.payload), now)]
}

const checkSettlement = ({ success, transaction, errorReason }: JsonRecord): MessageFinding[] => {
  if (success === true && (typeof transaction !== 'string' || transaction === ''))
    return [error('no_transaction', 'transaction', 'It says success and names no transaction.')]
  if (success === false && typeof errorReason !== 'string')
    return [warning('no_reason', 'errorReason', 'It says failure and no reason.')]
  return []
}

/** Lists faults in how a message came, whatever it says. */
const checkPlace = (
  place: string | null,
  form: PaymentMessage['form'],
  kind: PaymentMessage['kind'],
  version: PaymentMessage['version'],
): MessageFinding[] => {
  const expected = place === null ? undefined : places[place.toLowerCase()]
  if (!expected || place === null) return []
  const findings: MessageFinding[] = []
  if (expected.isHeader && form !== 'base64')
    findings.push(
      error('not_base64', place, `${place} carries base64 of JSON; this is ${form ?? 'neither'}.`),
    )
  if (expected.version !== null && version !== null && expected.version !== version)
    findings.push(
      error(
        'wrong_version_for_header',
        place,
        `${place} is a header of version ${expected.version}, and the message is of version ${version}.`,
      ),
    )
  if (kind !== 'unknown' && kind !== expected.kind)
    findings.push(
      error(
        'wrong_place',
        place,
        `${place} carries a ${expected.kind}, and this is a ${kind}.`.replaceAll('_', ' '),
      ),
    )
  return findings
}

const judge = (kind: PaymentMessage['kind'], value: JsonRecord, now: number): MessageFinding[] => {
  if (kind === 'payment_required') return checkQuote(value, 'quote').findings
  if (kind === 'payment') return checkPayment(value, now)
  if (kind === 'settlement') return checkSettlement(value)
  return [error('unknown_message', '', 'It is no message of x402: no accepts, no payload and no success.')]
}

/** The message inside of an object that carries one: MCP `_meta`, or an MCP or A2A result. */
const unwrap = (value: JsonRecord): { place: string | null; value: unknown } => {
  const meta = asRecord(value._meta ?? value.metadata ?? value)
  for (const place of Object.keys(places)) if (isRecord(meta[place])) return { place, value: meta[place] }
  const inA2a = meta['x402.payment.payload'] ?? meta['x402.payment.required']
  if (isRecord(inA2a)) return { place: 'metadata', value: inA2a }
  if (detectKind(value) === 'unknown' && isRecord(value.structuredContent))
    return { place: 'structuredContent', value: value.structuredContent }
  if (detectKind(value) === 'unknown' && isRecord(value.paymentRequired))
    return { place: 'paymentRequired', value: value.paymentRequired }
  return { place: null, value }
}

/** Takes a header value, a header line, JSON or MCP `_meta` apart and tells what is wrong with it. `now` is in Unix seconds. */
export const readMessage = (text: string, now: number): PaymentMessage => {
  const { place: header, rest } = splitLine(text)
  const encoded = parseEncoded(rest)
  if (encoded.form === 'none')
    return {
      kind: 'unknown',
      version: null,
      form: null,
      place: header,
      value: null,
      findings: [error('unreadable', header ?? '', `It cannot be read: ${encoded.problem}.`)],
    }
  if (!isRecord(encoded.value))
    return {
      kind: 'unknown',
      version: null,
      form: encoded.form,
      place: header,
      value: encoded.value,
      findings: [error('no_object', header ?? '', 'It is no JSON object.')],
    }
  const { place: member, value } = unwrap(encoded.value)
  const place = header ?? member
  const record = asRecord(value)
  const kind = detectKind(record)
  const version = detectVersion(record)
  const findings = [...checkPlace(place, encoded.form, kind, version), ...judge(kind, record, now)]
  return { kind, version, form: encoded.form, place, value, findings }
}
