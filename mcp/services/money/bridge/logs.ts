import type { PublicClient } from 'viem'
import { type AskNode, findLog, type WantedLogs } from '../../../lib/authorization-use.ts'

const maxSpans = 20

/** How far back to look: seconds since something can have happened, on a chain with such blocks. */
export type Depth = { seconds: number; blockMs: number }

/** The newest log that fits, searched backwards from the head. */
export const findRecentLog = async (
  reader: PublicClient,
  wanted: WantedLogs,
  { seconds, blockMs }: Depth,
) => {
  const last = await reader.getBlockNumber({ cacheTime: 0 })
  // Half as many again, for a chain that is faster than it says.
  const blocks = BigInt(Math.ceil((seconds * 1_500) / blockMs)) + 200n
  const first = blocks > last ? 0n : last - blocks
  return findLog(reader.request as AskNode, wanted, { first, last, maxSpans })
}
