import { z } from 'zod'
import { settings } from '../../../kernel/setting.ts'
import { absoluteUrl, list } from '../../../lib/setting-texts.ts'

export const venueIds = ['hyperliquid', 'binance', 'bybit', 'okx', 'deribit'] as const

export type VenueId = (typeof venueIds)[number]

const address = <const variable extends string>(variable: variable, name: string, url: string) => ({
  variable,
  schema: absoluteUrl,
  description: `Public market data of ${name}.`,
  default: url,
})

export const signalSettings = settings({
  venueOrder: {
    variable: 'PROOF_VENUES',
    schema: list.pipe(z.array(z.enum(venueIds)).min(1)).transform(ids => [...new Set(ids)]),
    description:
      'Venues that market signals are read from, in order of preference: hyperliquid, binance, bybit, okx, deribit.',
    default: venueIds.join(','),
  },
  hyperliquid: address('PROOF_HYPERLIQUID_URL', 'Hyperliquid', 'https://api.hyperliquid.xyz'),
  binance: address('PROOF_BINANCE_URL', 'Binance futures', 'https://fapi.binance.com'),
  bybit: address('PROOF_BYBIT_URL', 'Bybit', 'https://api.bybit.com'),
  okx: address('PROOF_OKX_URL', 'OKX', 'https://www.okx.com'),
  deribit: address('PROOF_DERIBIT_URL', 'Deribit', 'https://www.deribit.com'),
})
