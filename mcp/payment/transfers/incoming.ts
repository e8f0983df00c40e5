import type { Hex } from 'viem'
import { usdcAbi } from '../../lib/evm-abi.ts'
import { formatUsd } from '../../lib/usd.ts'
import { onChain } from '../../ports/chain/failure.ts'
import type { Chain } from '../../ports/chain/port.ts'
import type { ProvenTip } from '../../ports/transfers/port.ts'

type Watch = { chain: Chain; to: string; min: bigint; confirmations: number }

/** Blocks that are asked for at once; public nodes refuse more. */
const slice = 1000n

/** Picks the start: on a real chain now, on a local one its first block, and again when that was started anew. */
const firstBlock = ({ devnet }: Chain, after: string | undefined, head: bigint): bigint => {
  const lastBlock = after === undefined ? undefined : BigInt(after)
  if (devnet) return lastBlock === undefined || lastBlock > head ? 0n : lastBlock + 1n
  return lastBlock === undefined ? head + 1n : lastBlock + 1n
}

const readIncoming = async ({ chain, to, min, confirmations }: Watch, after: string | undefined) => {
  const reader = await chain.reader()
  const head = (await reader.getBlockNumber({ cacheTime: 0 })) - BigInt(confirmations - 1)
  const fromBlock = firstBlock(chain, after, head)
  if (fromBlock > head) return { upTo: String(fromBlock - 1n), tips: [] }
  const toBlock = fromBlock + slice - 1n < head ? fromBlock + slice - 1n : head
  const range = { address: chain.network.token.address, abi: usdcAbi, fromBlock, toBlock } as const
  const [transfers, authorized] = await Promise.all([
    reader.getContractEvents({ ...range, eventName: 'Transfer', args: { to: to as Hex } }),
    reader.getContractEvents({ ...range, eventName: 'AuthorizationUsed' }),
  ])
  const paying = new Set(authorized.map(({ transactionHash }) => transactionHash))
  const tips: ProvenTip[] = []
  for (const { args, transactionHash, logIndex, blockNumber } of transfers) {
    const { from, value = 0n } = args
    if (from === undefined || BigInt(from) === 0n || value < min || paying.has(transactionHash)) continue
    const { timestamp } = await reader.getBlock({ blockNumber })
    tips.push({
      log: `${chain.network.id}:${transactionHash.toLowerCase()}:${logIndex}`,
      payer: from.toLowerCase(),
      network: chain.network.id,
      usd: formatUsd(value, chain.network.token.decimals),
      transaction: transactionHash.toLowerCase(),
      at: new Date(Number(timestamp) * 1000),
    })
  }
  return { upTo: String(toBlock), tips }
}

/** Confirmed transfers of at least `min` to a wallet, one slice of blocks at a time, without payments by authorization. */
export const incomingOn = (
  watch: Watch,
  after: string | undefined,
): Promise<{ upTo: string; tips: ProvenTip[] }> =>
  onChain(watch.chain.network, () => readIncoming(watch, after))
