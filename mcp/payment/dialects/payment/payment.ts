import type { PaymentEvidence } from '../../../kernel/http.ts'
import type { Charge } from '../../charge.ts'
import { readCollector } from '../../collector.ts'
import type { Dialect } from '../../dialect.ts'
import { openChallenges, toHeader } from './challenge.ts'
import { decodeCredential, readCredential } from './credential.ts'

type Options = {
  /** Makes the ids of challenges; the same on every replica. */
  hmacKey: Buffer
  now: () => Date
  /** The protection space that challenges name: the host of what is paid for. */
  realm: (charge: Charge) => string
}

const credentialKey = 'org.paymentauth/credential'
const requiredKey = 'org.paymentauth/payment-required'
const receiptKey = 'org.paymentauth/receipt'

/** The credentials of the scheme in a header that may hold several, joined by commas. */
const inHeader = ({ headers: { authorization = '' } }: PaymentEvidence): string[] =>
  Array.from(authorization.matchAll(/(?:^|,)\s*payment +([^,\s]+)/gi), ([, value = '']) => value)

/**
 * The `Payment` HTTP authentication scheme (MPP, draft-ryan-httpauth-payment) for charges in a token by EIP-3009, over HTTP, MCP and
 * A2A. What is signed is what x402 has signed, so the same methods settle it.
 */
export const openPaymentDialect = ({ hmacKey, now, realm }: Options): Dialect => {
  const challenges = openChallenges(hmacKey)
  return {
    id: 'payment',
    members: [credentialKey],
    ask(offers, charge) {
      // What a contract collects by an argument of its own would not fit beside the others into 4 KiB of headers.
      const framed = offers.filter(
        offer =>
          offer.kind === 'eip3009' &&
          offer.network.startsWith('eip155:') &&
          readCollector(offer) === undefined,
      )
      if (framed.length === 0) return {}
      const issued = framed.map(offer => challenges.issue(offer, realm(charge), now()))
      const required = { [requiredKey]: { httpStatus: 402, challenges: issued } }
      return { challenges: issued.map(toHeader), meta: required, a2a: required }
    },
    read(evidence) {
      const member = evidence.meta[credentialKey] ?? undefined
      return [
        ...inHeader(evidence).map(text =>
          readCredential(challenges, 'Authorization: Payment', decodeCredential(text)),
        ),
        ...(member === undefined ? [] : [readCredential(challenges, `_meta["${credentialKey}"]`, member)]),
      ]
    },
    report({ success, transaction, network, receipt }, { at } = {}) {
      if (success !== true || at === undefined) return {}
      const proof = {
        method: 'evm',
        reference: transaction,
        status: 'success',
        timestamp: at,
        network,
        receipt,
      }
      return {
        headers: { 'Payment-Receipt': Buffer.from(JSON.stringify(proof)).toString('base64url') },
        meta: { [receiptKey]: proof },
        a2a: { [receiptKey]: proof },
      }
    },
  }
}
