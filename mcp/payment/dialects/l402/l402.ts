import type { PaymentEvidence } from '../../../kernel/http.ts'
import { isRecord } from '../../../lib/json.ts'
import { toReceiptHeader } from '../../../lib/payment-auth.ts'
import type { Charge } from '../../charge.ts'
import type { HmacKeys } from '../../derived-keys.ts'
import type { Dialect, Unreadable } from '../../dialect.ts'
import type { Attempt, Offer } from '../../method.ts'
import { openTokens } from './credential.ts'

/** Keys make the root keys of tokens; the same on every replica. */
type Options = HmacKeys & {
  now: () => Date
}

const challengeKey = 'l402/challenge'
const credentialKey = 'l402/credential'
const receiptKey = 'l402/receipt'

/** How long a paid token is good. The invoice ends long before it: whoever paid in time is served after it, too. */
const tokenMs = 30 * 24 * 60 * 60 * 1000

type Challenge = { version: '0'; macaroon: string; token: string; invoice: string; expires: string }

/** A line of `WWW-Authenticate`. The order of its parameters is the one that every client reads. */
const toHeader = ({ macaroon, invoice, version, token }: Challenge): string =>
  `L402 macaroon="${macaroon}", invoice="${invoice}", version="${version}", token="${token}"`

const invoiceIn = ({ kind, extra }: Offer): string | undefined =>
  kind === 'bolt11' && typeof extra.invoice === 'string' ? extra.invoice : undefined

/** The credentials in a header that may hold several, joined by commas: `L402 <token>:<preimage>`, once `LSAT`. */
const inHeader = ({ headers: { authorization = '' } }: PaymentEvidence): string[] =>
  Array.from(authorization.matchAll(/(?:^|,)\s*(?:l402|lsat) +([^,\s]+)/gi), ([, value = '']) => value)

const form = 'It is no L402 credential: <token>:<preimage>, the preimage as 64 hexadecimal digits.'

/**
 * L402 (Lightning Labs, 2026-03, and LSAT before it) over HTTP, and as `l402/credential` in the metadata of MCP and A2A messages. A
 * token pays one call once, whatever caveats its client adds.
 */
export const openL402Dialect = ({ now, ...keys }: Options): Dialect => {
  const tokens = openTokens(keys, now)
  const readPair = (where: string, pair: string): Attempt | Unreadable => {
    const [, token, preimage] = /^([^:]+):([0-9a-f]{64})$/i.exec(pair) ?? []
    if (token === undefined || preimage === undefined) return { unreadable: where, detail: form }
    return tokens.read(where, token, preimage)
  }
  const readMember = (where: string, value: unknown): Attempt | Unreadable => {
    if (typeof value === 'string') return readPair(where, value)
    if (!isRecord(value)) return { unreadable: where, detail: form }
    return readPair(where, `${String(value.token ?? value.macaroon)}:${String(value.preimage)}`)
  }
  const toChallenge = (offer: Offer, invoice: string, { service, tool }: Charge): Challenge => {
    const expiresAt = new Date(now().getTime() + tokenMs)
    const token = tokens.mint(offer, { service: service.slug, tool: tool.name }, expiresAt)
    const expires = new Date(now().getTime() + offer.maxTimeoutSeconds * 1000).toISOString()
    return { version: '0', macaroon: token, token, invoice, expires }
  }
  return {
    id: 'l402',
    members: [credentialKey],
    ask(offers, charge) {
      for (const offer of offers) {
        const invoice = invoiceIn(offer)
        if (invoice === undefined) continue
        const challenge = toChallenge(offer, invoice, charge)
        const required = { [challengeKey]: challenge }
        return { challenges: [toHeader(challenge)], meta: required, a2a: required }
      }
      return {}
    },
    read(evidence) {
      const member = evidence.meta[credentialKey] ?? undefined
      return [
        ...inHeader(evidence).map(pair => readPair('Authorization: L402', pair)),
        ...(member === undefined ? [] : [readMember(`_meta["${credentialKey}"]`, member)]),
      ]
    },
    report({ success, transaction, network, receipt }, { at } = {}) {
      if (success !== true || at === undefined) return {}
      const proof = { method: 'lightning', paymentHash: transaction, network, timestamp: at, receipt }
      return {
        headers: { 'Payment-Receipt': toReceiptHeader(proof) },
        meta: { [receiptKey]: proof },
        a2a: { [receiptKey]: proof },
      }
    },
  }
}
