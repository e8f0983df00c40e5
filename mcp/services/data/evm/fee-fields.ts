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
  chainId: z.number().int().describe('EIP-155 id'),
  symbol: z.string().describe('Coin that gas is paid in'),
  gasPriceGwei: number('What the node advises for one price, in gwei'),
  baseFeeGwei: number('Base fee of the latest block'),
  nextBaseFeeGwei: number('Base fee of the next block'),
  priorityFeeGwei: speeds(z.number(), 'Tip: medians over 20 blocks of percentiles 10, 50 and 90'),
  maxFeeGwei: speeds(z.number(), 'Twice the next base fee and the tip'),
  blobBaseFeeGwei: number('Price of blob gas, on Ethereum only'),
  wei: z
    .object({
      gasPrice: wei('Gas price'),
      baseFee: wei('Base fee'),
      nextBaseFee: wei('Next base fee'),
      priorityFee: speeds(z.string(), 'Tips'),
      maxFee: speeds(z.string(), 'Most to pay per gas'),
    })
    .describe('The same in wei'),
  block: z.number().int().describe('Latest block'),
  timestamp: z.iso.datetime().describe('Time of that block, UTC'),
  transferCost: z
    .object({
      gas: z.number().int().describe('Gas of a plain transfer'),
      native: z.string().describe('Its cost at standard, in coins'),
      wei: z.string().describe('The same in wei'),
      l1Wei: wei('Of it for data on Ethereum; null where it is in the gas or unknown'),
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
  okCount: z.number().int().nullable().describe('For all: chains that answered'),
  failed: z.array(z.enum(chainNames)).nullable().describe('For all: chains that did not'),
})
