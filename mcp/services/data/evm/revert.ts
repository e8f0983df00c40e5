import { revertReason } from '../../../lib/evm-revert.ts'
import { type CallChain, orNullIfUnanswered } from './chain.ts'
import type { Transaction, TransactionReceipt } from './transaction.ts'

/**
 * Why a transaction failed, from running it again on the block before its own; null when that tells nothing, as it does
 * where the node has forgotten that block or an earlier transaction of the same block was the cause.
 */
export const findRevertReason = async (
  chain: CallChain,
  { from, to, input, value, gas }: Transaction,
  { blockNumber, gasUsed }: TransactionReceipt,
): Promise<string | null> => {
  const call = {
    from,
    ...(to && { to }),
    data: input,
    value: `0x${value.toString(16)}`,
    gas: `0x${gas.toString(16)}`,
  }
  const before = `0x${(blockNumber > 0n ? blockNumber - 1n : 0n).toString(16)}`
  const ran = await orNullIfUnanswered(chain.answer('eth_call', [call, before]))
  const { data, message = '' } = ran?.error ?? {}
  const reason = revertReason(data, message)
  if (reason !== null) return reason
  if (gasUsed >= gas) return 'Out of gas: all gas that the transaction had was used'
  return /revert/i.test(message) ? 'Reverted without a reason' : null
}
