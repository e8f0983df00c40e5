import { ToolError } from '../../../kernel/error.ts'
import type { ChainName } from '../../../ports/chain/port.ts'

/** A chain on which gas is sponsored. */
export type GasNetwork = {
  name: ChainName
  chainId: number
  title: string
  /** Coin that gas is paid in. */
  coin: 'ETH' | 'POL'
  /** Self-description of the feed of its price. */
  feed: RegExp
  /** Each transaction pays for its data on the chain below, too (OP stack). */
  hasDataFee: boolean
}

/** The first one is meant where nothing is said. */
export const gasNetworks: readonly GasNetwork[] = [
  { name: 'base', chainId: 8453, title: 'Base', coin: 'ETH', feed: /^ETH \/ USD$/, hasDataFee: true },
  {
    name: 'polygon',
    chainId: 137,
    title: 'Polygon',
    coin: 'POL',
    feed: /^(?:POL|MATIC) \/ USD$/,
    hasDataFee: false,
  },
]

/** The chain of an id. Throws `invalid_input` that lists those that there are. */
export const requireGasNetwork = (chainId: number): GasNetwork => {
  const network = gasNetworks.find(each => each.chainId === chainId)
  if (network) return network
  throw new ToolError('invalid_input', `Gas is not sponsored on the chain ${chainId}.`, {
    issues: [{ path: 'chainId', message: 'must be 8453 (Base) or 137 (Polygon)' }],
  })
}

/** Marker in the place of a factory where the account delegates with the same transaction (EIP-7702). */
export const delegationMarker = '0x7702000000000000000000000000000000000000'
