import {
  type Address,
  formatUnits,
  type Hash,
  type PublicClient,
  type Transaction,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
} from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import type { Stablecoin } from '../../../lib/stablecoins.ts'
import type { Evm, EvmNetwork } from '../../../ports/evm/port.ts'
import { onChain, openReader, questionGas } from '../stablecoin/reader.ts'
import { readRevert } from '../stablecoin/revert.ts'
import type { Meaning } from './meaning.ts'
import { readMovements, type UsdcMovement } from './movements.ts'
import { readLogMeanings, readMethod, readOperations } from './read-meaning.ts'

/** Expected payment of a transaction. */
export type Expected = { payTo: Address; amount: bigint }

/** Movements told of. */
const maxPayments = 50

const orNull = async <T>(work: Promise<T>, kind: new (...args: never[]) => Error): Promise<T | null> => {
  try {
    return await onChain(work)
  } catch (problem) {
    if (problem instanceof kind) return null
    throw problem
  }
}

const usdc = (amount: bigint): string => `${formatUnits(amount, 6)} USDC`

/** Runs a failed transaction again on the block before its own; null where nobody can tell why it failed. */
const findRevert = async (reader: PublicClient, transaction: Transaction): Promise<string | null> => {
  const { from, to, input, value, blockNumber } = transaction
  if (!to || blockNumber === null || blockNumber === 0n) return null
  try {
    await onChain(
      reader.call({ account: from, to, data: input, value, gas: questionGas, blockNumber: blockNumber - 1n }),
    )
    return null
  } catch (problem) {
    if (problem instanceof ToolError && problem.code !== 'upstream') throw problem
    return readRevert(problem)
  }
}

type Status = 'success' | 'reverted' | 'pending' | 'not_found'

const judge = (
  { payTo, amount }: Expected,
  status: Status,
  movements: readonly UsdcMovement[],
): { satisfied: boolean; reason: string } => {
  const no = (reason: string) => ({ satisfied: false, reason })
  if (status === 'not_found') return no('The chain does not know the transaction.')
  if (status === 'pending') return no('The transaction is not in a block yet.')
  if (status === 'reverted') return no('The transaction reverted: nothing was paid.')
  if (movements.length === 0) return no('The transaction moved no USDC.')
  const toPayee = movements.filter(({ to }) => to === payTo)
  if (toPayee.length === 0) return no(`The transaction paid ${movements[0]?.to}, not ${payTo}.`)
  const paid = toPayee.reduce((sum, movement) => sum + movement.amount, 0n)
  if (toPayee.some(movement => movement.amount === amount) || paid === amount)
    return { satisfied: true, reason: `${usdc(amount)} reached ${payTo}.` }
  return no(`${usdc(paid)} reached ${payTo}; ${usdc(amount)} were expected.`)
}

const toWords = (
  status: Status,
  movements: readonly UsdcMovement[],
  meaning: readonly Meaning[],
  revert: string | null,
): string => {
  if (status === 'not_found')
    return 'The chain does not know this transaction: it may be of another chain, or was never sent.'
  if (status === 'pending') return 'The transaction waits to be put into a block. Do not pay again.'
  if (status === 'reverted') return `The transaction reverted and paid nothing${revert ? `: ${revert}` : ''}.`
  const [first] = movements
  if (!first)
    return meaning.includes('cancellation')
      ? 'An authorization was cancelled. Nothing was paid.'
      : 'The transaction succeeded and moved no USDC.'
  const more = movements.length > 1 ? `, and ${movements.length - 1} more transfers` : ''
  return `${first.from} paid ${usdc(first.amount)} to ${first.to}${first.nonce ? ' by a signed authorization' : ''}${more}.`
}

/** Tells what a transaction paid to whom, why it failed, and whether it is what was expected. */
export const explainPayment = async (
  { evm, signal }: { evm: Evm; signal: AbortSignal },
  { coin, chain }: { coin: Stablecoin; chain: EvmNetwork },
  hash: Hash,
  expected: Expected | undefined,
) => {
  const reader = openReader(evm, chain, signal)
  const [transaction, receipt] = await Promise.all([
    orNull(reader.getTransaction({ hash }), TransactionNotFoundError),
    orNull(reader.getTransactionReceipt({ hash }), TransactionReceiptNotFoundError),
  ])
  const settled: Status | undefined = receipt?.status
  const status: Status = settled ?? (transaction ? 'pending' : 'not_found')
  const logs = receipt?.logs ?? []
  const movements = readMovements(logs, coin)
  const method = transaction ? readMethod(transaction.input) : undefined
  const operations = readOperations(logs)
  const meaning = [
    ...new Set<Meaning>([
      ...(movements.some(({ nonce }) => nonce !== null) ? (['x402_payment'] as const) : []),
      ...(operations.length > 0 ? (['user_operations'] as const) : []),
      ...readLogMeanings(logs, coin.address),
      ...(method ? [method.meaning] : []),
    ]),
  ]
  const revert = status === 'reverted' && transaction ? await findRevert(reader, transaction) : null
  return {
    chainId: coin.chainId,
    transaction: hash,
    status,
    explanation: toWords(status, movements, meaning, revert),
    block: receipt ? String(receipt.blockNumber) : null,
    from: transaction?.from ?? receipt?.from ?? null,
    to: transaction?.to ?? receipt?.to ?? null,
    method: method?.name ?? null,
    meaning,
    payments: movements
      .slice(0, maxPayments)
      .map(({ from, to, amount, nonce }) => ({ from, to, amount: String(amount), authorization: nonce })),
    payment_count: movements.length,
    operations: operations.slice(0, maxPayments),
    revert_reason: revert,
    expect: expected ? judge(expected, status, movements) : null,
  }
}
