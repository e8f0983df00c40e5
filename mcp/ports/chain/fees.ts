import type { Client } from 'viem'

export type GasFees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

export type FeeSource = {
  read(): Promise<GasFees>
  /** The chain has refused what was read last. */
  forget(): void
}

const lifeMs = 5_000
const blocks = 5
// The least tip that nodes of Base pass on; where tips do not count, nothing of it is spent.
const minTip = 1_000_000n

/**
 * What a transaction of now should pay: the median tip of the last blocks, and room for a base fee that doubles, which takes
 * six blocks at least. One question serves all transactions of five seconds.
 */
export const openFees = (writer: Client): FeeSource => {
  let last: { at: number; fees: Promise<GasFees> } | undefined

  const ask = async (): Promise<GasFees> => {
    const { getFeeHistory } = await import('viem/actions')
    const { baseFeePerGas, reward = [] } = await getFeeHistory(writer, {
      blockCount: blocks,
      rewardPercentiles: [50],
    })
    const tips = reward.flat().sort((a, b) => (a < b ? -1 : 1))
    const median = tips[tips.length >> 1] ?? 0n
    const maxPriorityFeePerGas = median > minTip ? median : minTip
    return { maxFeePerGas: 2n * (baseFeePerGas.at(-1) ?? 0n) + maxPriorityFeePerGas, maxPriorityFeePerGas }
  }

  return {
    read: () => {
      if (last && performance.now() - last.at < lifeMs) return last.fees
      const fees = ask()
      const request = { at: performance.now(), fees }
      last = request
      fees.catch(() => {
        if (last === request) last = undefined
      })
      return fees
    },
    forget: () => {
      last = undefined
    },
  }
}
