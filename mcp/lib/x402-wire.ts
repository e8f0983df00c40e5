import { asList, asRecord, type JsonRecord, parseJson } from './json.ts'
import { clean } from './text/clean.ts'

/** One offer of an x402 quote, the fields that checks need. */
export type Offer = {
  scheme: string
  network: string
  asset: string
  /** Atomic units. */
  amount: string
  payTo: string
  timeoutSeconds: number
  /** Name of the asset as the offer says it. */
  assetName: string | null
}

export type Quote = { version: 1 | 2; offers: Offer[]; termsUrl: string | null; problem: string | null }

const schemes = new Set(['exact', 'upto'])

/** Networks, assets and payees are written in visible ASCII (CAIP-2, hex, base58); a model reads them, so nothing else is. */
const isIdentifier = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length <= max && /^[\x21-\x7e]+$/.test(value)

const parseOffer = (value: unknown): Offer | string => {
  const { scheme, network, asset, amount, maxAmountRequired, payTo, maxTimeoutSeconds, extra } =
    asRecord(value)
  const atomic = amount ?? maxAmountRequired
  if (typeof scheme !== 'string' || !schemes.has(scheme))
    return `an offer has the scheme ${clean(scheme, 20) ?? 'that is no text'}`
  if (!isIdentifier(network, 80)) return 'an offer names no network'
  if (!isIdentifier(asset, 120)) return 'an offer names no asset'
  if (typeof atomic !== 'string' || !/^\d{1,30}$/.test(atomic))
    return 'the amount of an offer is no integer text'
  if (!isIdentifier(payTo, 120)) return 'an offer names no payee'
  const seconds = Number(maxTimeoutSeconds)
  if (!Number.isFinite(seconds) || seconds <= 0) return 'maxTimeoutSeconds of an offer is not above zero'
  const assetName = clean(asRecord(extra).name, 40)
  return { scheme, network, asset, amount: atomic, payTo, timeoutSeconds: seconds, assetName }
}

const isExpired = ({ expiresAt, expires_at, validUntil }: JsonRecord, now: Date): boolean => {
  const at = expiresAt ?? expires_at ?? validUntil
  const time = typeof at === 'number' ? at * (at < 1e11 ? 1000 : 1) : Date.parse(String(at))
  return at !== undefined && Number.isFinite(time) && time <= now.getTime()
}

const maxOffers = 20

const readQuote = (value: unknown, now: Date): Quote => {
  const quote = asRecord(value)
  const version = quote.x402Version === 1 ? 1 : 2
  const { termsUrl } = { ...asRecord(quote.resource), ...quote }
  const base = { version, termsUrl: clean(termsUrl, 2048) } as const
  const none = (problem: string): Quote => ({ ...base, offers: [], problem })
  if (quote.x402Version !== 1 && quote.x402Version !== 2) return none('it is no x402 quote of version 1 or 2')
  if (isExpired(quote, now)) return none('it has expired')
  const parsed = asList(quote.accepts).slice(0, maxOffers).map(parseOffer)
  const offers = parsed.filter(offer => typeof offer !== 'string')
  if (offers.length > 0) return { ...base, offers, problem: null }
  return none(parsed.find(offer => typeof offer === 'string') ?? 'it holds no offer')
}

type Answer = { status: number; headers: Readonly<Record<string, string>>; body: Buffer }

/** The quote of a 402: version 2 in the header PAYMENT-REQUIRED, else version 1 or 2 in the body. Undefined for other answers. */
export const parseQuote = ({ status, headers, body }: Answer, now: Date): Quote | undefined => {
  if (status !== 402) return undefined
  const header = headers['payment-required']
  if (header !== undefined) return readQuote(parseJson(Buffer.from(header, 'base64').toString('utf8')), now)
  return readQuote(parseJson(body.toString('utf8')), now)
}

/** Contracts of USDC on the chains where it is mostly paid. */
const usdcContracts = new Set([
  '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
  '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
])

/** Whether an asset is USDC, by its contract or else by the name that the offer gives it. Hex has no case, base58 has. */
export const isUsdc = ({ asset, assetName }: Pick<Offer, 'asset' | 'assetName'>): boolean =>
  usdcContracts.has(asset.startsWith('0x') ? asset.toLowerCase() : asset) ||
  /^usdc$|^usd coin$/i.test(assetName ?? '')

/** The price of an offer in millionths of a USD; undefined for an asset that is no USDC. */
export const toUsdMicros = (offer: Offer): bigint | undefined =>
  isUsdc(offer) ? BigInt(offer.amount) : undefined
