import type { Hex } from 'viem'
import { numberIn, returnedText } from '../../../lib/evm-words.ts'
import { clean } from '../../../lib/text/clean.ts'
import { type CallChain, orNullIfUnanswered } from './chain.ts'
import { signatures } from './signatures.ts'
import type { Transaction, TransactionReceipt } from './transaction.ts'

/** The reason in the bytes of a revert, in words; null when there are none. */
const reasonIn = (data: string | null): string | null => {
  if (data === null || data.length < 10) return null
  const selector = data.slice(0, 10).toLowerCase()
  const rest: Hex = `0x${data.slice(10)}`
  if (selector === '0x08c379a0') return returnedText(rest)
  if (selector === '0x4e487b71') {
    const number = String(numberIn(rest) ?? '')
    return `Panic ${number}: ${signatures().panics[number] ?? 'unknown'}`
  }
  return signatures().errors.get(selector as Hex) ?? `Custom error ${selector}`
}

const inMessage = (message: string): string | null =>
  clean(/reverted(?: with reason string)?:?\s*(.+)/is.exec(message)?.[1], 200)

/**
 * Why a transaction failed, from running it again on the block before its own; null when that tells nothing, as it does
 * where the node has forgotten that block or an earlier transaction of the same block was the cause.
 */
export const revertReason = async (
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
  const { data = null, message = '' } = ran?.error ?? {}
  const reason = reasonIn(data) ?? inMessage(message)
  if (reason !== null) return reason
  if (gasUsed >= gas) return 'Out of gas: all gas that the transaction had was used'
  return /revert/i.test(message) ? 'Reverted without a reason' : null
}
