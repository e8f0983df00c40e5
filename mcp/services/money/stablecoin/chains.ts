import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { type Stablecoin, stablecoinOn, stablecoins } from '../../../lib/stablecoins.ts'
import type { EvmNetwork } from '../../../ports/evm/port.ts'

/** Chains that are read, by EIP-155 id. */
const readable: Readonly<Record<number, EvmNetwork>> = {
  8453: 'base',
  1: 'eth',
  42161: 'arbitrum',
  10: 'optimism',
  137: 'polygon',
  5042: 'arc',
  84532: 'base-sepolia',
}

/** The name under which a chain can be read; undefined for one that cannot. */
export const readableChain = (chainId: number): EvmNetwork | undefined => readable[chainId]

/** USDC of every chain that is read. */
export const readableCoins: readonly Stablecoin[] = stablecoins.filter(({ chainId }) => chainId in readable)

const list = (coins: readonly Stablecoin[]): string =>
  coins.map(({ chainId, title }) => `${chainId} (${title})`).join(', ')

const unknownChain = (chainId: number, coins: readonly Stablecoin[]) =>
  new ToolError('invalid_input', `The chain ${chainId} is not among those that are known here.`, {
    issues: [{ path: 'chainId', message: `must be one of ${list(coins)}` }],
  })

/** USDC of a chain. Throws `invalid_input` that lists the chains. */
export const requireCoin = (chainId: number): Stablecoin => {
  const coin = stablecoinOn(chainId)
  if (coin) return coin
  throw unknownChain(chainId, stablecoins)
}

/** USDC of a chain that is read. Throws `invalid_input` that lists the chains. */
export const requireReadable = (chainId: number): { coin: Stablecoin; chain: EvmNetwork } => {
  const coin = stablecoinOn(chainId)
  const chain = readableChain(chainId)
  if (coin && chain) return { coin, chain }
  throw unknownChain(chainId, readableCoins)
}

/** The field `chainId`: a number, a text of it, or CAIP-2. */
export const ChainIdInput = z
  .preprocess(
    value => (typeof value === 'string' ? Number(value.replace(/^eip155:/, '')) : value),
    z.number().int().positive(),
  )
  .describe('EIP-155 id of the chain, such as 8453 for Base')
