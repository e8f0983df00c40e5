import { port } from '../../../kernel/port.ts'
import { moneySettings } from '../config.ts'
import { openLocalMarket } from './local-market.ts'
import { openOpenPrices } from './open-price.ts'
import { openPolybolt } from './polybolt.ts'
import type { TwapSource } from './twap-source.ts'

/** Sources in order of preference, as one. */
export const firstOf = (sources: readonly TwapSource[]): TwapSource => ({
  async averageAt(window, signal) {
    for (const source of sources) {
      const observation = await source.averageAt(window, signal)
      if (observation) return observation
    }
    return undefined
  },
  latest(asset) {
    for (const source of sources) {
      const observation = source.latest(asset)
      if (observation) return observation
    }
    return undefined
  },
  close() {
    for (const source of sources) source.close()
  },
})

const { twapSocket, twapCredentials } = moneySettings

/** The averages that prediction markets are decided by: from the market's socket. */
export const twaps = port({
  name: 'twaps',
  needs: ['sockets', 'store', 'clock', twapSocket, twapCredentials],
}).open(({ sockets, store, clock, twapSocket: url, twapCredentials: secret }) =>
  openPolybolt({ sockets, store, now: () => clock.now().getTime(), url, credentials: secret.reveal() }),
)

/** The market of local chains; none where money is real. */
export const localMarket = port({ name: 'localMarket', needs: ['chains', 'clock'] }).open(
  ({ chains, clock }) => ({
    market: chains.local ? openLocalMarket(() => clock.now().getTime()) : undefined,
  }),
)

/** Opening prices beside the socket, where an operator names their address. */
export const openingPrices = port({ name: 'openingPrices', needs: ['fetch', moneySettings.openPrices] }).open(
  ({ fetch, openPrices: url }) => openOpenPrices({ fetch, url }),
)
