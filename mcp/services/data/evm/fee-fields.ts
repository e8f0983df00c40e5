import { z } from 'zod'
import { chainNames } from './chains.ts'

const number = (what: string) => z.number().nullable().describe(what)
const wei = (what: string) => z.string().nullable().describe(what)

const speeds = <T extends z.ZodType>(of: T, what: string) =>
  z
    .object({
      slow: of.describe('In some blocks'),
      standard: of.describe('In a block or two'),
      fast: of.describe('In the next block'),
    })
    .nullable()
    .describe(what)

const fees = {
  chain_id: z.number().int().describe('EIP-155 id'),
  symbol: z.string().describe('Coin that gas is paid in'),
  gas_price_gwei: number('What the node advises for one price, in gwei'),
  base_fee_gwei: number('Base fee of the latest block'),
  next_base_fee_gwei: number('Base fee of the next block'),
  priority_fee_gwei: speeds(z.number(), 'Tip: medians over 20 blocks of percentiles 10, 50 and 90'),
  max_fee_gwei: speeds(z.number(), 'Twice the next base fee and the tip'),
  blob_base_fee_gwei: number('Price of blob gas, on Ethereum only'),
  wei: z
    .object({
      gas_price: wei('Gas price'),
      base_fee: wei('Base fee'),
      next_base_fee: wei('Next base fee'),
      priority_fee: speeds(z.string(), 'Tips'),
      max_fee: speeds(z.string(), 'Most to pay per gas'),
    })
    .describe('The same in wei'),
  block: z.number().int().describe('Latest block'),
  timestamp: z.iso.datetime().describe('Time of that block, UTC'),
  transfer_cost: z
    .object({
      gas: z.number().int().describe('Gas of a plain transfer'),
      native: z.string().describe('Its cost at standard, in coins'),
      wei: z.string().describe('The same in wei'),
      l1_wei: wei('Of it for data on Ethereum; null where it is in the gas or unknown'),
    })
    .nullable()
    .describe('What it costs to send coins'),
  note: z.string().nullable().describe('What else is charged on this chain'),
}

/** Facts told of one chain. */
export const Fees = z.object(fees)

/** A chain of several: what it tells, or why not. */
const FeesOrError = z.union([Fees, z.object({ error: z.string().describe('Why the chain tells nothing') })])

type Nullable = { [name in keyof typeof fees]: z.ZodNullable<(typeof fees)[name]> }

const nullable = Object.fromEntries(
  Object.entries(fees).map(([name, field]) => [
    name,
    field instanceof z.ZodNullable ? field : field.nullable().describe(field.description ?? ''),
  ]),
) as unknown as Nullable

/** Fields of the answer of gas-tracker; for all chains at once, those of one are null. */
export const GasFields = z.object({
  chain: z.enum([...chainNames, 'all']).describe('Chain that was asked, or all'),
  ...nullable,
  chains: z
    .record(z.enum(chainNames), FeesOrError)
    .nullable()
    .describe('For all: by chain, the same fields, or error'),
  ok_count: z.number().int().nullable().describe('For all: chains that answered'),
  failed: z.array(z.enum(chainNames)).nullable().describe('For all: chains that did not'),
})
