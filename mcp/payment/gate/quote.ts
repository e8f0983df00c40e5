import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { decodeBase64url } from '../../lib/base64url.ts'
import type { Clock } from '../../ports/index.ts'
import type { Offer } from '../rail.ts'
import { digest } from './payload.ts'

export type Quotes = {
  /** The offer with `extra.quote`, which holds its price for this request until the offer's time is over. */
  pin(offer: Offer, request: string): Offer
  /** Whether an offer that a payer sends back is one of ours for this request, and still holds. */
  holds(offer: Offer, request: string): boolean
}

/**
 * Prices pinned without memory: `"<expiry>.<HMAC over request, amount, network, asset, payTo and expiry>"`. The expiry is in
 * milliseconds and seven more digits by chance, so that nobody is given the quote of somebody else.
 */
export const openQuotes = (hmacKey: Buffer, clock: Clock): Quotes => {
  const key = createHmac('sha256', hmacKey).update('payment quote').digest()
  const sign = ({ amount, network, asset, payTo }: Offer, request: string, expiry: string): Buffer =>
    createHmac('sha256', key)
      .update(digest(request, amount, network, asset, payTo, expiry))
      .digest()
  return {
    pin(offer, request) {
      const expiry = `${clock.now().getTime() + offer.maxTimeoutSeconds * 1000}${randomInt(1e6, 2e6)}`
      const quote = `${expiry}.${sign(offer, request, expiry).toString('base64url')}`
      return { ...offer, extra: { ...offer.extra, quote } }
    },
    holds(offer, request) {
      const quote = offer.extra?.quote
      if (typeof quote !== 'string' || !/^\d{20}\.[\w-]{43}$/.test(quote)) return false
      const [expiry = '', mac = ''] = quote.split('.')
      if (Number(expiry.slice(0, -7)) < clock.now().getTime()) return false
      const given = decodeBase64url(mac)
      return given !== undefined && timingSafeEqual(sign(offer, request, expiry), given)
    },
  }
}
