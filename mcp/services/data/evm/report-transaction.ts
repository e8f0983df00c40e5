import { z } from 'zod'
import { findMethod } from '../../../lib/evm-signatures.ts'
import type { About, Note } from '../meta.ts'
import { type CallChain, orNullIfUnanswered } from './chain.ts'
import { computeFee, describeType, readTransactionOutcome } from './outcome.ts'
import { formatCoins, gwei, Quantity } from './quantity.ts'
import { findRevertReason } from './revert.ts'
import type { Transaction, TransactionReceipt, TransactionRecord } from './transaction.ts'
import type { TransactionFields } from './transaction-fields.ts'
import { findTokenTransfers, maxTransfers } from './transfers.ts'

export type TransactionReport = z.output<typeof TransactionFields> & { about: About }

const Block = z.object({ number: Quantity, hash: z.string().nullish(), timestamp: Quantity })

const note = (when: boolean, code: string, message: string): Note[] => (when ? [{ code, message }] : [])

const orNull = <T, R>(value: T | null | undefined, to: (value: T) => R): R | null =>
  value === null || value === undefined ? null : to(value)

/** The fields of a transaction that a chain does not know. */
export const unknownTransaction = (chain: CallChain, hash: string): Omit<TransactionReport, 'about'> => ({
  transaction_hash: hash,
  chain: chain.name,
  chain_id: chain.id,
  status: 'not_found',
  found_on: null,
  block: null,
  block_hash: null,
  timestamp: null,
  confirmations: null,
  finalized: null,
  type: null,
  type_name: null,
  from: null,
  to: null,
  contract_created: null,
  nonce: null,
  value_native: null,
  value_wei: null,
  symbol: chain.coin.symbol,
  gas_used: null,
  gas_limit: null,
  effective_gas_price_gwei: null,
  fee_native: null,
  fee_wei: null,
  l1_fee_native: null,
  method: null,
  method_id: null,
  revert_reason: null,
  transfers: [],
  transfer_count: 0,
})

/** Facts of the transaction itself, mined or not. */
const askedFor = (transaction: Transaction | null) => {
  if (!transaction) return {}
  const { from, to, nonce, value, gas, input, type } = transaction
  const method = to ? findMethod(input) : null
  return {
    ...describeType(type),
    from,
    to: to ?? null,
    nonce: orNull(nonce, Number),
    value_native: formatCoins(value),
    value_wei: String(value),
    gas_limit: Number(gas),
    method: method?.name ?? method?.id ?? null,
    method_id: method?.id ?? null,
  }
}

/** A transaction with a number that the sender has used for another one will never be mined. */
const pending = async (chain: CallChain, { from, nonce }: Transaction): Promise<Note[]> => {
  const next = await orNullIfUnanswered(chain.read(Quantity, 'eth_getTransactionCount', [from, 'latest']))
  return note(
    next !== null && nonce !== null && nonce !== undefined && next > nonce,
    'replaced',
    'The sender has used this nonce for another transaction: this one will not be mined.',
  )
}

const toHex = (number: bigint): string => `0x${number.toString(16)}`

/** Reads the place of a transaction's block among the others. */
const readBlockPlace = async (chain: CallChain, { blockNumber, blockHash }: TransactionReceipt) => {
  const block = (which: string) =>
    orNullIfUnanswered(chain.readOrNull(Block.nullable(), 'eth_getBlockByNumber', [which, false]))
  const [own, latest, finalized] = await Promise.all([
    block(toHex(blockNumber)),
    orNullIfUnanswered(chain.read(Quantity, 'eth_blockNumber', [])),
    block('finalized'),
  ])
  const isOther = own?.hash !== null && own?.hash !== undefined && own.hash !== blockHash
  return {
    fields: {
      block: Number(blockNumber),
      block_hash: blockHash,
      timestamp: own && !isOther ? new Date(Number(own.timestamp) * 1000).toISOString() : null,
      confirmations: latest === null ? null : Math.max(1, Number(latest - blockNumber) + 1),
      finalized: finalized === null ? null : finalized.number >= blockNumber,
    },
    warnings: note(
      isOther,
      'reorganised',
      'The chain has another block at this height now: the transaction may have to be mined again.',
    ),
  }
}

const describeMined = async (
  chain: CallChain,
  receipt: TransactionReceipt,
  transaction: Transaction | null,
) => {
  const status = await readTransactionOutcome(chain, receipt, transaction)
  const isFailed = status === 'failed' && transaction
  const [place, transfers, reason] = await Promise.all([
    readBlockPlace(chain, receipt),
    findTokenTransfers(chain, receipt.logs),
    isFailed ? findRevertReason(chain, transaction, receipt) : null,
  ])
  const fee = computeFee(receipt, transaction)
  const price = receipt.effectiveGasPrice ?? transaction?.gasPrice
  const isCharged = (receipt.operatorFeeScalar ?? 0n) > 0n || (receipt.operatorFeeConstant ?? 0n) > 0n
  return {
    fields: {
      ...describeType(transaction?.type ?? receipt.type),
      from: receipt.from,
      to: receipt.to ?? null,
      ...place.fields,
      status,
      contract_created: receipt.contractAddress ?? null,
      gas_used: Number(receipt.gasUsed),
      effective_gas_price_gwei: orNull(price, gwei),
      fee_native: orNull(fee, formatCoins),
      fee_wei: orNull(fee, String),
      l1_fee_native: orNull(receipt.l1Fee, formatCoins),
      revert_reason: reason,
      transfers: transfers.transfers,
      transfer_count: transfers.count,
    },
    truncated: transfers.count > maxTransfers,
    warnings: [
      ...place.warnings,
      ...note(
        isCharged,
        'operator_fee',
        'The chain also takes an operator fee, which the fee here leaves out.',
      ),
      ...note(
        status === null,
        'outcome_unknown',
        'The receipt is older than outcomes in receipts (Byzantium).',
      ),
      ...note(status === 'failed' && reason === null, 'reason_unknown', 'Why it failed cannot be found out.'),
    ],
  }
}

/** All that a chain tells of a transaction that it knows. */
export const reportTransaction = async (
  chain: CallChain,
  hash: string,
  record: TransactionRecord,
): Promise<TransactionReport> => {
  const { transaction, receipt } = record
  const base = { ...unknownTransaction(chain, hash), found_on: chain.name, ...askedFor(transaction) }
  if (receipt) {
    const { fields, warnings, truncated } = await describeMined(chain, receipt, transaction)
    return { ...base, ...fields, about: { sources: chain.sources(), warnings, truncated } }
  }
  if (transaction && !orNull(transaction.blockNumber, () => true)) {
    const warnings = await pending(chain, transaction)
    return { ...base, status: 'pending', about: { sources: chain.sources(), warnings } }
  }
  const warnings = note(true, 'receipt_unknown', 'It is in a block, but no node has its receipt yet.')
  const block = orNull(transaction?.blockNumber, Number)
  const blockHash = transaction?.blockHash ?? null
  return {
    ...base,
    status: null,
    block,
    block_hash: blockHash,
    about: { sources: chain.sources(), warnings },
  }
}
