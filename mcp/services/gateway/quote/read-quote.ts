import { asRecord, asList, type JsonRecord } from '../../../lib/json.ts'


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

const offerOf = (value: unknown): Offer | string => {
  const { scheme, network, asset, amount, maxAmountRequired, payTo, maxTimeoutSeconds, extra } =
    asRecord(value)
  const atomic = amount ?? maxAmountRequired
  if (typeof scheme !== 'string' || !schemes.has(scheme))
    return `an offer has the scheme ${String(scheme).slice(0, 20)}`
  if (typeof network !== 'string' || network === '' || network.length > 80) return 'an offer names no network'
  if (typeof asset !== 'string' || asset === '' || asset.length > 120) return 'an offer names no asset'
  if (typeof atomic !== 'string' || !/^\d{1,30}$/.test(atomic))
    return 'the amount of an offer is no integer text'
  if (typeof payTo !== 'string' || payTo === '' || payTo.length > 120) return 'an offer names no payee'
  const seconds = Number(maxTimeoutSeconds)
  if (!Number.isFinite(seconds) || seconds <= 0) return 'maxTimeoutSeconds of an offer is not above zero'
  const name = asRecord(extra).name
  const assetName = typeof name === 'string' ? name.slice(0, 40) : null
  return { scheme, network, asset, amount: atomic, payTo, timeoutSeconds: seconds, assetName }
}

const isExpired = ({ expiresAt, expires_at, validUntil }: JsonRecord, now: Date): boolean => {
  const at = expiresAt ?? expires_at ?? validUntil
  const time = typeof at === 'number' ? at * (at < 1e11 ? 1000 : 1) : Date.parse(String(at))
  return at !== undefined && Number.isFinite(time) && time <= now.getTime()
}

const read = (value: unknown, now: Date): Quote => {
  const quote = asRecord(value)
  const version = quote.x402Version === 1 ? 1 : 2
  const { termsUrl } = { ...asRecord(quote.resource), ...quote }
  const base = { version, termsUrl: typeof termsUrl === 'string' ? termsUrl : null } as const
  const none = (problem: string): Quote => ({ ...base, offers: [], problem })
  if (quote.x402Version !== 1 && quote.x402Version !== 2) return none('it is no x402 quote of version 1 or 2')
  if (isExpired(quote, now)) return none('it has expired')
  const read = asList(quote.accepts).slice(0, 20).map(offerOf)
  const offers = read.filter(offer => typeof offer !== 'string')
  if (offers.length > 0) return { ...base, offers, problem: null }
  return none(read.find(offer => typeof offer === 'string') ?? 'it holds no offer')
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Answer = { status: number; headers: Readonly<Record<string, string>>; body: Buffer }

/** The quote of a 402: version 2 in the header PAYMENT-REQUIRED, else version 1 or 2 in the body. Undefined for other answers. */
export const quoteOf = ({ status, headers, body }: Answer, now: Date): Quote | undefined => {
  if (status !== 402) return undefined
  const header = headers['payment-required']
  if (header !== undefined) return read(parse(Buffer.from(header, 'base64').toString('utf8')), now)
  return read(parse(body.toString('utf8')), now)
}

/** USDC by its name or by its contracts on the chains where it is mostly paid. */
const usdcContracts = new Set([
  '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
  '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  'epjfwdd5aufqssqem2qn1xzybapc8g4weggkzwytdt1v',
])

/** The price of an offer in millionths of a USD; undefined for an asset that is no USDC. */
export const usdMicroOf = ({ asset, assetName, amount }: Offer): bigint | undefined =>
  usdcContracts.has(asset.toLowerCase()) || /^usdc$|^usd coin$/i.test(assetName ?? '')
    ? BigInt(amount)
    : undefined
