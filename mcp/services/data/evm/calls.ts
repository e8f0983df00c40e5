import { decodeFunctionResult, encodeFunctionData, type Hex, multicall3Abi } from 'viem'
import { multicall3 } from '../../../lib/evm-abi.ts'
import type { Returned } from '../../../lib/evm-words.ts'
import type { CallChain } from './chain.ts'
import { Bytes } from './quantity.ts'

export type Call = { to: Hex; data: Hex }

/** A contract may answer with as much as it likes; no answer that is wanted is that long. */
const defaultMaxBytes = 256 << 10

/** Gas of a question, in hex: 20 million. A contract that computes without end would keep nodes busy until they are given up. */
const gas = '0x1312d00'

const callThroughMulticall = async (
  chain: CallChain,
  calls: readonly Call[],
  maxBytes: number,
): Promise<Returned[] | undefined> => {
  const args = [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))] as const
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args })
  const result = await chain.readOrNull(Bytes, 'eth_call', [{ to: multicall3, data, gas }, 'latest'], {
    maxBytes,
  })
  if (result === null || result === '0x') return undefined
  try {
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: result })
    return results.length === calls.length
      ? results.map(({ success, returnData }) => (success ? returnData : null))
      : undefined
  } catch {
    return undefined
  }
}

const callDirectly = (chain: CallChain, { to, data }: Call, maxBytes: number): Promise<Returned> =>
  chain.readOrNull(Bytes, 'eth_call', [{ to, data, gas }, 'latest'], { maxBytes })

/**
 * Reads from contracts in one question, or one by one where that fails: a call may eat what all of them have. Answers longer
 * than `maxBytes`, 256 KiB unless told, are null.
 */
export const callAll = async (
  chain: CallChain,
  calls: readonly Call[],
  maxBytes = defaultMaxBytes,
): Promise<Returned[]> =>
  calls.length === 0
    ? []
    : ((await callThroughMulticall(chain, calls, maxBytes)) ??
      (await Promise.all(calls.map(call => callDirectly(chain, call, maxBytes)))))
