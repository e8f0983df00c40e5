import { randomUUID } from 'node:crypto'
import { type Hex, isAddressEqual, parseEventLogs, type TransactionReceipt } from 'viem'
import { entryPoint08Abi } from 'viem/account-abstraction'
import { recoverAuthorizationAddress } from 'viem/utils'
import { ToolError } from '../../../kernel/error.ts'
import { readRevertData } from '../../../lib/evm-revert.ts'
import { formatUsd } from '../../../lib/usd.ts'
import type { SignedTransaction } from '../../../ports/chain/port.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Store } from '../../../ports/store/port.ts'
import { parseDelegate } from '../stablecoin/token.ts'
import { requireGasNetwork } from './networks.ts'
import { entryPoint, fromWire, operationHash, type SponsoredOperation, toWire } from './operation.ts'
import {
  loadOperation,
  type Mined,
  type OperationRow,
  operationsIn,
  type SignedDelegation,
} from './records.ts'
import type { SponsorChain, SponsorChains } from './sponsor-chains.ts'
import { handleOps, tryHandleOps, tryOperation } from './trial.ts'

type Deps = { store: Store; clock: Clock; chains: SponsorChains }

/** Milliseconds for which whoever works on an operation has it for itself. */
const leaseMs = 60_000
/** Milliseconds that a submission waits for its block. */
const confirmMs = 20_000
/** Seconds after the end of the sponsor's word at which no block can carry it any more, by any clock. */
const graceSeconds = 30
/** Transactions that are sent for one operation: a reverted one costs this service alone. */
const maxTransactions = 3

/** Gas of the whole transaction: what the operation may use, and what the EntryPoint asks to be left over. */
const transactionGas = ({
  callGasLimit,
  verificationGasLimit,
  preVerificationGas,
  paymasterVerificationGasLimit,
  paymasterPostOpGasLimit,
}: SponsoredOperation): bigint =>
  ((callGasLimit +
    verificationGasLimit +
    preVerificationGas +
    paymasterVerificationGasLimit +
    paymasterPostOpGasLimit) *
    65n) /
    64n +
  60_000n

const update = (
  store: Store,
  id: string,
  change: (row: OperationRow) => OperationRow,
): Promise<OperationRow> =>
  operationsIn(store)
    .update(id, change)
    .then(row => {
      if (row) return row
      throw new Error('a sponsored operation has no record')
    })

/** Finds the outcome of an operation on the chain, whoever submitted it; undefined where nobody did. */
const findMined = async ({ reader }: SponsorChain, row: OperationRow): Promise<Mined | undefined> => {
  const logs = await reader.getContractEvents({
    address: entryPoint,
    abi: entryPoint08Abi,
    eventName: 'UserOperationEvent',
    args: { userOpHash: row.userOpHash },
    fromBlock: BigInt(row.sinceBlock),
  })
  const hash = logs[0]?.transactionHash
  const receipt = hash && (await reader.getTransactionReceipt({ hash }))
  return receipt && readMined(receipt, row.userOpHash)
}

/** Reads a transaction's effect on an operation; undefined where it did not carry it out. */
const readMined = (receipt: TransactionReceipt, userOpHash: Hex): Mined | undefined => {
  const events = parseEventLogs({
    abi: entryPoint08Abi,
    logs: receipt.logs.filter(({ address }) => isAddressEqual(address, entryPoint)),
    eventName: ['UserOperationEvent', 'UserOperationRevertReason'],
  }).filter(({ args }) => args.userOpHash === userOpHash)
  const done = events.find(event => event.eventName === 'UserOperationEvent')
  if (done?.eventName !== 'UserOperationEvent') return undefined
  const reverted = events.find(event => event.eventName === 'UserOperationRevertReason')
  const reason =
    reverted?.eventName === 'UserOperationRevertReason'
      ? readRevertData([], 0, reverted.args.revertReason).text
      : null
  return {
    transactionHash: receipt.transactionHash,
    blockNumber: String(receipt.blockNumber),
    success: done.args.success,
    gasUsed: String(done.args.actualGasUsed),
    gasCostWei: String(done.args.actualGasCost),
    revertReason: done.args.success ? null : (reason ?? 'no reason given, or not enough gas'),
  }
}

const endState = { slot: null, lease: null, due: null }

const toMined = (row: OperationRow, mined: Mined): OperationRow => ({
  ...row,
  ...endState,
  state: 'mined',
  mined,
})

const isOver = ({ state }: OperationRow): boolean =>
  state === 'mined' || state === 'failed' || state === 'credited'

const seconds = (clock: Clock): number => clock.now().getTime() / 1_000

/** True when another operation has used the nonce. */
const isNonceUsed = async (
  { reader }: SponsorChain,
  { sender, operation }: OperationRow,
): Promise<boolean> => {
  const nonce = BigInt(operation.nonce ?? 0)
  const next = await reader.readContract({
    address: entryPoint,
    abi: entryPoint08Abi,
    functionName: 'getNonce',
    args: [sender, nonce >> 64n],
  })
  return next > nonce
}

/**
 * Puts an operation away that can be carried out no more: mined by whoever had it, or a credit. One that still can stays as it is.
 * Chains and nodes that do not answer throw, and nothing is decided.
 */
export const settleEnded = async (
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  chain: SponsorChain,
  row: OperationRow,
): Promise<OperationRow> => {
  if (isOver(row)) return row
  const isLate = seconds(clock) > row.validUntil + graceSeconds
  const isUsed = await isNonceUsed(chain, row)
  if (!isLate && !isUsed) return row
  const mined = isUsed ? await findMined(chain, row) : undefined
  if (mined) return update(store, row.id, now => (isOver(now) ? now : toMined(now, mined)))
  const failure = isUsed
    ? 'Another operation used the nonce of the account.'
    : 'It was not carried out while the word of the sponsor held.'
  return update(store, row.id, now =>
    isOver(now) ? now : { ...now, ...endState, state: 'credited', failure },
  )
}

const invalid = (path: string, message: string, hint?: string): ToolError =>
  new ToolError('invalid_input', `${path}: ${message}.`, {
    issues: [{ path, message }],
    hint: hint ?? 'Nothing was sent.',
  })

/** Checks what a plain account signed to delegate: a stale one would silently be skipped by the chain. */
const checkAuthorization = async (
  row: OperationRow,
  authorization: SignedDelegation | undefined,
  transactions: number,
): Promise<SignedDelegation> => {
  const { delegate, sender, chainId } = row
  if (!authorization)
    throw invalid(
      'authorization',
      'is missing',
      'Sign the authorization of the answer (EIP-7702) and send it too. Nothing was sent.',
    )
  const { address, nonce, r, s, yParity } = authorization
  if (delegate === null || !isAddressEqual(address, delegate))
    throw invalid('authorization.address', `must be ${delegate}`)
  if (authorization.chainId !== chainId) throw invalid('authorization.chainId', `must be ${chainId}`)
  if (nonce !== transactions)
    throw invalid('authorization.nonce', `must be ${transactions}, the next one of the account`)
  const signer = await recoverAuthorizationAddress({
    authorization: { address, chainId, nonce, r, s, yParity },
  }).catch(() => undefined)
  if (signer === undefined || !isAddressEqual(signer, sender))
    throw invalid('authorization', `is not signed by ${sender}`)
  return authorization
}

/** Delegation to be sent along so that the account has its code; null where it has it already. */
const needsDelegation = async (
  { reader }: SponsorChain,
  { sender, delegate }: OperationRow,
): Promise<{ transactions: number } | null> => {
  if (delegate === null) return null
  const [code, transactions] = await Promise.all([
    reader.getCode({ address: sender }),
    reader.getTransactionCount({ address: sender }),
  ])
  const current = parseDelegate(code)
  if (current !== undefined && isAddressEqual(current, delegate)) return null
  return { transactions }
}

/** Runs the signed operation without sending it: all of it, and its calls by themselves, which may revert unseen. */
const dryRun = async (
  chain: SponsorChain,
  row: OperationRow,
  operation: SponsoredOperation,
  delegate: Hex | null,
) => {
  const hash = operationHash(operation, row.delegate ?? delegate, row.chainId)
  await tryHandleOps(chain, operation, { delegate, gas: transactionGas(operation) })
  await tryOperation(chain, operation, { hash, delegate })
}

const busy = (): ToolError =>
  new ToolError('conflict', 'This operation is being submitted by another call.', {
    reason: 'being_submitted',
    hint: 'Ask for its state with the same id.',
    next: ['gas_status'],
    retryAfter: 2,
  })

/** Takes the work on an operation; undefined where somebody else has it, or there is none. */
const takeLease = async (
  { store, clock }: Deps,
  id: string,
  change: (row: OperationRow) => OperationRow | undefined,
): Promise<OperationRow | undefined> => {
  const holder = randomUUID()
  const now = clock.now()
  const until = new Date(now.getTime() + leaseMs).toISOString()
  const row = await operationsIn(store).update(id, before => {
    if (before.lease && before.lease.until > now.toISOString()) return before
    const after = change(before)
    return after ? { ...after, lease: { holder, until }, due: until } : before
  })
  return row?.lease?.holder === holder ? row : undefined
}

class LostLease extends Error {}

/**
 * Broadcasts the operation of a record, each transaction written down before anybody has it, and waits for its block. Whoever calls
 * this holds the lease.
 */
const broadcast = async (deps: Deps, chain: SponsorChain, row: OperationRow): Promise<OperationRow> => {
  const { store, clock } = deps
  const operation = fromWire(row.operation)
  const { wallet, chain: edge } = chain
  const onSigned = async ({ hash, serialized }: SignedTransaction) => {
    const due = new Date(clock.now().getTime() + leaseMs).toISOString()
    const written = await update(store, row.id, now =>
      now.lease?.holder === row.lease?.holder
        ? { ...now, state: 'submitted', transactions: [...now.transactions, { hash, serialized }], due }
        : now,
    )
    if (written.lease?.holder !== row.lease?.holder) throw new LostLease('another process went on with it')
  }
  const { authorization } = row
  const hash = await wallet.send({
    to: entryPoint,
    data: handleOps(operation, wallet.address),
    gas: transactionGas(operation),
    fees: { maxFeePerGas: operation.maxFeePerGas, maxPriorityFeePerGas: operation.maxPriorityFeePerGas },
    idempotent: true,
    ...(authorization && (await needsDelegation(chain, row)) && { authorizationList: [authorization] }),
    onSigned,
  })
  const receipt = await edge.confirm(hash, confirmMs)
  return receipt ? finish(deps, chain, row.id, receipt) : loadOperation(store, row.id)
}

/** Writes down what a transaction did. One that reverted carried nothing out: somebody else may have, or nobody can. */
const finish = async (
  { store }: Deps,
  chain: SponsorChain,
  id: string,
  receipt: TransactionReceipt,
): Promise<OperationRow> => {
  const row = await loadOperation(store, id)
  const mined = readMined(receipt, row.userOpHash) ?? (await findMined(chain, row))
  if (mined) return update(store, id, now => (isOver(now) ? now : toMined(now, mined)))
  const failure = 'The transaction that carried it was reverted by the chain.'
  return update(store, id, now => (isOver(now) ? now : { ...now, ...endState, state: 'failed', failure }))
}

const rebroadcast = async ({ reader }: SponsorChain, serialized: Hex): Promise<void> => {
  await reader.request({ method: 'eth_sendRawTransaction', params: [serialized] }).catch(() => undefined)
}

/** Goes on with an operation that somebody began to submit, and that no process works on now. */
const resume = async (deps: Deps, id: string): Promise<OperationRow> => {
  const { store, chains } = deps
  const before = await loadOperation(store, id)
  if (isOver(before)) return before
  const chain = await chains.open(requireGasNetwork(before.chainId))
  for (const { hash } of [...before.transactions].reverse()) {
    const receipt = await chain.reader.getTransactionReceipt({ hash }).catch(() => undefined)
    if (receipt) return finish(deps, chain, id, receipt)
  }
  const row = await settleEnded(deps, chain, before)
  if (isOver(row) || row.state === 'paid') return row
  const leased = await takeLease(deps, id, now => (isOver(now) ? undefined : now))
  if (!leased) return row
  const last = leased.transactions.at(-1)
  if (last) {
    await rebroadcast(chain, last.serialized)
    const receipt = await chain.chain.confirm(last.hash, 5_000)
    if (receipt) return finish(deps, chain, id, receipt)
    const isThere = await chain.reader.getTransaction({ hash: last.hash }).then(
      () => true,
      () => false,
    )
    if (isThere || leased.transactions.length >= maxTransactions) return leased
  }
  return broadcast(deps, chain, leased).catch(() => loadOperation(store, id))
}

/** Fields of an operation for a caller. */
export const toStatus = (row: OperationRow) => {
  const { id, state, chainId, userOpHash, mined, paid, validUntil, transactions, failure } = row
  return {
    id,
    state,
    chainId,
    user_op_hash: state === 'credited' && userOpHash === '0x' ? null : userOpHash,
    transaction_hash: mined?.transactionHash ?? transactions.at(-1)?.hash ?? null,
    success: mined?.success ?? null,
    block_number: mined?.blockNumber ?? null,
    gas_used: mined?.gasUsed ?? null,
    gas_cost_wei: mined?.gasCostWei ?? null,
    revert_reason: mined?.revertReason ?? null,
    credit: state === 'credited' ? formatUsd(BigInt(paid)) : null,
    expires_at: validUntil === 0 ? null : new Date(validUntil * 1_000).toISOString(),
    detail: failure,
  }
}

const creditedError = (row: OperationRow): ToolError =>
  new ToolError('conflict', `This operation was not carried out: ${row.failure ?? 'its time is over.'}`, {
    reason: 'credited',
    params: { id: row.id, credit: formatUsd(BigInt(row.paid)) },
    hint: `Send sender and calls, or userOperation, with "id": "${row.id}": what was paid counts for the new quote.`,
  })

/** Submits a sponsored operation that its owner has signed. The same id again gets the same answer. */
export const submitOperation = async (
  deps: Deps,
  {
    id,
    signature,
    authorization,
  }: { id: string; signature: Hex; authorization: SignedDelegation | undefined },
): Promise<OperationRow> => {
  const { store, chains } = deps
  const stored = await loadOperation(store, id)
  if (stored.state === 'mined' || stored.state === 'failed') return stored
  if (stored.state === 'submitting' || stored.state === 'submitted') return resume(deps, id)
  const chain = await chains.open(requireGasNetwork(stored.chainId))
  const row = await settleEnded(deps, chain, stored)
  if (row.state === 'mined') return row
  if (row.state === 'credited') throw creditedError(row)
  if (seconds(deps.clock) > row.validUntil)
    throw new ToolError(
      'conflict',
      'The word of the sponsor is over; what was paid becomes a credit in a moment.',
      {
        reason: 'expired',
        hint: `Send the request again with "id": "${id}" in half a minute. Nothing was sent.`,
        retryAfter: graceSeconds,
      },
    )
  const operation: SponsoredOperation = { ...fromWire(row.operation), signature }
  const missing = await needsDelegation(chain, row)
  const checked = missing ? await checkAuthorization(row, authorization, missing.transactions) : null
  await dryRun(chain, row, operation, missing ? row.delegate : null)
  const leased = await takeLease(deps, id, now =>
    now.state === 'paid'
      ? { ...now, state: 'submitting', operation: toWire(operation), authorization: checked }
      : undefined,
  )
  if (!leased) {
    const now = await loadOperation(store, id)
    if (isOver(now) || now.state === 'submitted' || now.state === 'submitting') return now
    throw busy()
  }
  try {
    return await broadcast(deps, chain, leased)
  } catch (error) {
    if (error instanceof LostLease) return loadOperation(store, id)
    const now = await loadOperation(store, id)
    // Written down and perhaps broadcast: it is gone on with until its time is over.
    if (now.transactions.length > 0) return now
    await update(store, id, each =>
      each.lease?.holder === leased.lease?.holder && each.transactions.length === 0
        ? { ...each, state: 'paid', lease: null }
        : each,
    )
    throw new ToolError('upstream', `${chain.network.title} does not take the operation just now.`, {
      hint: 'Nothing was sent. Send the same id and signature again in a few seconds.',
      retryAfter: 5,
      cause: new Error(error instanceof Error ? error.name : 'unknown failure'),
    })
  }
}

/** Reads the status of an operation, by its id or by its hash. Resumes it where nobody else does. */
export const readStatus = async (
  deps: Deps,
  { id, userOpHash }: { id?: string | undefined; userOpHash?: string | undefined },
): Promise<OperationRow> => {
  if (id !== undefined) {
    const row = await loadOperation(deps.store, id)
    return isOver(row) ? row : resume(deps, row.id)
  }
  const { rows } = await operationsIn(deps.store).find({
    index: 'userOpHash',
    where: { userOpHash: (userOpHash ?? '').toLowerCase() },
    limit: 10,
  })
  // What is not on the chain is the buyer's, who has the id.
  const row = rows.find(({ state }) => state === 'mined')
  if (row) return row
  throw new ToolError('not_found', 'No sponsored operation with this hash is on the chain.', {
    hint: 'Ask by the id of the answer that sold it.',
  })
}

/** Looks at every operation whose turn it is: goes on with what was begun, and puts away what is over. */
export const resumeDue = async (deps: Deps, signal: AbortSignal): Promise<void> => {
  const { rows } = await operationsIn(deps.store).find({
    index: 'due',
    where: { due: { gt: '', lt: deps.clock.now().toISOString() } },
    limit: 50,
  })
  for (const { id } of rows) {
    if (signal.aborted) return
    await resume(deps, id).catch(() => undefined)
  }
}
