import {
  type Address,
  concatHex,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBytes,
  maxUint256,
  type PublicClient,
  parseAbi,
  serializeTransaction,
  size,
} from 'viem'
import { entryPoint08Abi } from 'viem/account-abstraction'
import { ToolError } from '../../../kernel/error.ts'
import { formatUsd } from '../../../lib/usd.ts'
import { parseDelegate } from '../stablecoin/token.ts'
import { delegationMarker } from './networks.ts'
import {
  entryPoint,
  operationHash,
  type SponsoredOperation,
  simpleAccount,
  stubPaymasterData,
  stubSignature,
} from './operation.ts'
import { type CoinPrice, capInWei, priceForCap } from './price.ts'
import type { Call, RequestedOperation, SponsorRequest } from './request.ts'
import type { SponsorChain } from './sponsor-chains.ts'
import { handleOps, maxGas, tryOperation } from './trial.ts'

/** Gas that the sponsor's check has: it recovers one signature. */
export const sponsorGas = 60_000n
/** Gas of the EntryPoint for an operation outside of what it counts, besides copying it. */
const entryPointGas = 20_000n
/** Most that an authorization costs (EIP-7702). */
const authorizationGas = 25_000n
const minTip = 1_000_000n

/** How an account comes to its code. */
export type Delegation = {
  /** Code that it delegates to now; null for a plain account, or one that is a contract. */
  current: Address | null
  /** Code that it delegates to with this operation; null where it need not. */
  needed: Address | null
  /** Number of transactions of the account, which an authorization has to name. */
  nonce: number
}

/** An operation that can be sponsored, with what it costs at most. */
export type Draft = {
  operation: SponsoredOperation
  delegation: Delegation
  capWei: bigint
  price: bigint
  coin: CoinPrice
}

/** How Simple7702Account is called. */
export const accountAbi = parseAbi([
  'function execute(address target, uint256 value, bytes data)',
  'struct Call { address target; uint256 value; bytes data; }',
  'function executeBatch(Call[] calls)',
])

/** Encodes the call of Simple7702Account; one call costs less gas than a batch of one. */
const encodeCalls = (calls: readonly Call[]): Hex => {
  const [first] = calls
  if (first && calls.length === 1)
    return encodeFunctionData({
      abi: accountAbi,
      functionName: 'execute',
      args: [first.to, first.value, first.data],
    })
  const batch = calls.map(({ to, value, data }) => ({ target: to, value, data }))
  return encodeFunctionData({ abi: accountAbi, functionName: 'executeBatch', args: [batch] })
}

type AccountState = { code: Hex | undefined; transactions: number; nonce: bigint }

/** Reads an account on the chain, as far as an operation depends on it. */
export const readSenderAccount = async (
  reader: PublicClient,
  sender: Address,
  key: bigint,
): Promise<AccountState> => {
  const [code, transactions, nonce] = await Promise.all([
    reader.getCode({ address: sender }),
    reader.getTransactionCount({ address: sender }),
    reader.readContract({
      address: entryPoint,
      abi: entryPoint08Abi,
      functionName: 'getNonce',
      args: [sender, key],
    }),
  ])
  return { code, transactions, nonce }
}

const alreadyDelegated = (sender: Address, current: Address): ToolError =>
  new ToolError('conflict', `${sender} delegates to other code (EIP-7702): ${current}.`, {
    reason: 'already_delegated',
    params: { current, needed: simpleAccount },
    hint: 'Send redelegate: true to have it delegate to Simple7702Account from now on, or send a userOperation for the code that it has. Nothing was charged.',
  })

const isContract = (sender: Address): ToolError =>
  new ToolError('conflict', `${sender} is a contract, so its calls depend on its code.`, {
    reason: 'send_user_operation',
    issues: [{ path: 'sender', message: 'must be a plain account here' }],
    hint: 'Send { userOperation } with the callData that this account takes. Nothing was charged.',
  })

/** Delegate that runs an account's calls, with a checksum; null where it is no plain account that delegates. */
const readDelegate = (code: Hex | undefined): Address | null => {
  const delegate = parseDelegate(code)
  return delegate === undefined ? null : getAddress(delegate)
}

/** How a plain account comes to Simple7702Account. Throws `conflict` where it has other code. */
const planDelegation = (
  sender: Address,
  { code, transactions: nonce }: AccountState,
  redelegate: boolean,
): Delegation => {
  if (code === undefined) return { current: null, needed: simpleAccount, nonce }
  const current = readDelegate(code)
  if (current === null) throw isContract(sender)
  if (current.toLowerCase() === simpleAccount.toLowerCase())
    return { current: simpleAccount, needed: null, nonce }
  if (!redelegate) throw alreadyDelegated(sender, current)
  return { current, needed: simpleAccount, nonce }
}

/** How the account of an operation comes to its code, by what it says itself. */
const readDelegation = (
  { sender, factory, delegate = simpleAccount }: RequestedOperation,
  { code, transactions: nonce }: AccountState,
): Delegation => {
  const current = readDelegate(code)
  if (factory === delegationMarker) {
    if (current?.toLowerCase() === delegate.toLowerCase()) return { current, needed: null, nonce }
    return { current, needed: delegate, nonce }
  }
  if (factory === undefined && code === undefined)
    throw new ToolError('conflict', `There is no account at ${sender} yet.`, {
      reason: 'no_account',
      issues: [
        { path: 'userOperation.factory', message: 'is needed to make it, or 0x7702 for a plain account' },
      ],
    })
  if (factory !== undefined && code !== undefined)
    throw new ToolError('conflict', `The account ${sender} is there already.`, {
      reason: 'account_exists',
      issues: [{ path: 'userOperation.factory', message: 'must be left out: the account is there' }],
    })
  return { current, needed: null, nonce }
}

type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint; baseFee: bigint }

/** Fees an operation of now should offer: the median tip, and room for a base fee that doubles. */
const readFees = async (reader: PublicClient): Promise<Fees> => {
  const { baseFeePerGas, reward = [] } = await reader.getFeeHistory({
    blockCount: 5,
    rewardPercentiles: [50],
  })
  const tips = reward.flat().sort((a, b) => (a < b ? -1 : 1))
  const median = tips[tips.length >> 1] ?? 0n
  const maxPriorityFeePerGas = median > minTip ? median : minTip
  const baseFee = baseFeePerGas.at(-1) ?? 0n
  return { maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas, maxPriorityFeePerGas, baseFee }
}

const oracle: Address = '0x420000000000000000000000000000000000000F'

const oracleAbi = parseAbi(['function getL1Fee(bytes data) view returns (uint256)'])

/** Fee of the chain below for the data of a transaction, in wei; nothing where there is none, as on local chains. */
const readDataFee = async ({ reader, network, chain }: SponsorChain, data: Hex): Promise<bigint> => {
  if (!network.hasDataFee || chain.devnet) return 0n
  const transaction = serializeTransaction({
    type: 'eip1559',
    chainId: network.chainId,
    to: entryPoint,
    data,
    gas: 1_000_000n,
    nonce: 1_000_000,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 10n ** 9n,
  })
  const fee = await reader.readContract({
    address: oracle,
    abi: oracleAbi,
    functionName: 'getL1Fee',
    args: [transaction],
  })
  // It moves from block to block.
  return (fee * 3n) / 2n
}

/**
 * Gas of the transaction that the EntryPoint does not count itself: what the wallet that submits must get back. Transactions that are
 * mostly data pay for that alone (EIP-7623).
 */
const fixedGas = (data: Hex, needsAuthorization: boolean, executionGas: bigint): bigint => {
  const bytes = hexToBytes(data)
  const zeros = BigInt(bytes.filter(byte => byte === 0).length)
  const others = BigInt(bytes.length) - zeros
  const authorization = needsAuthorization ? authorizationGas : 0n
  const usual = 21_000n + 4n * zeros + 16n * others + entryPointGas + BigInt(bytes.length) + authorization
  const floor = 21_000n + 10n * zeros + 40n * others + authorization
  const rest = floor > executionGas ? floor - executionGas : 0n
  return usual > rest ? usual : rest
}

const requireLimit = (value: bigint, max: bigint, path: string): void => {
  if (value <= max) return
  throw new ToolError('invalid_input', `userOperation.${path} is too high: ${max} at most.`, {
    issues: [{ path: `userOperation.${path}`, message: `must be ${max} at most` }],
  })
}

const tooLow = (path: string, least: bigint, why: string): ToolError =>
  new ToolError('invalid_input', `userOperation.${path} is too low: ${why}.`, {
    issues: [{ path: `userOperation.${path}`, message: `must be ${least} at least` }],
    hint: 'Leave it out to have it filled in. Nothing was charged.',
  })

const requireFees = (
  { maxFeePerGas, maxPriorityFeePerGas }: Pick<SponsoredOperation, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
  { baseFee }: Fees,
): void => {
  if (maxFeePerGas < baseFee) throw tooLow('maxFeePerGas', baseFee, 'no block would take it')
  if (maxPriorityFeePerGas <= maxFeePerGas) return
  throw new ToolError('invalid_input', 'userOperation.maxPriorityFeePerGas is above maxFeePerGas.', {
    issues: [{ path: 'userOperation.maxPriorityFeePerGas', message: 'must not be above maxFeePerGas' }],
  })
}

/** Gas of the limit that the EntryPoint needs for its own checks: it copies and hashes the whole operation. */
const hashingGas = ({
  callData,
  factoryData = '0x',
}: Pick<SponsoredOperation, 'callData' | 'factoryData'>): bigint =>
  28_000n + BigInt(size(callData) + size(factoryData))

const blank = (sponsor: Address) => ({
  paymaster: sponsor,
  paymasterVerificationGasLimit: sponsorGas,
  paymasterPostOpGasLimit: 0n,
  paymasterData: stubPaymasterData,
})

type Plan = {
  delegation: Delegation
  operation: Pick<
    SponsoredOperation,
    'sender' | 'nonce' | 'factory' | 'factoryData' | 'callData' | 'signature'
  >
  limits: Partial<
    Pick<
      RequestedOperation,
      'callGasLimit' | 'verificationGasLimit' | 'preVerificationGas' | 'maxFeePerGas' | 'maxPriorityFeePerGas'
    >
  >
}

const planCalls = (
  { sender, calls, redelegate }: Extract<SponsorRequest, { kind: 'calls' }>,
  account: AccountState,
): Plan => {
  const delegation = planDelegation(sender, account, redelegate)
  const isNew = delegation.needed !== null
  return {
    delegation,
    operation: {
      sender,
      nonce: account.nonce,
      factory: isNew ? delegationMarker : undefined,
      factoryData: undefined,
      callData: encodeCalls(calls),
      signature: stubSignature,
    },
    limits: {},
  }
}

const planOperation = (
  { operation }: Extract<SponsorRequest, { kind: 'operation' }>,
  account: AccountState,
): Plan => {
  const { sender, factory, factoryData, callData, nonce = account.nonce, signature, ...limits } = operation
  const delegation = readDelegation(operation, account)
  if (nonce !== account.nonce)
    throw new ToolError('conflict', `The nonce ${nonce} of ${sender} is not the next one.`, {
      reason: 'wrong_nonce',
      issues: [{ path: 'userOperation.nonce', message: `must be ${account.nonce}` }],
      hint: 'Nothing was charged.',
    })
  return {
    delegation,
    operation: {
      sender,
      nonce,
      factory,
      factoryData: factoryData === '0x' ? undefined : factoryData,
      callData,
      signature: signature === '0x' ? stubSignature : signature,
    },
    limits,
  }
}

const keyOf = (nonce: bigint | undefined): bigint => (nonce ?? 0n) >> 64n

/** Account that is asked about for a request. */
export const accountFor = (request: SponsorRequest): { sender: Address; key: bigint } =>
  request.kind === 'calls'
    ? { sender: request.sender, key: 0n }
    : { sender: request.operation.sender, key: keyOf(request.operation.nonce) }

/**
 * Makes the operation that is asked for, tried out, with limits, fees and what it costs at most. Nothing is signed or written. Throws
 * what stands against it.
 */
export const draftOperation = async (
  chain: SponsorChain,
  request: SponsorRequest,
  maxUsd: number,
): Promise<Draft> => {
  const { reader, sponsor, network } = chain
  const { sender, key } = accountFor(request)
  const [account, fees, coin] = await Promise.all([
    readSenderAccount(reader, sender, key),
    readFees(reader),
    chain.coinPrice(),
  ])
  const {
    delegation,
    operation: parts,
    limits,
  } = request.kind === 'calls' ? planCalls(request, account) : planOperation(request, account)
  const {
    maxFeePerGas = fees.maxFeePerGas,
    maxPriorityFeePerGas = maxFeePerGas < fees.maxPriorityFeePerGas
      ? maxFeePerGas
      : fees.maxPriorityFeePerGas,
  } = limits
  requireFees({ maxFeePerGas, maxPriorityFeePerGas }, fees)
  requireLimit(limits.callGasLimit ?? 0n, maxGas.call, 'callGasLimit')
  requireLimit(limits.verificationGasLimit ?? 0n, maxGas.verification, 'verificationGasLimit')
  const untried: SponsoredOperation = {
    ...parts,
    ...blank(sponsor),
    callGasLimit: limits.callGasLimit ?? 0n,
    verificationGasLimit: limits.verificationGasLimit ?? 0n,
    preVerificationGas: limits.preVerificationGas ?? 0n,
    maxFeePerGas,
    maxPriorityFeePerGas,
  }
  const delegate = delegation.needed
  const hash = operationHash(untried, delegate ?? delegation.current, network.chainId)
  const trial = await tryOperation(chain, untried, { hash, delegate })
  const verificationGasLimit =
    limits.verificationGasLimit ?? (trial.verificationGas * 6n) / 5n + hashingGas(parts)
  const callGasLimit = limits.callGasLimit ?? (trial.callGas * 5n) / 4n + 10_000n
  // Only the length of these counts, and that none of their bytes is zero.
  const full = { ...untried, callGasLimit, verificationGasLimit, preVerificationGas: maxUint256 >> 200n }
  const data = handleOps(
    { ...full, paymasterData: concatHex([stubPaymasterData.slice(0, 26) as Hex, `0x${'ff'.repeat(65)}`]) },
    chain.wallet.address,
  )
  const dataFee = await readDataFee(chain, data)
  const leastFixed =
    fixedGas(data, delegate !== null, trial.verificationGas + trial.callGas) +
    (dataFee + maxFeePerGas - 1n) / maxFeePerGas
  const preVerificationGas = limits.preVerificationGas ?? leastFixed
  if (preVerificationGas < leastFixed)
    throw tooLow('preVerificationGas', leastFixed, 'the transaction costs more besides')
  requireLimit(preVerificationGas, maxGas.call, 'preVerificationGas')
  const operation = { ...full, preVerificationGas }
  const capWei = capInWei(operation)
  const price = priceForCap(capWei, coin)
  if (price > BigInt(maxUsd) * 1_000_000n)
    throw new ToolError(
      'conflict',
      `The operation could cost ${formatUsd(price)} USDC; ${maxUsd} is the most.`,
      {
        reason: 'cap_too_high',
        hint: 'Lower its gas limits or fees, or split it. Nothing was charged.',
      },
    )
  await requireDeposit(chain, capWei)
  return { operation, delegation, capWei, price, coin }
}

/** Refuses what the sponsor's deposit, or the wallet that submits, could not carry. */
const requireDeposit = async ({ reader, sponsor, wallet, network }: SponsorChain, capWei: bigint) => {
  const [deposit, balance] = await Promise.all([
    reader.readContract({
      address: entryPoint,
      abi: entryPoint08Abi,
      functionName: 'balanceOf',
      args: [sponsor],
    }),
    reader.getBalance({ address: wallet.address }),
  ])
  if (deposit >= 2n * capWei && balance >= 2n * capWei) return
  throw new ToolError('unavailable', `Gas cannot be sponsored on ${network.title} now: its funds are low.`, {
    reason: 'sponsor_funds_low',
    hint: 'Nothing was charged.',
    retryAfter: 300,
  })
}
