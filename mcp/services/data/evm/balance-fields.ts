import { z } from 'zod'
import { chainNames } from './chains.ts'

const Balance = z.union([
  z.object({
    balance: z.string().describe('In coins'),
    wei: z.string().describe('In the smallest unit'),
    symbol: z.string().describe('ETH or POL'),
    block: z.number().int().nullable().describe('Latest block'),
  }),
  z.object({ error: z.string().describe('Why the balance is unknown') }),
])

/** Fields of the answer of multichain-balance. */
export const BalanceFields = z.object({
  address: z.string().describe('Address with its checksum (EIP-55)'),
  ens: z.string().nullable().describe('ENS name it was asked by'),
  chains: z
    .record(z.enum(chainNames), Balance)
    .describe('By chain, its native coins, or why they are unknown; coins of different chains are not added'),
  non_zero: z.array(z.enum(chainNames)).describe('Chains with coins of it'),
  ok_count: z.number().int().describe('Chains that answered, of five'),
  failed: z.array(z.enum(chainNames)).describe('Chains that did not: unknown, not zero'),
})
