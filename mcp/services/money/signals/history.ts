import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  multicall3Abi,
  type PublicClient,
  parseAbi,
} from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import { multicall3 } from '../../../lib/evm-abi.ts'
import { onChain, questionGas } from '../stablecoin/reader.ts'

/** The price of a trading day, in USD: the last one that was told on it (UTC). */
export type Close = { day: string; price: number }

/** Source of prices of past days. */
export type PriceHistory = {
  /** Closes of the days up to now, oldest first, and when the last one was told. Throws `upstream` without an answer. */
  closes(feed: Address, days: number): Promise<{ closes: Close[]; updatedAt: Date }>
}

const feedAbi = parseAbi([
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function getRoundData(uint80 roundId) view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])

type Round = { answer: bigint; updatedAt: number }

/** Rounds asked for at once, and how often: about a year of a feed that moves ten times a day. */
const batchSize = 250n
const maxBatches = 12

const phaseBits = 64n
const phaseMask = (1n << phaseBits) - 1n

const decodeRound = (data: Hex): Round | undefined => {
  try {
    const [, answer, , updatedAt] = decodeFunctionResult({ abi: feedAbi, functionName: 'getRoundData', data })
    return answer > 0n && updatedAt > 0n ? { answer, updatedAt: Number(updatedAt) } : undefined
  } catch {
    return undefined
  }
}

const readRounds = async (
  reader: PublicClient,
  feed: Address,
  phase: bigint,
  from: bigint,
  to: bigint,
): Promise<Round[]> => {
  const ids = Array.from(
    { length: Number(to - from) + 1 },
    (_, index) => (phase << phaseBits) | (to - BigInt(index)),
  )
  const calls = ids.map(id => ({
    target: feed,
    allowFailure: true,
    callData: encodeFunctionData({ abi: feedAbi, functionName: 'getRoundData', args: [id] }),
  }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const answer = await onChain(reader.call({ to: multicall3, data, gas: questionGas }))
  const results = decodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    data: answer.data ?? '0x',
  })
  return results.flatMap(({ success, returnData }) => (success ? (decodeRound(returnData) ?? []) : []))
}

const toDay = (unix: number): string => new Date(unix * 1000).toISOString().slice(0, 10)

/** Stocks are not traded then; feeds repeat themselves. */
const isWeekend = (day: string): boolean => [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())

const unreadable = (feed: Address) =>
  new ToolError('upstream', `The price feed ${feed} does not answer as one.`, { retryable: false })

/** Prices from the rounds of Chainlink feeds: the chain itself is the history, and it belongs to nobody. */
export const openFeedHistory = (reader: PublicClient): PriceHistory => ({
  async closes(feed, days) {
    const read = async () => {
      const [decimals, latest] = await Promise.all([
        reader.readContract({ address: feed, abi: feedAbi, functionName: 'decimals' }),
        reader.readContract({ address: feed, abi: feedAbi, functionName: 'latestRoundData' }),
      ])
      return { decimals, id: latest[0], answer: latest[1], updatedAt: Number(latest[3]) }
    }
    const { decimals, id, answer, updatedAt } = await onChain(read()).catch(problem => {
      throw problem instanceof ToolError ? problem : unreadable(feed)
    })
    if (answer <= 0n || updatedAt === 0) throw unreadable(feed)
    const [phase, last] = [id >> phaseBits, id & phaseMask]
    // Newest first: the first one of each day is its close.
    const byDay = new Map<string, number>()
    const take = ({ answer, updatedAt }: Round) => {
      const day = toDay(updatedAt)
      if (!isWeekend(day) && !byDay.has(day)) byDay.set(day, Number(answer) / 10 ** decimals)
    }
    take({ answer, updatedAt })
    let to = last - 1n
    for (let batch = 0; batch < maxBatches && to >= 1n && byDay.size <= days; batch++) {
      const from = to > batchSize ? to - batchSize + 1n : 1n
      for (const round of await readRounds(reader, feed, phase, from, to)) take(round)
      to = from - 1n
    }
    const closes = [...byDay].map(([day, price]) => ({ day, price })).sort((a, b) => (a.day < b.day ? -1 : 1))
    return { closes: closes.slice(-days), updatedAt: new Date(updatedAt * 1000) }
  },
})
