import { asList, isRecord } from '../../../lib/json.ts'
import { error, type MessageFinding } from './finding.ts'
import { checkOffer, type OfferFacts, readOffer, type X402Version } from './offer-check.ts'

/** A PaymentRequired as it can be understood. */
export type QuoteReading = { version: X402Version | null; offers: OfferFacts[]; findings: MessageFinding[] }

/** Offers looked at. */
const maxOffers = 20

const unreadable = (finding: MessageFinding): QuoteReading => ({
  version: null,
  offers: [],
  findings: [finding],
})

/** Reads a PaymentRequired of either version; `place` begins the paths of the findings. */
export const checkQuote = (value: unknown, place: string): QuoteReading => {
  if (!isRecord(value)) return unreadable(error('no_object', place, 'The quote is no JSON object.'))
  const { x402Version, accepts, resource } = value
  if (x402Version !== 1 && x402Version !== 2)
    return unreadable(
      error(
        'unknown_version',
        `${place}.x402Version`,
        x402Version === undefined
          ? 'x402Version is missing; it is the number 1 or 2.'
          : 'x402Version is neither the number 1 nor the number 2.',
      ),
    )
  const version: X402Version = x402Version
  const offers = asList(accepts).slice(0, maxOffers)
  const findings: MessageFinding[] = []
  if (!Array.isArray(accepts) || offers.length === 0)
    findings.push(
      error('no_offers', `${place}.accepts`, 'accepts holds no offer, so there is nothing to pay.'),
    )
  if (version === 2 && !(isRecord(resource) && typeof resource.url === 'string'))
    findings.push(
      error(
        'no_resource',
        `${place}.resource`,
        'resource.url is missing; version 2 says once what is paid for, outside of the offers.',
      ),
    )
  findings.push(...offers.flatMap((offer, index) => checkOffer(offer, `${place}.accepts[${index}]`, version)))
  return { version, offers: offers.map(offer => readOffer(offer, version)), findings }
}
