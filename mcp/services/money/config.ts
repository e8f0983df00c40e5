import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'
import { absoluteUrl, jsonText } from '../../lib/setting-texts.ts'
import { bridgeSettings } from './bridge/settings.ts'
import { gasSettings } from './gas/settings.ts'
import { ownerSettings } from './owners.ts'
import { vaultSettings } from './vault/settings.ts'

const socketUrl = z.url({ protocol: /^wss?$/, message: 'an absolute ws(s) URL' })

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'an EVM address')
  .transform(text => text as `0x${string}`)

const Stock = z.strictObject({
  symbol: z.string().regex(/^[A-Z0-9.]{1,12}$/),
  token: address,
  feed: address,
  decimals: z.number().int().min(0).max(18),
})

/** A tokenized stock on Base: its token, and the Chainlink feed of its price. */
export type Stock = z.output<typeof Stock>

const defaultStocks: readonly z.input<typeof Stock>[] = [
  {
    symbol: 'NVDA',
    token: '0xb20000000000000000000078ee7ce2fE4908108C',
    feed: '0x04689a41629776563E6822F76f2e57D148d28513',
    decimals: 8,
  },
  {
    symbol: 'META',
    token: '0xb2000000000000000000008bC8786B856E61707C',
    feed: '0x6526aE6797A76123638b863AeE4dD27Ba4E4b27D',
    decimals: 8,
  },
  {
    symbol: 'AAPL',
    token: '0xb200000000000000000000C2e324d24d7eEcd1fb',
    feed: '0x787f13dEa48Db0897CbCDD985de77809D837F988',
    decimals: 8,
  },
  {
    symbol: 'GOOGL',
    token: '0xb2000000000000000000002D0BA3164cc74f58B7',
    feed: '0x5bF49E0ffA937CE2FfF033c739aD7C634c4D34F2',
    decimals: 8,
  },
]

const credentials = z.strictObject({
  apiKey: z.string().min(1),
  secret: z.string().min(1),
  passphrase: z.string().min(1),
})

const marketSettings = settings({
  twapSocket: {
    variable: 'MONEY_TWAP_SOCKET',
    schema: socketUrl,
    description: 'WebSocket that 60-second average prices of crypto assets are read from.',
    default: 'wss://ws-live-v2.polymarket.com/ws',
  },
  twapCredentials: {
    variable: 'MONEY_TWAP_CREDENTIALS',
    schema: jsonText(credentials),
    description:
      'Credentials for that socket, JSON with apiKey, secret and passphrase. Without them no price to beat is sold for a window that runs.',
    example: '{"apiKey":"…","secret":"…","passphrase":"…"}',
    secret: true,
  },
  openPrices: {
    variable: 'MONEY_OPEN_PRICES',
    schema: absoluteUrl,
    description:
      'Address that tells the opening price of a window that began before the socket was open. Undocumented by its owner; default: none.',
    example: 'https://polymarket.com/api/crypto/crypto-price',
  },
  marketListings: {
    variable: 'MONEY_MARKET_LISTINGS',
    schema: absoluteUrl,
    description: 'API that lists prediction markets and their outcomes.',
    default: 'https://gamma-api.polymarket.com',
  },
  marketPrices: {
    variable: 'MONEY_MARKET_PRICES',
    schema: absoluteUrl,
    description: 'API that tells prices of prediction markets.',
    default: 'https://clob.polymarket.com',
  },
  stocks: {
    variable: 'MONEY_STOCKS',
    schema: jsonText(z.array(Stock).length(4)),
    description:
      'The four tokenized stocks of the basket on Base: JSON list of symbol, token, feed (Chainlink) and decimals.',
    default: JSON.stringify(defaultStocks),
  },
})

export const moneySettings = {
  ...ownerSettings,
  ...bridgeSettings,
  ...gasSettings,
  ...marketSettings,
  ...vaultSettings,
}
