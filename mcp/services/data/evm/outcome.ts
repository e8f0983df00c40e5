import type { Hex } from 'viem'
import { type CallChain, orNullIfUnanswered } from './chain.ts'
import { Bytes } from './quantity.ts'
import type { Transaction, TransactionReceipt } from './transaction.ts'

const plainGas = 21_000n

const hasCode = async (chain: CallChain, address: Hex): Promise<boolean | null> => {
  const code = await orNullIfUnanswered(chain.read(Bytes, 'eth_getCode', [address, 'latest']))
  return code === null ? null : code !== '0x'
}

/**
 * How a mined transaction ended. Receipts from before Byzantium (2017) do not say: then what failed had used all its gas, so
 * gas that is left proves success, and a plain transfer to a wallet cannot fail.
 */
export const readTransactionOutcome = async (
  chain: CallChain,
  receipt: TransactionReceipt,
  transaction: Transaction | null,
): Promise<'success' | 'failed' | null> => {
  const { status, gasUsed } = receipt
  if (status !== null && status !== undefined) return status === 0n ? 'failed' : 'success'
  if (!transaction) return null
  if (gasUsed < transaction.gas) return 'success'
  const isPlain = transaction.input === '0x' && transaction.gas === plainGas && transaction.to
  return isPlain && (await hasCode(chain, isPlain)) === false ? 'success' : null
}

/** Wei a mined transaction cost: gas, blobs, and on the OP Stack its data on Ethereum. Null where it is not told. */
export const computeFee = (receipt: TransactionReceipt, transaction: Transaction | null): bigint | null => {
  const price = receipt.effectiveGasPrice ?? transaction?.gasPrice ?? null
  if (price === null) return null
  const blobs = (receipt.blobGasUsed ?? 0n) * (receipt.blobGasPrice ?? 0n)
  return receipt.gasUsed * price + blobs + (receipt.l1Fee ?? 0n)
}

const names: Readonly<Record<string, string>> = {
  '0x0': 'legacy',
  '0x1': 'with an access list (EIP-2930)',
  '0x2': 'with a priority fee (EIP-1559)',
  '0x3': 'with blobs (EIP-4844)',
  '0x4': 'sets the code of wallets (EIP-7702)',
  '0x64': 'deposit from Ethereum (Arbitrum)',
  '0x65': 'unsigned call from Ethereum (Arbitrum)',
  '0x66': 'call of a contract on Ethereum (Arbitrum)',
  '0x68': 'retry of a ticket (Arbitrum)',
  '0x69': 'submission of a ticket (Arbitrum)',
  '0x6a': 'internal (Arbitrum)',
  '0x7e': 'deposit from Ethereum (OP Stack)',
  '0x7f': 'state sync (Polygon)',
}

/** The type of a transaction and what it is; transactions without one are legacy. */
export const describeType = (type: string | null | undefined): { type: string; type_name: string | null } => {
  const code = type ?? '0x0'
  return { type: code, type_name: Object.hasOwn(names, code) ? (names[code] ?? null) : null }
}
