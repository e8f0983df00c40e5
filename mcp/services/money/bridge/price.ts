import type { CircleFees, SignedQuote } from './iris.ts'

/** Costs of a transfer beyond the amount that arrives, in atomic units. */
export type TransferCosts = {
  amount: bigint
  /** Earnings of the bridge. */
  margin: bigint
  /** Fee of Circle's forwarder for the mint. */
  forward: bigint
  /** Circle's fee for attesting before finality. */
  protocol: bigint
  gas: bigint
  total: bigint
}

/** How Circle's fees are paid. `max_fee`: from what is minted, which leaves the amount at least. `upfront`: at once, which leaves it exactly. */
export type Mode = 'max_fee' | 'upfront'

type Terms = { marginBps: number; gas: bigint }

const minMargin = 10_000n

const marginOn = (amount: bigint, { marginBps }: Terms): bigint => {
  const share = (amount * BigInt(marginBps)) / 10_000n
  if (marginBps === 0) return 0n
  return share > minMargin ? share : minMargin
}

const sum = (parts: Omit<TransferCosts, 'total'>): TransferCosts => {
  const { amount, margin, forward, protocol, gas } = parts
  return { ...parts, total: amount + margin + forward + protocol + gas }
}

/**
 * Circle takes its share of all that is burned, its own fees included, so the burn is what leaves the amount after it. A share may
 * be a fraction of a hundredth of a percent; it is rounded up, as every part of the price is.
 */
const protocolFee = (net: bigint, bps: number): bigint => {
  const parts = 10_000_000n
  const share = BigInt(Math.ceil(bps * 1_000))
  const burn = (net * parts + (parts - share) - 1n) / (parts - share)
  return burn - net
}

/** The price where Circle takes its fees from what it mints. */
export const priceFromFees = (amount: bigint, fees: CircleFees, terms: Terms): TransferCosts =>
  sum({
    amount,
    margin: marginOn(amount, terms),
    forward: fees.forward,
    protocol: protocolFee(amount + fees.forward, fees.bps),
    gas: terms.gas,
  })

/** The price where Circle's fees are paid at once, by its signed quote; the quote tells their sum. */
export const priceFromQuote = (
  amount: bigint,
  quote: SignedQuote,
  fees: CircleFees,
  terms: Terms,
): TransferCosts => {
  const forward = quote.fee < fees.forward ? quote.fee : fees.forward
  return sum({
    amount,
    margin: marginOn(amount, terms),
    forward,
    protocol: quote.fee - forward,
    gas: terms.gas,
  })
}
