import { createHash } from 'node:crypto'
import type { WindowListing } from './listing.ts'
import type { SourcedTick, TwapSource } from './twap-source.ts'
import type { Asset, Window } from './window.ts'

/** A market without money: its prices are made up, each window is listed, and those that are over are decided. */
export type LocalMarket = { twaps: TwapSource; listing(window: Window): WindowListing }

/** Dollars that the made-up prices move around. */
const middle: Readonly<Record<Asset, number>> = { btc: 96_000, eth: 3_400, sol: 185, xrp: 2.4 }

const source = 'made up: a local market'

/** The average of an asset at a time (Unix seconds): waves of minutes and hours, the same for whoever asks. */
const priceAt = (asset: Asset, unix: number): string => {
  const phase = middle[asset]
  const wave = 0.004 * Math.sin(unix / 2_600 + phase) + 0.0012 * Math.sin(unix / 140 + phase)
  return (middle[asset] * (1 + wave)).toFixed(asset === 'xrp' ? 6 : 4)
}

const tickAt = (asset: Asset, unix: number): SourcedTick => ({
  at: unix * 1000,
  price: priceAt(asset, unix),
  source,
})

const tokenOf = ({ slug }: Window, outcome: 'up' | 'down'): string =>
  BigInt(`0x${createHash('sha256').update(`${slug} ${outcome}`).digest('hex')}`).toString()

/** Opens the market of local chains; `now` in Unix milliseconds. It runs nothing and remembers nothing. */
export const openLocalMarket = (now: () => number): LocalMarket => ({
  twaps: {
    averageAt: async ({ asset, start }) => (start * 1000 <= now() ? tickAt(asset, start) : undefined),
    latest: asset => tickAt(asset, Math.floor(now() / 1000)),
    close: () => undefined,
  },
  listing(window) {
    const { asset, start, end } = window
    const isClosed = end * 1000 <= now()
    const [priceToBeat, finalPrice] = [priceAt(asset, start), priceAt(asset, end)]
    return {
      tokens: { up: tokenOf(window, 'up'), down: tokenOf(window, 'down') },
      isClosed,
      priceToBeat: isClosed ? priceToBeat : null,
      finalPrice: isClosed ? finalPrice : null,
      outcome: isClosed ? (Number(finalPrice) >= Number(priceToBeat) ? 'up' : 'down') : null,
    }
  },
})
