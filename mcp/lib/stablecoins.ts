/** USDC on one EVM chain. `name` and `version` are of the EIP-712 domain that payers sign: they differ from chain to chain. */
export type Stablecoin = {
  chainId: number
  /** The chain as people call it. */
  title: string
  /** Name of the chain in x402 version 1; null where that version has none. */
  nameV1: string | null
  address: `0x${string}`
  symbol: 'USDC'
  decimals: 6
  name: string
  version: '2'
  testnet: boolean
}

const coin = (
  chainId: number,
  title: string,
  address: `0x${string}`,
  name: 'USD Coin' | 'USDC',
  { nameV1 = null, testnet = false }: { nameV1?: string | null; testnet?: boolean } = {},
): Stablecoin => ({
  chainId,
  title,
  nameV1,
  address,
  symbol: 'USDC',
  decimals: 6,
  name,
  version: '2',
  testnet,
})

/** USDC with EIP-3009, as its issuer lists it and the stock x402 clients know it. */
export const stablecoins: readonly Stablecoin[] = [
  coin(8453, 'Base', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 'USD Coin', { nameV1: 'base' }),
  coin(1, 'Ethereum', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'USD Coin'),
  coin(42161, 'Arbitrum One', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 'USD Coin'),
  coin(10, 'OP Mainnet', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', 'USD Coin'),
  coin(137, 'Polygon PoS', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 'USD Coin', { nameV1: 'polygon' }),
  coin(43114, 'Avalanche', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', 'USD Coin', {
    nameV1: 'avalanche',
  }),
  coin(5042, 'Arc', '0x3600000000000000000000000000000000000000', 'USDC'),
  coin(143, 'Monad', '0x754704Bc059F8C67012fEd69BC8A327a5aafb603', 'USDC'),
  coin(1329, 'Sei', '0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392', 'USDC', { nameV1: 'sei' }),
  coin(50, 'XDC', '0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1', 'USDC'),
  coin(42220, 'Celo', '0xcebA9300f2b948710d2653dD7B07f33A8B32118C', 'USDC'),
  coin(84532, 'Base Sepolia', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', 'USDC', {
    nameV1: 'base-sepolia',
    testnet: true,
  }),
  coin(421614, 'Arbitrum Sepolia', '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d', 'USD Coin', {
    testnet: true,
  }),
]

const byChain = new Map(stablecoins.map(coin => [coin.chainId, coin]))
const byAddress = new Map(stablecoins.map(coin => [coin.address.toLowerCase(), coin]))

/** USDC of a chain (EIP-155 id); undefined for a chain that is not in the table. */
export const stablecoinOn = (chainId: number): Stablecoin | undefined => byChain.get(chainId)

/** The USDC that has an address, whatever its chain. */
export const stablecoinAt = (address: string): Stablecoin | undefined => byAddress.get(address.toLowerCase())
