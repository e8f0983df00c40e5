import type { Port } from '../../kernel/port.ts'
import { bridge } from './bridge/port.ts'
import { sponsorChains } from './gas/sponsor-chains.ts'
import { openingPrices, twaps } from './market/twaps.ts'

/** The edges of the world that the service brings along. */
export const ports: readonly Port[] = [twaps, openingPrices, bridge, sponsorChains]
