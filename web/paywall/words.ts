import type { PaymentRequirements } from '@x402/core/types'

const networks: Readonly<Record<string, string>> = {
  'eip155:1': 'Ethereum',
  'eip155:10': 'Optimism',
  'eip155:137': 'Polygon',
  'eip155:8453': 'Base',
  'eip155:42161': 'Arbitrum One',
  'eip155:43114': 'Avalanche',
  'eip155:84532': 'Base Sepolia',
}

/** USDC as its issuer lists it, in lower case; all have six decimals. */
const usdc: readonly string[] = [
  '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
  '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  '0x0b2c639c533813f4aa9d7837caf62653d097ff85',
  '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
  '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e',
]

/** A network as people call it; its CAIP-2 name where it has none here. */
export const networkTitle = (network: string): string => networks[network] ?? network

const decimal = (atomic: string): string => {
  const digits = atomic.padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6).replace(/0+$/, '').padEnd(2, '0')}`
}

/** An amount in words. A token whose decimals are not known is shown in its smallest units: a guess would be a wrong price. */
export const priceInWords = ({ asset, amount, extra }: PaymentRequirements): string => {
  if (!/^\d{1,78}$/.test(amount)) return 'an unknown amount'
  if (usdc.includes(asset.toLowerCase())) return `${decimal(amount)} USDC`
  const name = typeof extra?.name === 'string' ? extra.name : 'the token'
  return `${amount} smallest units of ${name}`
}
