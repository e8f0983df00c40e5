import {
  type Abi,
  type Address,
  BaseError,
  concatHex,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  isHex,
  numberToHex,
  parseAbi,
} from 'viem'
import { entryPoint08Abi } from 'viem/account-abstraction'
import { callSequence } from '../../../../contracts/call-sequence.ts'
import { ToolError } from '../../../kernel/error.ts'
import { type Revert, readRevertData } from '../../../lib/evm-revert.ts'
import { delegationMarker } from './networks.ts'
import { entryPoint, packOperation, type SponsoredOperation, stubSignature } from './operation.ts'
import type { SponsorChain } from './sponsor-chains.ts'

/** Gas that an operation may have for its checks, and for its calls. */
export const maxGas = { verification: 2_000_000n, call: 5_000_000n }

/** Address of code for one question; nothing else is there. */
const scratch: Address = '0x00000000000000000000000000000000000f0c7a'

type Overrides = { readonly [address: Address]: { code: Hex } }

const accountAbi = parseAbi([
  'struct PackedOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function validateUserOp(PackedOperation userOp, bytes32 userOpHash, uint256 missingAccountFunds) returns (uint256 validationData)',
  'function executeUserOp(PackedOperation userOp, bytes32 userOpHash)',
  'function createSender(bytes initCode) returns (address sender)',
])

/** Errors of accounts and of the EntryPoint's own steps, to name them in a refusal. */
const knownErrors: Abi = [
  {
    type: 'error',
    name: 'ExecuteError',
    inputs: [
      { name: 'index', type: 'uint256' },
      { name: 'error', type: 'bytes' },
    ],
  },
]

/** The code of an account that delegates to another one (EIP-7702). */
const delegationTo = (delegate: Address): Hex => concatHex(['0xef0100', delegate])

const overridesFor = ({ sender }: SponsoredOperation, delegate: Address | null): Overrides =>
  delegate === null ? {} : { [sender]: { code: delegationTo(delegate) } }

/** The bytes that a reverted question came back with; undefined where the node says something else. */
const revertData = (problem: unknown): Hex | undefined => {
  if (!(problem instanceof BaseError)) return undefined
  const holder = problem.walk(cause => isHex((cause as { data?: unknown }).data))
  const data = (holder as { data?: unknown } | null)?.data
  return isHex(data) ? data : undefined
}

type Question = { from: Address; data: Hex; gas: bigint; overrides: Overrides }

/** Asks the EntryPoint, with other code in some places. A revert is an answer. */
const ask = async (
  { reader, network: { title } }: SponsorChain,
  { from, data, gas, overrides }: Question,
): Promise<{ result: Hex } | { reverted: Hex }> => {
  const call = { from, to: entryPoint, data, gas: numberToHex(gas) }
  try {
    const params = [call, 'latest', overrides] as never
    return { result: await reader.request({ method: 'eth_call', params }) }
  } catch (problem) {
    const data = revertData(problem)
    if (data !== undefined) return { reverted: data }
    throw new ToolError('upstream', `The dry run cannot be made on ${title} just now.`, {
      retryAfter: 5,
      hint: 'Nothing was sent. Try again in a few seconds.',
      cause: new Error(problem instanceof Error ? problem.name : 'unknown failure'),
    })
  }
}

const creators = new WeakMap<SponsorChain, Promise<Address>>()

/** Caller of factories on behalf of the EntryPoint. */
const senderCreator = (chain: SponsorChain): Promise<Address> => {
  const creator =
    creators.get(chain) ??
    chain.reader.readContract({ address: entryPoint, abi: entryPoint08Abi, functionName: 'senderCreator' })
  creators.set(chain, creator)
  return creator
}

type Step = { success: boolean; gasUsed: bigint; data: Hex }

/** Result of a dry run of an operation: the gas of its checks (with the making of the account) and of its calls. */
export type Trial = { verificationGas: bigint; callGas: bigint }

const refuseStep = (what: string, reason: string, { name, args, text }: Revert, path: string): ToolError =>
  new ToolError('conflict', `${what}: ${text}.`, {
    reason,
    params: { error: name, args },
    issues: [{ path, message: text }],
    hint: 'Nothing was sent and nothing charged.',
  })

const decodeBatchError = (data: Hex): { index: number; data: Hex } | undefined => {
  try {
    const { args } = decodeErrorResult({ abi: knownErrors, data })
    // Other errors have arguments of their own: the reason of a single call is text.
    const [index, inner] = args ?? []
    return typeof index === 'bigint' && typeof inner === 'string' && inner.startsWith('0x')
      ? { index: Number(index), data: inner as Hex }
      : undefined
  } catch {
    return undefined
  }
}

/** The refusal of an operation whose calls revert; it says which one where the account does. */
const refuseCalls = (data: Hex): ToolError => {
  const batch = decodeBatchError(data)
  const revert = readRevertData([], batch?.index ?? 0, batch?.data ?? data)
  const what = batch ? `Call ${batch.index + 1} of the batch fails in the dry run` : 'The dry run fails'
  return refuseStep(what, 'would_revert', revert, batch ? `calls.${batch.index}` : 'calls')
}

const executeUserOp = '0x8dd7712f'

/** The EntryPoint's call to the account: the call data, or for accounts that ask for it the whole operation. */
const executionCall = (operation: SponsoredOperation, hash: Hex): Hex =>
  operation.callData.startsWith(executeUserOp)
    ? encodeFunctionData({
        abi: accountAbi,
        functionName: 'executeUserOp',
        args: [packOperation(operation), hash],
      })
    : operation.callData

/**
 * Runs the parts of an operation that nobody has signed yet as the EntryPoint runs them: the making of the account, its check of the
 * operation, its calls. Nothing is sent, and no account has to be there: the EntryPoint is asked to run our list of calls
 * (`delegateAndRevert`), with the code of the list, and that of an account which is yet to delegate, put in place for the one
 * question. Throws `conflict` with the reason of what fails.
 */
export const tryOperation = async (
  chain: SponsorChain,
  operation: SponsoredOperation,
  { hash, delegate }: { hash: Hex; delegate: Address | null },
): Promise<Trial> => {
  const { sender, factory, factoryData = '0x', callData, callGasLimit } = operation
  const signed = {
    ...operation,
    signature: operation.signature === '0x' ? stubSignature : operation.signature,
  }
  const isMade = factory !== undefined && factory !== delegationMarker
  const making = isMade
    ? [
        {
          to: await senderCreator(chain),
          data: encodeFunctionData({
            abi: accountAbi,
            functionName: 'createSender',
            args: [concatHex([factory, factoryData])],
          }),
          value: 0n,
          gas: maxGas.verification,
        },
      ]
    : []
  const checking = {
    to: sender,
    data: encodeFunctionData({
      abi: accountAbi,
      functionName: 'validateUserOp',
      args: [packOperation(signed), hash, 0n],
    }),
    value: 0n,
    gas: maxGas.verification,
  }
  const calling = {
    to: sender,
    data: executionCall(signed, hash),
    value: 0n,
    gas: callGasLimit > 0n ? callGasLimit : maxGas.call,
  }
  const steps = [...making, checking, ...(callData === '0x' ? [] : [calling])]
  const list = encodeFunctionData({ abi: callSequence.abi, functionName: 'run', args: [steps] })
  const answer = await ask(chain, {
    from: chain.wallet.address,
    data: encodeFunctionData({
      abi: entryPoint08Abi,
      functionName: 'delegateAndRevert',
      args: [scratch, list],
    }),
    gas: 12_000_000n,
    overrides: {
      ...overridesFor(operation, delegate),
      [scratch]: { code: callSequence.deployedBytecode },
    },
  })
  const results = readSteps(answer, steps.length)
  const creation = isMade ? results[0] : undefined
  const checked = results[making.length]
  const called = results[making.length + 1]
  if (creation) requireMade(creation, sender)
  if (checked) requireChecked(checked)
  if (called && !called.success) throw refuseCalls(called.data)
  return {
    verificationGas: (creation?.gasUsed ?? 0n) + (checked?.gasUsed ?? 0n),
    callGas: called?.gasUsed ?? 0n,
  }
}

const badAnswer = (): ToolError =>
  new ToolError('upstream', 'The node answered the dry run with something that is none.', { retryAfter: 5 })

const readSteps = (answer: { result: Hex } | { reverted: Hex }, count: number): readonly Step[] => {
  if (!('reverted' in answer)) throw badAnswer()
  try {
    const { args = [] } = decodeErrorResult({ abi: entryPoint08Abi, data: answer.reverted })
    const [, data] = args as readonly unknown[]
    if (!isHex(data)) throw badAnswer()
    const [, steps] = decodeFunctionResult({ abi: callSequence.abi, functionName: 'run', data })
    if (steps.length === count) return steps
  } catch {
    throw badAnswer()
  }
  throw badAnswer()
}

const requireMade = ({ success, data }: Step, sender: Address): void => {
  const created = success && data.length === 66 ? (`0x${data.slice(26)}` as Address) : undefined
  if (created?.toLowerCase() === sender.toLowerCase()) return
  throw new ToolError('conflict', 'The factory does not make the account that the operation is of.', {
    reason: 'factory_failed',
    issues: [{ path: 'userOperation.factory', message: `makes ${created ?? 'nothing'}, not ${sender}` }],
  })
}

const requireChecked = ({ success, data }: Step): void => {
  if (!success || data.length !== 66)
    throw refuseStep(
      'The account refuses the operation',
      'account_refuses',
      readRevertData([], 0, data),
      'userOperation',
    )
  // An aggregator in place of a signature; 1 is a signature that does not fit, as that of nobody.
  if ((hexToBigInt(data) & ((1n << 160n) - 1n)) <= 1n) return
  throw new ToolError(
    'conflict',
    'Accounts whose signatures others answer for (aggregators) are not served.',
    {
      reason: 'aggregator',
    },
  )
}

/** The transaction that carries one operation out. */
export const handleOps = (operation: SponsoredOperation, beneficiary: Address): Hex =>
  encodeFunctionData({
    abi: entryPoint08Abi,
    functionName: 'handleOps',
    args: [[packOperation(operation)], beneficiary],
  })

const issueOf = (code: string): { path: string; message: string } | undefined => {
  if (code === 'AA24') return { path: 'signature', message: 'does not fit the operation and its account' }
  return undefined
}

/**
 * Runs the signed operation as it will be sent, without sending it. Throws `invalid_input` for a wrong signature and `conflict` with the
 * code of the EntryPoint for the rest.
 */
export const tryHandleOps = async (
  chain: SponsorChain,
  operation: SponsoredOperation,
  { delegate, gas }: { delegate: Address | null; gas: bigint },
): Promise<void> => {
  const from = chain.wallet.address
  const data = handleOps(operation, from)
  const answer = await ask(chain, { from, data, gas, overrides: overridesFor(operation, delegate) })
  if (!('reverted' in answer)) return
  const { code, text } = readFailedOp(answer.reverted)
  const issue = issueOf(code)
  throw new ToolError(
    issue ? 'invalid_input' : 'conflict',
    `The EntryPoint refuses the operation in the dry run: ${text}.`,
    {
      reason: issue ? 'wrong_signature' : 'operation_refused',
      ...(issue && { issues: [issue] }),
      params: { entryPointCode: code },
      hint: issue
        ? 'Nothing was sent. Sign the typed_data of the answer as it is, with the key of the account.'
        : 'Nothing was sent.',
    },
  )
}

/** The code, such as AA25, and the words of a refusal of the EntryPoint. */
const readFailedOp = (data: Hex): { code: string; text: string } => {
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: entryPoint08Abi, data })
    const reason = String((args as readonly unknown[])[1] ?? errorName)
    const inner = (args as readonly unknown[])[2]
    const why = isHex(inner) && inner !== '0x' ? `: ${readRevertData([], 0, inner).text}` : ''
    return { code: /^AA\d\d/.exec(reason)?.[0] ?? errorName, text: `${reason}${why}`.slice(0, 200) }
  } catch {
    return { code: 'unknown', text: readRevertData([], 0, data).text }
  }
}
