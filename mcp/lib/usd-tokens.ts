import { skeleton } from './text/skeleton.ts'
import { networksV1 } from './x402-networks.ts'

/** A token that is worth a US dollar, at the contract that its issuer publishes. */
export type UsdToken = {
  /** CAIP-2. */
  network: string
  /** Contract or mint. Hex has no letter case, base58 has. */
  asset: string
  symbol: string
  decimals: number
}

/** Circle's USDC by network, as Circle publishes it. */
export const usdc = {
  'eip155:1': '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  'eip155:10': '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
  'eip155:50': '0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1',
  'eip155:51': '0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4',
  'eip155:130': '0x078D782b760474a361dDA0AF3839290b0EF57AD6',
  'eip155:137': '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  'eip155:143': '0x754704Bc059F8C67012fEd69BC8A327a5aafb603',
  'eip155:146': '0x29219dd400f2Bf60E5a23d13Be72B486D4038894',
  'eip155:324': '0x1d17CBcF0D6D143135aE902365D2E5e2A16538D4',
  'eip155:480': '0x79A02482A880bCE3F13e09Da970dC34db4CD24d1',
  'eip155:999': '0xb88339CB7199b77E23DB6E890353E22632Ba630f',
  'eip155:1328': '0x4fCF1784B31630811181f670Aea7A7bEF803eaED',
  'eip155:1329': '0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392',
  'eip155:5042': '0x3600000000000000000000000000000000000000',
  'eip155:8453': '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  'eip155:42161': '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  'eip155:42220': '0xcebA9300f2b948710d2653dD7B07f33A8B32118C',
  'eip155:43113': '0x5425890298aed601595a70AB815c96711a31Bc65',
  'eip155:43114': '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
  'eip155:59144': '0x176211869cA2b568f2A7D4EE941E073a821EE1ff',
  'eip155:80002': '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582',
  'eip155:84532': '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  'eip155:421614': '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d',
  'eip155:11142220': '0x01C5C0122039549AD1493B8220cABEdD739BC44E',
  'eip155:11155111': '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238',
  'eip155:11155420': '0x5fd84259d66Cd46123540766Be93DFE6D43130D7',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
} as const satisfies Record<string, string>

const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

/** The others that x402 sellers ask for. Decimals are a fact of each contract: Binance's copies have 18. */
const others: readonly (readonly [network: string, asset: string, symbol: string, decimals?: number])[] = [
  ['eip155:1', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 'USDT'],
  ['eip155:10', '0x7F5c764cBc14f9669B88837ca1490cCa17c31607', 'USDC.e'],
  ['eip155:10', '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58', 'USDT'],
  ['eip155:14', '0xe7cd86e13AC4309349F30B3435a9d337750fC82D', 'USDT0'],
  ['eip155:56', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 'USDC', 18],
  ['eip155:56', '0x55d398326f99059fF775485246999027B3197955', 'USDT', 18],
  ['eip155:137', '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', 'USDC.e'],
  ['eip155:137', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 'USDT0'],
  ['eip155:988', '0x779Ded0c9e1022225f8E0630b35a9b54bE713736', 'USDT0'],
  ['eip155:2201', '0x78Cf24370174180738C5B8E352B6D14c83a6c9A9', 'USDT0'],
  ['eip155:4326', '0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7', 'MegaUSD', 18],
  ['eip155:8453', '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA', 'USDbC'],
  ['eip155:8453', '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2', 'USDT'],
  ['eip155:31611', '0x118917a40FAF1CD7a13dB0Ef56C86De7973Ac503', 'mUSD', 18],
  ['eip155:31612', '0xdD468A1DDc392dcdbEf6db6e34E89AA338F9F186', 'mUSD', 18],
  ['eip155:36900', '0x9cb8142aEBBcdc60AF7c97Af897A67A8f3CA71C2', 'USDC.e'],
  ['eip155:38833', '0xA5b8BF902b2844dA17d4506cc827F7F1681735E7', 'USDC'],
  ['eip155:42161', '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8', 'USDC.e'],
  ['eip155:42161', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', 'USDT0'],
  ['eip155:42220', '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e', 'USDT'],
  ['eip155:42220', '0xD2ab3C9A02DBBAB236BfEC45D1d755DF4267F771', 'USAT'],
  ['eip155:72344', '0x33ad9e4BD16B69B5BFdED37D8B5D9fF9aba014Fb', 'SBC'],
  ['eip155:181228', '0x401eCb1D350407f13ba348573E5630B83638E30D', 'USDC.e'],
  ['eip155:190415', '0x401eCb1D350407f13ba348573E5630B83638E30D', 'USDC.e'],
  ['eip155:723487', '0x33ad9e4BD16B69B5BFdED37D8B5D9fF9aba014Fb', 'SBC'],
  [solana, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', 'USDT'],
  [solana, '2u1tszSeqZ3qBWF3uNGPFc8TzMk2tdiwknnRMWGWjGWH', 'USDG'],
  [solana, '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo', 'PYUSD'],
  [solana, 'CASHx9KJUStyftLFWGvEVf59SGeG9sh5FfcnZMVPCASH', 'CASH'],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', '4F6PM96JJxngmHnZLBh9n58RH4aTVNWvDs2nuwrT5BP7', 'USDG'],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'CXk2AMBfi3TwaEL2468s6zP8xq9NxTXjp9gjMgzeUynM', 'PYUSD'],
]

/** Every token whose amounts are US dollars here. */
export const usdTokens: readonly UsdToken[] = [
  ...Object.entries(usdc).map(([network, asset]) => ({ network, asset, symbol: 'USDC', decimals: 6 })),
  ...others.map(([network, asset, symbol, decimals = 6]) => ({ network, asset, symbol, decimals })),
]

/** Names of networks that sellers write: those of x402 version 1, and others that are in use. */
const aliases: Readonly<Record<string, string>> = {
  ...networksV1,
  ethereum: 'eip155:1',
  mainnet: 'eip155:1',
  optimism: 'eip155:10',
  bsc: 'eip155:56',
  monad: 'eip155:143',
  'sei-testnet': 'eip155:1328',
  megaeth: 'eip155:4326',
  arbitrum: 'eip155:42161',
  'arbitrum-one': 'eip155:42161',
  'arbitrum-sepolia': 'eip155:421614',
  celo: 'eip155:42220',
  sepolia: 'eip155:11155111',
  'optimism-sepolia': 'eip155:11155420',
}

/** A network as CAIP-2; one that has no other name here stays as it is. */
export const toCaip2 = (network: string): string =>
  (Object.hasOwn(aliases, network) ? aliases[network] : undefined) ?? network

/** Whether two contracts, mints or accounts are the same: hex has no letter case, base58 has. */
export const isSameAddress = (one: string, other: string): boolean =>
  one === other || (/^0x/i.test(one) && /^0x/i.test(other) && one.toLowerCase() === other.toLowerCase())

/** The USD token at a contract of a network. */
export const findUsdToken = (network: string, asset: string): UsdToken | undefined => {
  const id = toCaip2(network)
  return usdTokens.find(token => token.network === id && isSameAddress(token.asset, asset))
}

/** A name as it looks: letters and digits alone, look-alikes of other scripts read as Latin. */
const toLook = (name: string): string =>
  skeleton(
    name
      .normalize('NFKC')
      .replace(/₮/g, 'T')
      .replace(/[^\p{L}\p{N}]+/gu, ''),
  )

/** Names that tokens of the table go by, next to their symbols. */
const fullNames: Readonly<Record<string, readonly string[]>> = {
  USDC: ['USD Coin', 'Circle USD', 'USD Coin (Circle)', 'USDCoin'],
  USDT: ['Tether', 'Tether USD', 'USDT0'],
  USDT0: ['Tether', 'Tether USD', 'USDT'],
  'USDC.e': ['Bridged USDC', 'USD Coin (PoS)', 'USD Coin (Arb1)', 'USD Coin (bridged)'],
  PYUSD: ['PayPal USD'],
  USDG: ['Global Dollar'],
}

/**
 * Whether a token that is not in the table calls itself one that is, on a network whose tokens are known: by a name that looks the
 * same, by a known mint in other letter case, or by a contract that is USD on another network alone.
 */
export const isLookAlike = (network: string, asset: string, names: readonly string[]): boolean => {
  if (findUsdToken(network, asset)) return false
  const id = toCaip2(network)
  const here = usdTokens.filter(token => token.network === id)
  if (here.length === 0) return false
  if (usdTokens.some(token => token.asset.toLowerCase() === asset.toLowerCase())) return true
  const claims = new Set(here.flatMap(({ symbol }) => [symbol, ...(fullNames[symbol] ?? [])]).map(toLook))
  return names.some(name => claims.has(toLook(name)))
}

/** Millionths of a USD that an amount in atomic units is, rounded up; undefined for what is not in the table. */
export const toUsdMicros = (network: string, asset: string, amount: string): bigint | undefined => {
  const token = findUsdToken(network, asset)
  if (!token) return undefined
  const scale = 10n ** BigInt(token.decimals)
  return (BigInt(amount) * 1_000_000n + scale - 1n) / scale
}
