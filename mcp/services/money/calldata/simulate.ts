import {
  type Abi,
  type Address,
  BaseError,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  hexToNumber,
  isHex,
  numberToHex,
  type PublicClient,
  RpcRequestError,
  size,
} from 'viem'
import { callSequence } from '../../../../contracts/call-sequence.ts'
import { ToolError } from '../../../kernel/error.ts'
import { type Revert, readRevertData } from '../../../lib/evm-revert.ts'
import { onChain } from '../stablecoin/reader.ts'
import type { PublicCall, PublicSimulation } from './schema.ts'

/** A call of an account. Without `gas` the dry run finds the limit. */
export type Call = { to: Address; data: Hex; value?: bigint; gas?: bigint }

/** A view that is asked together with the calls, on the same block. */
export type Question = { to: Address; data: Hex }

type Options = {
  /** Sender of the calls. It needs no coins for gas. */
  account: Address
  calls: readonly Call[]
  /** Views that are asked on the state before the calls, and after them. */
  before?: readonly Question[]
  questions?: readonly Question[]
  /** Errors of the contracts that take part, to name them in a refusal. */
  abi?: Abi
  now: Date
  /** The refusal for an error that the tool can explain better; undefined leaves the general one. */
  refuse?(revert: Revert): ToolError | undefined
}

export type Simulated = {
  calls: PublicCall[]
  simulation: PublicSimulation
  /** Return value of each call. */
  results: Hex[]
  /** Answer to each question, before and after; undefined where it reverted. */
  before: (Hex | undefined)[]
  answers: (Hex | undefined)[]
}

type Outcome = { success: boolean; gasUsed: bigint; data: Hex }

/** A call as a node runs it; without `gas` it may use what the node gives. */
type Request = { from: Address; to: Address; data: Hex; value?: bigint; gas?: bigint }

type Run = {
  /** Seconds of the block; the node's own without it. */
  time?: bigint
  /** Coins that every sender has for it; what they have without it. */
  balance?: bigint
  /** Gas of one eth_call that runs them all; the node's own limit without it. */
  gas?: bigint
}

/** Gas that one call of a dry run may use. Blocks of the chains in use have more; what one transaction may have is more, too. */
const dryRunGas = 10_000_000n
/** Gas of a view: a token that computes without end takes nothing from the others. */
const questionGas = 500_000n
/** Gas that one eth_call may have: nodes cut it, or refuse more than a block has. */
const maxSequenceGas = 25_000_000n

/** Gas of a transaction besides the execution of its call (EIP-2028), where the node did not count it. */
const transactionGas = (data: Hex): bigint => 21_000n + 16n * BigInt(size(data))

/**
 * The limit to send a call with: used gas comes after refunds of up to a fifth, calls within calls need 1/64 more each, and prices
 * and balances move a little until it is mined. A stock that is native code (B20) cannot be estimated by every node.
 */
const toGasLimit = (gasUsed: bigint): bigint => (gasUsed * 3n) / 2n + 30_000n

const badAnswer = () =>
  new ToolError('upstream', 'The node answered the dry run with something that is none.', { retryAfter: 5 })

const toWire = ({ from, to, data, value = 0n, gas }: Request) => ({
  from,
  to,
  data,
  value: numberToHex(value),
  ...(gas !== undefined && { gas: numberToHex(gas) }),
})

const toOverrides = (list: readonly Request[], { balance }: Run, more: object = {}) => {
  const override = { ...more, ...(balance !== undefined && { balance: numberToHex(balance) }) }
  return Object.fromEntries(list.map(({ from }) => [from, override]))
}

const toBlock = ({ time }: Run) => (time === undefined ? {} : { time: numberToHex(time) })

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

const toOutcome = (call: unknown): Outcome => {
  const [status, gasUsed, returnData] = ['status', 'gasUsed', 'returnData'].map(name => fieldOf(call, name))
  const data = fieldOf(fieldOf(call, 'error'), 'data') ?? returnData ?? '0x'
  const success = status === '0x1'
  if ((!success && status !== '0x0') || !isHex(gasUsed) || !isHex(data)) throw badAnswer()
  return { success, gasUsed: hexToBigInt(gasUsed), data: success && isHex(returnData) ? returnData : data }
}

/** Asks a node that can run several calls in a row (eth_simulateV1). */
const runSimulation = async (
  reader: PublicClient,
  list: readonly Request[],
  run: Run,
): Promise<Outcome[]> => {
  const block = {
    blockOverrides: toBlock(run),
    stateOverrides: toOverrides(list, run),
    calls: list.map(toWire),
  }
  const blocks: unknown = await reader.request({
    method: 'eth_simulateV1',
    params: [{ blockStateCalls: [block], validation: false }, 'latest'],
  })
  const outcomes = Array.isArray(blocks) ? fieldOf(blocks[0], 'calls') : undefined
  if (!Array.isArray(outcomes) || outcomes.length !== list.length) throw badAnswer()
  return outcomes.map(toOutcome)
}

const sequence = callSequence.abi

const encodeSequence = (list: readonly Request[]): Hex =>
  encodeFunctionData({
    abi: sequence,
    functionName: 'run',
    args: [list.map(({ to, data, value = 0n, gas = dryRunGas }) => ({ to, data, value, gas }))],
  })

const decodeSequence = (data: Hex) => {
  try {
    return decodeFunctionResult({ abi: sequence, functionName: 'run', data })[1]
  } catch {
    throw badAnswer()
  }
}

/** The same in one eth_call, by code that stands in for the senders' own; the first one has the others make their calls. */
const runSequence = async (reader: PublicClient, list: readonly Request[], run: Run): Promise<Outcome[]> => {
  const [first] = list
  if (!first) return []
  const { from } = first
  const isOwn = (request: Request) => request.from.toLowerCase() === from.toLowerCase()
  const data = encodeSequence(
    list.map(request =>
      isOwn(request) ? request : { from, to: request.from, data: encodeSequence([request]) },
    ),
  )
  const answer: unknown = await reader.request({
    method: 'eth_call',
    params: [
      { from, to: from, data, ...(run.gas !== undefined && { gas: numberToHex(run.gas) }) },
      'latest',
      toOverrides(list, run, { code: callSequence.deployedBytecode }),
      toBlock(run),
    ] as never,
  })
  if (!isHex(answer)) throw badAnswer()
  const results = decodeSequence(answer)
  if (results.length !== list.length) throw badAnswer()
  return results.map((result, index) => {
    const request = list[index] as Request
    const { success, gasUsed, data } =
      isOwn(request) || !result.success ? result : (decodeSequence(result.data)[0] ?? result)
    return { success, data, gasUsed: gasUsed + transactionGas(request.data) }
  })
}

const findRpcError = (problem: unknown): RpcRequestError | undefined => {
  const rpcError =
    problem instanceof BaseError ? problem.walk(cause => cause instanceof RpcRequestError) : null
  return rpcError instanceof RpcRequestError ? rpcError : undefined
}

/** The node does not know the method, or not with these parameters. */
const isUnable = (problem: unknown): boolean => {
  const error = findRpcError(problem)
  return (
    error !== undefined &&
    ([-32601, -32602, -32004].includes(error.code) ||
      /not (?:supported|found|available)/i.test(error.details))
  )
}

/** Runs calls one after the other on the newest block, each on what those before have left, without sending anything. */
export const runCalls = async (
  reader: PublicClient,
  list: readonly Request[],
  run: Run = {},
): Promise<Outcome[]> => {
  try {
    return await runSimulation(reader, list, run)
  } catch (problem) {
    if (!isUnable(problem)) throw problem
    return runSequence(reader, list, run)
  }
}

const refusal = (count: number, { index, name, args, text }: Revert): ToolError =>
  new ToolError('conflict', `The dry run of call ${index + 1} of ${count} fails: ${text}.`, {
    reason: 'would_revert',
    params: { call: index, error: name, args },
  })

/** A node's refusal of the whole list, such as for coins that the account has not. */
const toRefusal = (problem: unknown): unknown => {
  const error = findRpcError(problem)
  if (!error) return problem
  const { details } = error
  if (/insufficient ?funds/i.test(details))
    return new ToolError('conflict', 'The account has fewer coins than the calls send along.', {
      reason: 'would_revert',
    })
  return new ToolError('upstream', `The node refuses the dry run: ${details.slice(0, 200)}`, {
    retryable: false,
  })
}

/**
 * Runs the calls in order from one account on the newest block, without sending anything, and gives them with their gas limits.
 * Throws `conflict` with the decoded reason for the first call that fails, `upstream` when no node can say.
 */
export const simulateCalls = async (
  reader: PublicClient,
  { account, calls, before = [], questions = [], abi = [], now, refuse }: Options,
): Promise<Simulated> => {
  const toRequest = (question: Question): Request => ({ ...question, from: account, gas: questionGas })
  const list = [
    ...before.map(toRequest),
    ...calls.map(call => ({ gas: dryRunGas, ...call, from: account })),
    ...questions.map(toRequest),
  ]
  const head: unknown = await onChain(
    reader.request({ method: 'eth_getBlockByNumber', params: ['latest', false] }),
  )
  const [number, timestamp] = [fieldOf(head, 'number'), fieldOf(head, 'timestamp')]
  if (!isHex(number) || !isHex(timestamp)) throw badAnswer()
  // The calls are mined in a later block; a chain on this machine may have had none for hours.
  const time = BigInt(Math.max(hexToNumber(timestamp), Math.floor(now.getTime() / 1000)) + 5)
  const outcomes = await onChain(runCalls(reader, list, { time, gas: maxSequenceGas })).catch(problem => {
    throw toRefusal(problem)
  })
  const end = before.length + calls.length
  const done = outcomes.slice(before.length, end)
  const toAnswer = ({ success, data }: Outcome) => (success ? data : undefined)
  const failed = done.findIndex(({ success }) => !success)
  if (failed >= 0) {
    const revert = readRevertData(abi, failed, done[failed]?.data ?? '0x')
    throw refuse?.(revert) ?? refusal(calls.length, revert)
  }
  return {
    calls: calls.map(({ to, data, value = 0n, gas }, index) => ({
      to,
      data,
      value: String(value),
      gas: String(gas ?? toGasLimit(done[index]?.gasUsed ?? 0n)),
    })),
    simulation: {
      ok: true,
      block: String(hexToBigInt(number)),
      gas_used: done.map(({ gasUsed }) => String(gasUsed)),
    },
    results: done.map(({ data }) => data),
    before: outcomes.slice(0, before.length).map(toAnswer),
    answers: outcomes.slice(end).map(toAnswer),
  }
}
