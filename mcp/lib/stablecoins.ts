import { usdcByNetwork } from './usd-tokens.ts'

type ChainId = keyof typeof usdcByNetwork extends infer Id
  ? Id extends `eip155:${infer Number extends number}`
    ? Number
    : never
  : never

/** USDC on one EVM chain. `name` and `version` are of the EIP-712 domain that payers sign: they differ from chain to chain. */
export type Stablecoin = {
  chainId: number
  /** The chain as people call it. */
  title: string
  address: `0x${string}`
  symbol: 'USDC'
  decimals: 6
  name: string
  version: '2'
  testnet: boolean
}

const coin = (
  chainId: ChainId,
  title: string,
  name: 'USD Coin' | 'USDC',
  { testnet = false }: { testnet?: boolean } = {},
): Stablecoin => ({
  chainId,
  title,
  address: usdcByNetwork[`eip155:${chainId}`],
  symbol: 'USDC',
  decimals: 6,
  name,
  version: '2',
  testnet,
})

/** USDC with EIP-3009 whose signing domain is known: as its issuer lists it and the stock x402 clients know it. */
export const stablecoins: readonly Stablecoin[] = [
  coin(8453, 'Base', 'USD Coin'),
  coin(1, 'Ethereum', 'USD Coin'),
  coin(42161, 'Arbitrum One', 'USD Coin'),
  coin(10, 'OP Mainnet', 'USD Coin'),
  coin(137, 'Polygon PoS', 'USD Coin'),
  coin(43114, 'Avalanche', 'USD Coin'),
  coin(5042, 'Arc', 'USDC'),
  coin(143, 'Monad', 'USDC'),
  coin(1329, 'Sei', 'USDC'),
  coin(50, 'XDC', 'USDC'),
  coin(42220, 'Celo', 'USDC'),
  coin(84532, 'Base Sepolia', 'USDC', { testnet: true }),
  coin(421614, 'Arbitrum Sepolia', 'USD Coin', { testnet: true }),
]

const byChain = new Map(stablecoins.map(coin => [coin.chainId, coin]))
const byAddress = new Map(stablecoins.map(coin => [coin.address.toLowerCase(), coin]))

/** USDC of a chain (EIP-155 id); undefined for a chain that is not in the table. */
export const stablecoinOn = (chainId: number): Stablecoin | undefined => byChain.get(chainId)

/** The USDC that has an address, whatever its chain. */
export const stablecoinAt = (address: string): Stablecoin | undefined => byAddress.get(address.toLowerCase())
