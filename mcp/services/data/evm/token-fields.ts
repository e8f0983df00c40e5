import { z } from 'zod'
import { ChainOutput, chainId } from './chains.ts'

const text = (what: string) => z.string().nullable().describe(what)

/** Fields of the answer of token-metadata. */
export const TokenFields = z.object({
  address: z.string().describe('Address of the token with its checksum'),
  chain: ChainOutput,
  chain_id: chainId,
  standard: z
    .enum(['ERC-20', 'ERC-721', 'ERC-1155', 'native'])
    .nullable()
    .describe('Token standard; null when it cannot be told'),
  name: text('Name, as the contract tells it'),
  symbol: text('Symbol, as the contract tells it: anybody may use any'),
  decimals: z.number().int().nullable().describe('Digits after the point; null when they are not told'),
  total_supply: z
    .object({
      raw: z.string().describe('In the smallest unit'),
      formatted: text('In tokens; null without decimals'),
    })
    .nullable()
    .describe('Tokens there are; null when it is not told'),
  is_proxy: z.boolean().describe('True when the code can be replaced or lies elsewhere'),
  implementation: text('Contract whose code a proxy runs'),
  familiar: z
    .boolean()
    .describe('True for a token of the short list of well-known ones; false says nothing against it'),
  bytecode_size: z.number().int().describe('Bytes of code'),
})
