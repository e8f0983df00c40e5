import { createHash, createHmac, randomBytes } from 'node:crypto'
import { parseRecord } from '../../../lib/json.ts'
import { deriveKeys, type HmacKeys } from '../../derived-keys.ts'
import type { Unreadable } from '../../dialect.ts'
import type { AcceptedTerms, Attempt, Offer } from '../../method.ts'
import { isMadeWith, mintMacaroon, parseMacaroon } from './macaroon.ts'

/** The purchase: the service, and the tool or route within it. */
type Subject = { service: string; tool: string }

/** Macaroons without memory: the root key of each is an HMAC of its identifier. */
export type Tokens = {
  /** A token for an offer with an invoice, base64; `offer.extra` has its payment hash. */
  mint(offer: Offer, subject: Subject, expiresAt: Date): string
  /** The payment that a token and a preimage show: one of ours, and the preimage of its invoice. */
  read(where: string, token: string, preimage: string): Attempt | Unreadable
}

const identifierVersion = Buffer.from([0, 0])
const hashLength = 32
const identifierLength = 2 + hashLength + 32

const toText = (caveat: Buffer): string => caveat.toString('utf8')

/** The first caveat of a name is ours; those that a client adds come behind it. */
const readFirst = (caveats: readonly string[], name: string): string | undefined =>
  caveats.find(caveat => caveat.startsWith(`${name}=`))?.slice(name.length + 1)

const readAll = (caveats: readonly string[], name: string): string[] =>
  caveats.filter(caveat => caveat.startsWith(`${name}=`)).map(caveat => caveat.slice(name.length + 1))

const readTerms = (caveats: readonly string[]): AcceptedTerms | undefined => {
  const [asset, payTo, amount, quote] = ['asset', 'payee', 'amount', 'quote'].map(name =>
    readFirst(caveats, name),
  )
  const rate = readFirst(caveats, 'rate')
  if (asset === undefined || payTo === undefined || amount === undefined || quote === undefined)
    return undefined
  return { asset, payTo, amount, extra: { quote, ...(rate !== undefined && { rate: parseRecord(rate) }) } }
}

/**
 * Opens the tokens of L402. A token binds service, tool, price, payee and quote, which holds the input, as caveats; clients may add
 * more, which are ignored unless they bring the end forward.
 */
export const openTokens = (hmacKeys: HmacKeys, now: () => Date): Tokens => {
  const secrets = deriveKeys(hmacKeys, 'l402 root key')
  const toRootKey = (identifier: Buffer, secret = secrets[0]) =>
    createHmac('sha256', secret).update(identifier).digest()
  return {
    mint({ network, asset, payTo, amount, extra }, { service, tool }, expiresAt) {
      const paymentHash = Buffer.from(String(extra.paymentHash), 'hex')
      const identifier = Buffer.concat([identifierVersion, paymentHash, randomBytes(32)])
      const caveats = [
        `services=${service}:0`,
        `tool=${tool}`,
        `network=${network}`,
        `asset=${asset}`,
        `payee=${payTo}`,
        `amount=${amount}`,
        `quote=${String(extra.quote)}`,
        ...(extra.rate === undefined ? [] : [`rate=${JSON.stringify(extra.rate)}`]),
        `${service}_valid_until=${Math.floor(expiresAt.getTime() / 1000)}`,
      ]
      return mintMacaroon(toRootKey(identifier), {
        location: service,
        identifier,
        caveats: caveats.map(caveat => Buffer.from(caveat)),
      })
    },
    read(where, token, preimage) {
      const refuse = (detail: string): Unreadable => ({ unreadable: where, detail })
      const macaroon = parseMacaroon(token)
      if (!macaroon || macaroon.identifier.length !== identifierLength)
        return refuse('The token is no macaroon of this server. Send the one of the challenge as it came.')
      const { identifier } = macaroon
      if (!secrets.some(secret => isMadeWith(toRootKey(identifier, secret), macaroon)))
        return refuse('The token is not one of this server, or it was changed.')
      const caveats = macaroon.caveats.map(toText)
      const network = readFirst(caveats, 'network')
      const service = readFirst(caveats, 'services')?.replace(/:\d+$/, '')
      const accepted = readTerms(caveats)
      if (network === undefined || service === undefined || !accepted)
        return refuse('The token is not one of this server.')
      const ends = readAll(caveats, `${service}_valid_until`).map(Number)
      if (!ends.every(end => end * 1000 > now().getTime())) return refuse('The token is expired.')
      const hash = identifier.subarray(2, 2 + hashLength)
      if (!createHash('sha256').update(Buffer.from(preimage, 'hex')).digest().equals(hash))
        return refuse('The preimage is not that of the invoice. Pay it, and send what its payment gave you.')
      return {
        dialect: 'l402',
        kind: 'bolt11',
        network,
        accepted,
        isIssued: true,
        // The second half is known to us and to whom we gave the token.
        proof: [identifier.subarray(2 + hashLength).toString('hex')],
        data: { paymentHash: hash.toString('hex'), preimage: preimage.toLowerCase() },
      }
    },
  }
}
