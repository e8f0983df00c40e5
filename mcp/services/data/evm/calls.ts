import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { Chain } from './chain.ts'
import { Bytes } from './quantity.ts'

export type Call = { to: Hex; data: Hex }

/** The bytes a call returns; null where it reverts or its answer is too long. */
export type Returned = Hex | null

/** Multicall3, at one address on all five chains. */
const multicall = '0xcA11bde05977b3631167028862bE2a173976CA11'

const abi = [
  {
    type: 'function',
    name: 'aggregate3',
    stateMutability: 'payable',
    inputs: [
      {
        name: 'calls',
        type: 'tuple[]',
        components: [
          { name: 'target', type: 'address' },
          { name: 'allowFailure', type: 'bool' },
          { name: 'callData', type: 'bytes' },
        ],
      },
    ],
    outputs: [
      {
        name: 'returnData',
        type: 'tuple[]',
        components: [
          { name: 'success', type: 'bool' },
          { name: 'returnData', type: 'bytes' },
        ],
      },
    ],
  },
] as const

/** A contract may answer with as much as it likes; no answer that is wanted is that long. */
const mostBytes = 256 << 10

/** Gas of a question, in hex: 20 million. A contract that computes without end would keep nodes busy until they are given up. */
const gas = '0x1312d00'

const together = async (
  chain: Chain,
  calls: readonly Call[],
  maxBytes: number,
): Promise<Returned[] | undefined> => {
  const args = [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))] as const
  const data = encodeFunctionData({ abi, args })
  const returned = await chain.readOrNull(Bytes, 'eth_call', [{ to: multicall, data, gas }, 'latest'], {
    maxBytes,
  })
  if (returned === null || returned === '0x') return undefined
  try {
    const results = decodeFunctionResult({ abi, data: returned })
    return results.length === calls.length
      ? results.map(({ success, returnData }) => (success ? returnData : null))
      : undefined
  } catch {
    return undefined
  }
}

const alone = (chain: Chain, { to, data }: Call, maxBytes: number): Promise<Returned> =>
  chain.readOrNull(Bytes, 'eth_call', [{ to, data, gas }, 'latest'], { maxBytes })

/**
 * Reads from contracts in one question, or one by one where that fails: a call may eat what all of them have. Answers longer
 * than `maxBytes`, 256 KiB unless told, are null.
 */
export const callAll = async (
  chain: Chain,
  calls: readonly Call[],
  maxBytes = mostBytes,
): Promise<Returned[]> =>
  calls.length === 0
    ? []
    : ((await together(chain, calls, maxBytes)) ??
      (await Promise.all(calls.map(call => alone(chain, call, maxBytes)))))
