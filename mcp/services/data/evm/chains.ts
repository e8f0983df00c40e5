import { z } from 'zod'
import type { EvmChain } from '../../../ports/evm/port.ts'

/** Facts the skills know of a chain. `rollup` names the software of a chain that pays another one for its data. */
export type ChainFacts = {
  id: number
  title: string
  coin: { name: string; symbol: string }
  rollup: 'op' | 'arbitrum' | null
}

const ether = { name: 'Ether', symbol: 'ETH' }

export const chainFacts: Readonly<Record<EvmChain, ChainFacts>> = {
  eth: { id: 1, title: 'Ethereum', coin: ether, rollup: null },
  base: { id: 8453, title: 'Base', coin: ether, rollup: 'op' },
  arbitrum: { id: 42161, title: 'Arbitrum One', coin: ether, rollup: 'arbitrum' },
  optimism: { id: 10, title: 'OP Mainnet', coin: ether, rollup: 'op' },
  polygon: { id: 137, title: 'Polygon PoS', coin: { name: 'POL', symbol: 'POL' }, rollup: null },
}

export const chainNames = ['eth', 'base', 'arbitrum', 'optimism', 'polygon'] as const

/** Every chain but one. */
export const othersThan = (chain: EvmChain): EvmChain[] => chainNames.filter(name => name !== chain)

const aliases: Readonly<Record<string, EvmChain>> = {
  ethereum: 'eth',
  mainnet: 'eth',
  'eth-mainnet': 'eth',
  'ethereum-mainnet': 'eth',
  'base-mainnet': 'base',
  arb: 'arbitrum',
  arb1: 'arbitrum',
  'arbitrum-one': 'arbitrum',
  op: 'optimism',
  'op-mainnet': 'optimism',
  matic: 'polygon',
  pol: 'polygon',
  'polygon-pos': 'polygon',
}

/** The name of the chain that a caller means: any case, a usual other name, an EIP-155 id, as in `chain=base` or `on base`. */
export const parseChainName = (input: unknown): unknown => {
  if (typeof input !== 'string' && typeof input !== 'number') return input
  const text = String(input)
    .trim()
    .toLowerCase()
    .replace(/^(?:chain\s*[=:]\s*|on\s+)/, '')
    .replace(/^eip155:/, '')
    .replace(/[\s_]+/g, '-')
  const byId = chainNames.find(name => String(chainFacts[name].id) === text)
  return byId ?? (Object.hasOwn(aliases, text) ? aliases[text] : text)
}

const Chain = z.enum(chainNames)

/** The field `chain`, eth unless it is given. */
export const ChainInput = z.preprocess(parseChainName, Chain).prefault('eth').describe('Chain that is asked')

/** The field `chain` of an answer. */
export const ChainOutput = Chain.describe('Chain that was asked')

export const chainId = z.number().int().describe('EIP-155 id of the chain')
