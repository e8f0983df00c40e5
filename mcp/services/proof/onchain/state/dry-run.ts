import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { callSequence } from '../../../../../contracts/call-sequence.ts'
import { readRevertData } from '../../../../lib/evm-revert.ts'
import { asList, asRecord } from '../../../../lib/json.ts'
import type { Address, Hex } from '../action.ts'
import { lower } from '../scene.ts'
import { type Node, NodeFault, NodeRefusal, requireHex, requireQuantity } from './node.ts'

const tokenAbi = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
])

export type Step = { to: Address; data: Hex; value: bigint; from: Address }
export type StateOverride = Readonly<
  Record<string, { balance?: string; code?: Hex; stateDiff?: Readonly<Record<string, string>> }>
>
type Log = { address: Address; topics: readonly string[]; data: Hex }
export type StepResult = {
  ok: boolean
  data: Hex
  reason: string | undefined
  logs: readonly Log[] | undefined
}

const quantity = (value: bigint): string => `0x${value.toString(16)}`
const stepGas = 5_000_000n

const readReason = (data: Hex): string => readRevertData([], 0, data).text

const toWire = ({ from, to, data, value }: Step) => ({
  from,
  to,
  data,
  value: quantity(value),
  gas: quantity(stepGas),
})

const readLogs = (value: unknown): Log[] =>
  asList(value).map(one => {
    const { address, topics, data } = asRecord(one)
    if (typeof address !== 'string') throw new NodeFault('a node answered with something that is no event')
    return { address: lower(address), topics: asList(topics).map(String), data: requireHex(data) }
  })

const bySimulation = async (
  node: Node,
  steps: readonly Step[],
  overrides: StateOverride,
): Promise<StepResult[]> => {
  const answer = await node.ask('eth_simulateV1', [
    {
      blockStateCalls: [{ stateOverrides: overrides, calls: steps.map(toWire) }],
      validation: false,
      traceTransfers: true,
    },
    'latest',
  ])
  const results = asList(asRecord(asList(answer)[0]).calls)
  if (results.length !== steps.length) throw new NodeFault('a node ran fewer calls than it was given')
  return results.map(one => {
    const { status, returnData, error, logs } = asRecord(one)
    const ok = requireQuantity(status) === 1n
    const failure = asRecord(error).data
    const data = requireHex(typeof failure === 'string' && !ok ? failure : (returnData ?? '0x'))
    return { ok, data, reason: ok ? undefined : readReason(data), logs: ok ? readLogs(logs) : [] }
  })
}

/** The same in one eth_call, by code that stands in for the account's own: it shows no events, and one account makes all calls. */
const bySequence = async (
  node: Node,
  steps: readonly Step[],
  overrides: StateOverride,
): Promise<StepResult[]> => {
  const account = steps[0]?.from
  if (account === undefined || steps.some(({ from }) => from !== account))
    throw new NodeFault('this node runs calls of one account only')
  const { abi, deployedBytecode } = callSequence
  const list = steps.map(({ to, data, value }) => ({ to, data, value, gas: stepGas }))
  const answer = requireHex(
    await node.ask('eth_call', [
      {
        from: account,
        to: account,
        data: encodeFunctionData({ abi, functionName: 'run', args: [list] }),
        gas: quantity(25_000_000n),
      },
      'latest',
      { ...overrides, [account]: { ...overrides[account], code: deployedBytecode } },
    ]),
  )
  let results: readonly { success: boolean; data: Hex }[]
  try {
    results = decodeFunctionResult({ abi, functionName: 'run', data: answer })[1]
  } catch {
    throw new NodeFault('a node answered the dry run with something that is none')
  }
  if (results.length !== steps.length) throw new NodeFault('a node ran fewer calls than it was given')
  return results.map(({ success, data }) => ({
    ok: success,
    data,
    reason: success ? undefined : readReason(data),
    logs: undefined,
  }))
}

const isUnable = ({ error: { code, message } }: NodeRefusal): boolean =>
  [-32601, -32602, -32004].includes(code) || /not (?:supported|found|available)/i.test(message)

export type DryRunResult = { method: 'eth_simulateV1' | 'eth_call'; results: StepResult[] }

/** Runs calls one after the other on the newest block, without sending them. Throws NodeFault, or NodeRefusal for the whole. */
export const dryRun = async (
  node: Node,
  steps: readonly Step[],
  overrides: StateOverride = {},
): Promise<DryRunResult> => {
  try {
    return { method: 'eth_simulateV1', results: await bySimulation(node, steps, overrides) }
  } catch (problem) {
    if (!(problem instanceof NodeRefusal && isUnable(problem))) throw problem
    return { method: 'eth_call', results: await bySequence(node, steps, overrides) }
  }
}

export const balanceStep = (token: Address, account: Address, from: Address): Step => ({
  to: token,
  from,
  value: 0n,
  data: encodeFunctionData({ abi: tokenAbi, functionName: 'balanceOf', args: [account] }),
})

export const transferStep = (token: Address, from: Address, to: Address, amount: bigint): Step => ({
  to: token,
  from,
  value: 0n,
  data: encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, amount] }),
})

export const approveStep = (token: Address, from: Address, spender: Address, amount: bigint): Step => ({
  to: token,
  from,
  value: 0n,
  data: encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, amount] }),
})

/** The number that a view returned; undefined where it failed or returned none. */
export const returnedNumber = (result: StepResult | undefined): bigint | undefined =>
  result?.ok && result.data.length >= 66 ? BigInt(result.data.slice(0, 66)) : undefined
