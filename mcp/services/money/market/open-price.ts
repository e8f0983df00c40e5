import { ToolError } from '../../../kernel/error.ts'
import { parseRecord } from '../../../lib/json.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import { parsePrice, type TwapSource } from './twap-source.ts'

const variants = { '5m': 'fiveminute', '15m': 'fifteen' } as const
const source = 'open price of the market'

const iso = (unix: number): string => new Date(unix * 1000).toISOString().replace('.000Z', 'Z')

/** Opening prices of windows from an address that the market's own pages ask; it tells no live price. */
export const openOpenPrices = ({ fetch, url }: { fetch: Fetch; url: string }): TwapSource => ({
  async averageAt({ asset, window, start, end }, signal) {
    const query = new URLSearchParams({
      symbol: asset.toUpperCase(),
      eventStartTime: iso(start),
      variant: variants[window],
      endDate: iso(end),
      twapEnabled: 'true',
      twapLookbackSeconds: '60',
    })
    try {
      const options = {
        namedBy: 'operator',
        deadlineMs: 3_000,
        maxBytes: 65_536,
        fresh: true,
        signal,
      } as const
      const { status, body } = await fetch(`${url}?${query}`, options)
      const answer = status === 200 ? parseRecord(body.toString('utf8')) : undefined
      const price = answer?.incomplete === true ? undefined : parsePrice(answer?.openPrice)
      return price === undefined ? undefined : { at: start * 1000, price, source }
    } catch (problem) {
      // Another source may know; whoever has left is told so.
      if (problem instanceof ToolError && problem.code !== 'timeout') return undefined
      throw problem
    }
  },
  latest: () => undefined,
  close: () => undefined,
})
