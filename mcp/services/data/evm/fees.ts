import { z } from 'zod'
import { numberIn } from '../../../lib/evm-words.ts'
import type { Note } from '../meta.ts'
import { type CallChain, orNullIfUnanswered } from './chain.ts'
import type { Fees } from './fee-fields.ts'
import { Bytes, formatCoins, gwei, Quantity } from './quantity.ts'

const Block = z.object({
  number: Quantity,
  timestamp: Quantity,
  baseFeePerGas: Quantity.nullish(),
})

const History = z.object({
  baseFeePerGas: z.array(Quantity),
  gasUsedRatio: z.array(z.number().nullable()),
  reward: z.array(z.array(Quantity)).nullish(),
  baseFeePerBlobGas: z.array(Quantity).nullish(),
})

type Tips = { slow: bigint; standard: bigint; fast: bigint }

const blocks = 20
const transferGas = 21_000n
const giga = 1_000_000_000n

/** Validators of Polygon leave out transactions with a smaller tip. */
const minTip = { eth: 0n, base: 0n, arbitrum: 0n, optimism: 0n, polygon: 25n * giga }

const gasPriceOracle = '0x420000000000000000000000000000000000000F'

/** `getL1FeeUpperBound(48)`: a transfer has some 48 bytes before it is signed. */
const l1FeeOfTransfer = `0xf1c7a58b${(48).toString(16).padStart(64, '0')}`

const notes = {
  op: 'Besides the gas, each transaction pays an L1 data fee by its size, which these prices do not hold.',
  arbitrum:
    'Data on Ethereum is charged as extra gas, so a transaction needs more gas than on Ethereum; tips are not needed.',
}

const median = (values: readonly bigint[]): bigint | undefined =>
  [...values].sort((a, b) => (a < b ? -1 : 1))[Math.floor(values.length / 2)]

/** Medians of the percentiles that were asked for; an empty block says nothing about tips. */
const toTips = (history: z.output<typeof History> | null): Tips | null => {
  const rewards = (history?.reward ?? []).filter((_, index) => (history?.gasUsedRatio[index] ?? 0) > 0)
  const [slow, standard, fast] = [0, 1, 2].map(place => median(rewards.flatMap(row => row[place] ?? [])))
  return slow === undefined || standard === undefined || fast === undefined ? null : { slow, standard, fast }
}

const readSuggestedTips = async (chain: CallChain): Promise<Tips | null> => {
  const tip = await orNullIfUnanswered(chain.readOrNull(Quantity, 'eth_maxPriorityFeePerGas', []))
  return tip === null ? null : { slow: tip, standard: tip, fast: tip }
}

const raiseTips = (minimum: bigint, { slow, standard, fast }: Tips): Tips => {
  const raise = (tip: bigint) => (tip < minimum ? minimum : tip)
  return { slow: raise(slow), standard: raise(standard), fast: raise(fast) }
}

const each = <T>({ slow, standard, fast }: Tips, to: (wei: bigint) => T) => ({
  slow: to(slow),
  standard: to(standard),
  fast: to(fast),
})

const orNull = <T, R>(value: T | null, to: (value: T) => R): R | null => (value === null ? null : to(value))

const readL1Fee = async (chain: CallChain): Promise<bigint | null> => {
  if (chain.rollup !== 'op') return null
  const call = { to: gasPriceOracle, data: l1FeeOfTransfer }
  return numberIn(await orNullIfUnanswered(chain.readOrNull(Bytes, 'eth_call', [call, 'latest'])))
}

/** Reads the gas fees of a chain. Throws a retryable `upstream` when it does not answer. */
export const readFees = async (
  chain: CallChain,
  now: Date,
): Promise<{ fees: z.output<typeof Fees>; warnings: Note[] }> => {
  const [block, gasPrice, history, l1Fee] = await Promise.all([
    chain.read(Block, 'eth_getBlockByNumber', ['latest', false]),
    orNullIfUnanswered(chain.readOrNull(Quantity, 'eth_gasPrice', [])),
    orNullIfUnanswered(
      chain.readOrNull(History, 'eth_feeHistory', [`0x${blocks.toString(16)}`, 'latest', [10, 50, 90]]),
    ),
    readL1Fee(chain),
  ])
  const nodeTips = toTips(history) ?? (await readSuggestedTips(chain))
  const tips = orNull(nodeTips, values => raiseTips(minTip[chain.name], values))
  const baseFee = block.baseFeePerGas ?? null
  const next = history?.baseFeePerGas.at(-1) ?? baseFee
  const maxFee = tips && next !== null ? each(tips, tip => 2n * next + tip) : null
  const price = tips && next !== null ? next + tips.standard : gasPrice
  const cost = orNull(price, each => transferGas * each + (l1Fee ?? 0n))
  const blobFee = chain.name === 'eth' ? (history?.baseFeePerBlobGas?.at(-1) ?? null) : null
  const timestamp = new Date(Number(block.timestamp) * 1000)
  const age = Math.round((now.getTime() - timestamp.getTime()) / 1000)
  return {
    fees: {
      chain_id: chain.id,
      symbol: chain.coin.symbol,
      gas_price_gwei: orNull(gasPrice, gwei),
      base_fee_gwei: orNull(baseFee, gwei),
      next_base_fee_gwei: orNull(next, gwei),
      priority_fee_gwei: orNull(tips, values => each(values, gwei)),
      max_fee_gwei: orNull(maxFee, values => each(values, gwei)),
      blob_base_fee_gwei: orNull(blobFee, gwei),
      wei: {
        gas_price: orNull(gasPrice, String),
        base_fee: orNull(baseFee, String),
        next_base_fee: orNull(next, String),
        priority_fee: orNull(tips, values => each(values, String)),
        max_fee: orNull(maxFee, values => each(values, String)),
      },
      block: Number(block.number),
      timestamp: timestamp.toISOString(),
      transfer_cost: orNull(cost, wei => ({
        gas: Number(transferGas),
        native: formatCoins(wei),
        wei: String(wei),
        l1_wei: orNull(l1Fee, String),
      })),
      note: chain.rollup === null ? null : notes[chain.rollup],
    },
    warnings: [
      ...(age > 300
        ? [
            {
              code: 'old_block',
              message: `The latest block of ${chain.title} is ${age} s old; the node lags.`,
            },
          ]
        : []),
      ...(nodeTips === null
        ? [{ code: 'tips_unknown', message: `${chain.title} does not tell what tips were paid.` }]
        : []),
    ],
  }
}
