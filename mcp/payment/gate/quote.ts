import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { decodeBase64url } from '../../lib/base64url.ts'
import type { Clock } from '../../ports/clock/port.ts'
import { deriveKeys, type HmacKeys } from '../derived-keys.ts'
import type { AcceptedTerms, Offer } from '../method.ts'
import { digest } from './digest.ts'

type Terms = AcceptedTerms & Pick<Offer, 'network' | 'method'>

export type Quotes = {
  /** The offer with `extra.quote`, which holds its price for this request until the offer's time is over. */
  pin(offer: Offer, request: string): Offer
  /** True when terms that a payer sends back are ours for this request, and still hold. */
  holds(terms: Terms, request: string): boolean
  /** When a quote of ours for this request was made, also when its time is over; undefined for any other. */
  madeAt(terms: Terms, request: string, maxTimeoutSeconds: number): Date | undefined
}

/**
 * Prices pinned without memory: `"<expiry>.<HMAC over request, method, amount, network, asset, payTo, rate, collector and expiry>"`.
 * The expiry is in milliseconds and seven more digits by chance, so that nobody is given the quote of somebody else.
 */
export const openQuotes = (hmacKeys: HmacKeys, clock: Clock): Quotes => {
  const keys = deriveKeys(hmacKeys, 'payment quote')
  const sign = (
    { method, amount, network, asset, payTo, extra }: Terms,
    request: string,
    expiry: string,
    key = keys[0],
  ) =>
    createHmac('sha256', key)
      .update(
        digest(
          request,
          method,
          amount,
          network,
          asset,
          payTo,
          extra.rate ?? null,
          extra.collector ?? null,
          expiry,
        ),
      )
      .digest()
  /** When a quote ends, in milliseconds. */
  const readExpiry = (terms: Terms, request: string): number | undefined => {
    const { quote } = terms.extra
    if (typeof quote !== 'string' || !/^\d{20}\.[\w-]{43}$/.test(quote)) return undefined
    const [expiry = '', mac = ''] = quote.split('.')
    const claimed = decodeBase64url(mac)
    if (!claimed || !keys.some(key => timingSafeEqual(sign(terms, request, expiry, key), claimed)))
      return undefined
    return Number(expiry.slice(0, -7))
  }
  return {
    pin(offer, request) {
      const expiry = `${clock.now().getTime() + offer.maxTimeoutSeconds * 1000}${randomInt(1e6, 2e6)}`
      const quote = `${expiry}.${sign(offer, request, expiry).toString('base64url')}`
      return { ...offer, extra: { ...offer.extra, quote } }
    },
    holds(terms, request) {
      const expiry = readExpiry(terms, request)
      return expiry !== undefined && expiry >= clock.now().getTime()
    },
    madeAt(terms, request, maxTimeoutSeconds) {
      const expiry = readExpiry(terms, request)
      return expiry === undefined ? undefined : new Date(expiry - maxTimeoutSeconds * 1000)
    },
  }
}
