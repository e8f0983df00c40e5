import * as z from 'zod'
import { factTable } from './facts.ts'
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
export const usdcByNetwork = {
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

/** The others that x402 sellers ask for. */
const others = factTable(
  new URL('./data/usd-tokens.json', import.meta.url),
  z.array(
    z.strictObject({
      network: z.string().regex(/^(?:eip155|solana):/),
      asset: z.string(),
      symbol: z.string(),
      decimals: z.int().default(6),
    }),
  ),
)

let cachedTokens: readonly UsdToken[] | undefined

/** Every token whose amounts are US dollars here. */
export const usdTokens = (): readonly UsdToken[] => {
  cachedTokens ??= [
    ...Object.entries(usdcByNetwork).map(([network, asset]) => ({
      network,
      asset,
      symbol: 'USDC',
      decimals: 6,
    })),
    ...others(),
  ]
  return cachedTokens
}

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

/** True when two contracts, mints or accounts are the same: hex has no letter case, base58 has. */
export const isSameAddress = (one: string, other: string): boolean =>
  one === other || (/^0x/i.test(one) && /^0x/i.test(other) && one.toLowerCase() === other.toLowerCase())

/** The USD token at a contract of a network. */
export const findUsdToken = (network: string, asset: string): UsdToken | undefined => {
  const id = toCaip2(network)
  return usdTokens().find(token => token.network === id && isSameAddress(token.asset, asset))
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
  const here = usdTokens().filter(token => token.network === id)
  if (here.length === 0) return false
  if (usdTokens().some(token => token.asset.toLowerCase() === asset.toLowerCase())) return true
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
