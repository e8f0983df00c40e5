import { asList, asRecord, isRecord, type JsonRecord, parseJson, parseRecord } from './json.ts'
import { clean } from './text/clean.ts'
import { toCaip2, toUsdMicros } from './usd-tokens.ts'

/** One offer of an x402 quote, the fields that checks need. */
export type Offer = {
  scheme: string
  network: string
  asset: string
  /** Atomic units. */
  amount: string
  payTo: string
  timeoutSeconds: number
  /** The offer's names of the asset: the seller's word, by which nothing is priced. */
  assetNames: string[]
}

export type X402Quote = {
  version: 1 | 2
  offers: Offer[]
  /** Offers that were left out because they could not be read. */
  unread: number
  /** The address that it says it is for. */
  resource: string | null
  /** Its word on what is sold. */
  description: string | null
  tags: string[]
  license: string | null
  termsUrl: string | null
  problem: string | null
}

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
  const { name, symbol, assetName, currency } = asRecord(extra)
  const assetNames = [name, symbol, assetName, currency].flatMap(word => clean(word, 40) ?? [])
  return { scheme, network, asset, amount: atomic, payTo, timeoutSeconds: seconds, assetNames }
}

const isExpired = ({ expiresAt, expires_at, validUntil }: JsonRecord, now: Date): boolean => {
  const at = expiresAt ?? expires_at ?? validUntil
  const time = typeof at === 'number' ? at * (at < 1e11 ? 1000 : 1) : Date.parse(String(at))
  return at !== undefined && Number.isFinite(time) && time <= now.getTime()
}

const maxOffers = 20

/** Reads a quote of version 1 or 2 as it stands in a body or a header; `problem` says why it cannot be paid. */
export const readQuote = (value: unknown, now: Date): X402Quote => {
  const quote = asRecord(value)
  const version = quote.x402Version === 1 ? 1 : 2
  const first = asRecord(asList(quote.accepts)[0])
  const about = { ...first, ...asRecord(quote.resource), ...quote }
  const resource = [asRecord(quote.resource).url, quote.resource, first.resource]
  const base = {
    version,
    resource: resource.map(url => clean(url, 2048)).find(url => url !== null) ?? null,
    description: clean(about.description, 500),
    tags: asList(about.tags)
      .slice(0, 32)
      .flatMap(tag => clean(tag, 128) ?? []),
    license: clean(about.license, 200),
    termsUrl: clean(about.termsUrl, 2048),
  } as const
  const none = (problem: string, unread = 0): X402Quote => ({ ...base, offers: [], unread, problem })
  if (quote.x402Version !== 1 && quote.x402Version !== 2) return none('it is no x402 quote of version 1 or 2')
  if (isExpired(quote, now)) return none('it has expired')
  const listedOffers = asList(quote.accepts)
  const parsed = listedOffers.slice(0, maxOffers).map(parseOffer)
  const offers = parsed.filter(offer => typeof offer !== 'string')
  const unread = listedOffers.length - offers.length
  if (offers.length > 0) return { ...base, offers, unread, problem: null }
  return none(parsed.find(offer => typeof offer === 'string') ?? 'it holds no offer', unread)
}

type Answer = { status: number; headers: Readonly<Record<string, string>>; body: Buffer }

/** One name for offers that ask for the same, in whichever version they are written. */
const toOfferKey = ({ scheme, network, asset, amount, payTo }: Offer): string =>
  [scheme, toCaip2(network), asset, amount, payTo]
    .map(word => (/^0x/i.test(word) ? word.toLowerCase() : word))
    .join(' ')

/** The quote of the header with those offers of the body that it does not hold: a buyer of version 1 reads the body alone. */
const join = (header: X402Quote, body: X402Quote): X402Quote => {
  if (header.problem !== null || body.offers.length === 0) return header
  const keys = new Set(header.offers.map(toOfferKey))
  const others = body.offers.filter(offer => !keys.has(toOfferKey(offer)))
  return { ...header, offers: [...header.offers, ...others], unread: header.unread + body.unread }
}

/**
 * The quote of a 402: version 2 in the header PAYMENT-REQUIRED, version 1 or 2 in the body, and all that either of them asks for.
 * Undefined for other answers.
 */
export const parseQuote = ({ status, headers, body }: Answer, now: Date): X402Quote | undefined => {
  if (status !== 402) return undefined
  const header = headers['payment-required']
  const inBody = readQuote(parseJson(body.toString('utf8')), now)
  if (header === undefined) return inBody
  return join(readQuote(parseJson(Buffer.from(header, 'base64').toString('utf8')), now), inBody)
}

/** The 402 as the seller wrote it: the header of version 2, else the body. */
export const readRequirements = ({ headers, body }: Answer): JsonRecord => {
  const header = headers['payment-required']
  const text = header === undefined ? body.toString('utf8') : Buffer.from(header, 'base64').toString('utf8')
  return { ...asRecord(parseJson(text)) }
}

/**
 * The PaymentRequired of a JSON-RPC answer: the data of an error, else the `structuredContent` or the text of a failed result (x402,
 * "Transport: MCP", both versions). Undefined for any other answer.
 */
export const findRpcRequirements = ({ result, error }: JsonRecord): JsonRecord | undefined => {
  const { isError, structuredContent, content } = asRecord(result)
  const { text } = asRecord(asList(content)[0])
  const inText = typeof text === 'string' && text.includes('x402Version') ? parseRecord(text) : undefined
  const failed = isError === true ? [structuredContent, inText] : []
  return (isRecord(error) ? [error.data] : failed)
    .filter(isRecord)
    .find(({ x402Version, accepts }) => x402Version !== undefined && Array.isArray(accepts))
}

/** The price of an offer in millionths of a USD, by its network and contract; undefined for an asset that is no known USD token. */
export const priceOffer = ({ network, asset, amount }: Offer): bigint | undefined =>
  toUsdMicros(network, asset, amount)
