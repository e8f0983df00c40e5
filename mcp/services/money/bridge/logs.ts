import type { Hex, Log, PublicClient } from 'viem'

const span = 9_000n
const maxSpans = 20

type Wanted = { address: Hex; topics: (Hex | Hex[] | null)[] }

/** How far back to look: seconds since something can have happened, on a chain with such blocks. */
export type Depth = { seconds: number; blockMs: number }

/** The newest log that fits, searched backwards from the head in ranges that public nodes accept. */
export const findLog = async (
  reader: PublicClient,
  { address, topics }: Wanted,
  { seconds, blockMs }: Depth,
): Promise<(Log & { transactionHash: Hex; blockNumber: bigint }) | undefined> => {
  const { formatLog, numberToHex } = await import('viem')
  const head = await reader.getBlockNumber({ cacheTime: 0 })
  // Half as many again, for a chain that is faster than it says.
  const blocks = BigInt(Math.ceil((seconds * 1_500) / blockMs)) + 200n
  const first = blocks > head ? 0n : head - blocks
  let last = head
  for (let spans = 0; spans < maxSpans && last >= first; spans++) {
    const from = last - span > first ? last - span : first
    const logs = await reader.request({
      method: 'eth_getLogs',
      params: [{ address, topics, fromBlock: numberToHex(from), toBlock: numberToHex(last) }],
    })
    const log = logs.at(-1)
    if (log?.transactionHash && log.blockNumber !== null) {
      const formatted = formatLog(log)
      return {
        ...formatted,
        transactionHash: log.transactionHash,
        blockNumber: BigInt(log.blockNumber),
      } as never
    }
    if (from === 0n) break
    last = from - 1n
  }
  return undefined
}
