import { asRecord, type JsonRecord } from '../mcp/lib/json.ts'
import { type Stablecoin, stablecoinOn } from '../mcp/lib/stablecoins.ts'
import { clean } from '../mcp/lib/text/clean.ts'
import { findUsdToken, isSameAddress, toCaip2 } from '../mcp/lib/usd-tokens.ts'
import type { ServerPrice } from './price.ts'

/** An offer that can be paid: EIP-3009 in the USDC of a network, by scheme `exact`. */
export type Offer = {
  /** As it came; it goes back with the payment. */
  raw: JsonRecord
  coin: Stablecoin
  /** CAIP-2. */
  network: string
  /** Atomic units of USDC, which are millionths of a USD. */
  micros: bigint
  payTo: `0x${string}`
  validSeconds: number
  /** A chain on the server's own machine, as it says. */
  isDevnet: boolean
}

const maxValidSeconds = 3600
const maxBytes = 8192

/** Reads one offer, or says in a clause why it cannot be paid. Names and domain of the token come from our table, never from the offer. */
const readOffer = (raw: JsonRecord): Offer | string => {
  const { scheme, asset, payTo, maxTimeoutSeconds, amount, maxAmountRequired } = raw
  const extra = asRecord(raw.extra)
  const network = toCaip2(typeof raw.network === 'string' ? raw.network : '')
  const [, chainId] = /^eip155:(\d{1,12})$/.exec(network) ?? []
  const coin = chainId === undefined ? undefined : stablecoinOn(Number(chainId))
  const place = clean(raw.network, 60) ?? 'a network without a name'
  if (!coin) return `it is asked on ${coinlessPlace(network, place)}`
  if (scheme !== 'exact') return `it is asked by the scheme ${clean(scheme, 20) ?? 'that is no text'}`
  if (typeof asset !== 'string' || !isSameAddress(asset, coin.address))
    return `it is asked in ${otherToken(network, asset)} on ${coin.title}, which is not its USDC`
  const { assetTransferMethod = 'eip3009' } = extra
  if (assetTransferMethod !== 'eip3009')
    return `it is asked by ${clean(assetTransferMethod, 20) ?? 'another way'}, which connect does not sign`
  const atomic = amount ?? maxAmountRequired
  if (typeof atomic !== 'string' || !/^\d{1,15}$/.test(atomic) || BigInt(atomic) === 0n)
    return 'its amount cannot be read'
  if (typeof payTo !== 'string' || !/^0x[0-9a-f]{40}$/i.test(payTo) || /^0x0{40}$/i.test(payTo))
    return 'it names nobody who is paid'
  const seconds = Number(maxTimeoutSeconds)
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > maxValidSeconds)
    return `its payment would be valid for ${clean(String(maxTimeoutSeconds), 20)} seconds; connect signs for ${maxValidSeconds} at most`
  if (JSON.stringify(raw).length > maxBytes) return 'the offer is too large'
  return {
    raw,
    coin,
    network,
    micros: BigInt(atomic),
    payTo: payTo as `0x${string}`,
    validSeconds: seconds,
    isDevnet: extra.devnet === true,
  }
}

const coinlessPlace = (network: string, place: string): string =>
  network.startsWith('solana:')
    ? 'Solana, where connect has no wallet'
    : `${place}, whose USDC connect does not know`

const otherToken = (network: string, asset: unknown): string =>
  (typeof asset === 'string' && findUsdToken(network, asset)?.symbol) ||
  `the token ${clean(asset, 60) ?? 'without a name'}`

export type OfferChoice = { offer: Offer } | { reasons: string[] }

/**
 * The cheapest offer that can be paid and that `allows` lets through; else why each cannot, in clauses. `allows` answers with a clause
 * where it refuses.
 */
export const chooseOffer = (
  { accepts }: ServerPrice,
  allows: (offer: Offer) => string | undefined,
): OfferChoice => {
  const reasons = new Set<string>()
  let cheapest: Offer | undefined
  for (const raw of accepts) {
    const offer = readOffer(raw)
    const reason = typeof offer === 'string' ? offer : allows(offer)
    if (reason !== undefined) reasons.add(reason)
    else if (typeof offer !== 'string' && (!cheapest || offer.micros < cheapest.micros)) cheapest = offer
  }
  if (cheapest) return { offer: cheapest }
  return { reasons: reasons.size > 0 ? [...reasons] : ['it makes no offer'] }
}
