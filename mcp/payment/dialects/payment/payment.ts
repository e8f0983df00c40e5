import {
  decodeCredential,
  findCredentials,
  toChallengeHeader,
  toReceiptHeader,
} from '../../../lib/payment-auth.ts'
import { toAccepted } from '../../accept-payment.ts'
import type { Charge } from '../../charge.ts'
import { readCollector } from '../../collector.ts'
import type { HmacKeys } from '../../derived-keys.ts'
import type { Dialect } from '../../dialect.ts'
import type { Offer } from '../../method.ts'
import { type Challenge, openChallenges } from './challenge.ts'
import { paymentInCredential } from './credential.ts'

/** Keys make the ids of challenges; the same on every replica. */
type Options = HmacKeys & {
  now: () => Date
  /** The protection space that challenges name: the host of what is paid for. */
  realm: (charge: Charge) => string
}

const credentialKey = 'org.paymentauth/credential'
const requiredKey = 'org.paymentauth/payment-required'
const receiptKey = 'org.paymentauth/receipt'

/** A token by EIP-3009. What a contract collects by an argument of its own would not fit beside the others into 4 KiB of headers. */
const isCharge = (offer: Offer): boolean =>
  offer.kind === 'eip3009' && offer.network.startsWith('eip155:') && readCollector(offer) === undefined

/** An invoice, the same that L402 has. A probe has none. */
const isInvoice = ({ kind, extra }: Offer): boolean =>
  kind === 'bolt11' && typeof extra.invoice === 'string' && typeof extra.quote === 'string'

/** Bytes of header lines that leave room for L402 and x402 beside them in 4 KiB: proxies take no more by default. */
const maxHeaderBytes = 1400

/**
 * The challenges as header lines. Where not all of them fit, those in a token are left out: x402 asks for the same money in a header of
 * its own, which clients of this scheme read too.
 */
const fitHeaders = (issued: readonly Challenge[]): string[] => {
  const lines = issued.map(toChallengeHeader)
  const isShort = lines.reduce((sum, line) => sum + line.length, 0) <= maxHeaderBytes
  if (isShort || !issued.some(({ method }) => method === 'lightning')) return lines
  return issued.filter(({ method }) => method === 'lightning').map(toChallengeHeader)
}

/**
 * The `Payment` HTTP authentication scheme (MPP, draft-ryan-httpauth-payment) over HTTP, MCP and A2A: charges in a token by EIP-3009,
 * where what is signed is what x402 has signed, and over Lightning, by the invoice that L402 has. So the same methods settle both.
 */
export const openPaymentDialect = ({ now, realm, ...keys }: Options): Dialect => {
  const challenges = openChallenges(keys)
  return {
    id: 'payment',
    members: [credentialKey],
    ask(offers, charge) {
      const framed = offers.filter(offer => isCharge(offer) || isInvoice(offer))
      if (framed.length === 0) return {}
      const all = framed.map(offer => challenges.issue(offer, realm(charge), now()))
      const issued = toAccepted(all, charge.evidence.headers['accept-payment'], challenge => challenge)
      const required = { [requiredKey]: { httpStatus: 402, challenges: issued } }
      return { challenges: fitHeaders(issued), meta: required, a2a: required }
    },
    read(evidence) {
      const member = evidence.meta[credentialKey] ?? undefined
      return [
        ...findCredentials(evidence.headers.authorization).map(text =>
          paymentInCredential(challenges, 'Authorization: Payment', decodeCredential(text), now()),
        ),
        ...(member === undefined
          ? []
          : [paymentInCredential(challenges, `_meta["${credentialKey}"]`, member, now())]),
      ]
    },
    report({ success, transaction, network, receipt }, { at } = {}) {
      if (success !== true || at === undefined) return {}
      const proof = {
        method: String(network).startsWith('lightning:') ? 'lightning' : 'evm',
        reference: transaction,
        status: 'success',
        timestamp: at,
        network,
        receipt,
      }
      return {
        headers: { 'Payment-Receipt': toReceiptHeader(proof) },
        meta: { [receiptKey]: proof },
        a2a: { [receiptKey]: proof },
      }
    },
  }
}
