import { z } from 'zod'
import type { CallChain } from './chain.ts'
import { Bytes, ChecksumAddress, Quantity } from './quantity.ts'

/** A transaction of any type, as nodes of all five chains tell it. */
const Transaction = z.object({
  blockNumber: Quantity.nullish(),
  blockHash: z.string().nullish(),
  from: ChecksumAddress,
  to: ChecksumAddress.nullish(),
  nonce: Quantity.nullish(),
  value: Quantity,
  gas: Quantity,
  gasPrice: Quantity.nullish(),
  input: Bytes,
  type: z.string().nullish(),
})

/** A transaction may have thousands of logs; only what is shown of them is given checksums. */
const Log = z.object({
  address: z.string().regex(/^0x[0-9a-f]{40}$/i),
  topics: z.array(z.string().regex(/^0x[0-9a-f]{64}$/i)),
  data: Bytes,
})

/** `status` came with Byzantium; the fees for data are those of the OP Stack, blobs those of Ethereum. */
const Receipt = z.object({
  blockNumber: Quantity,
  blockHash: z.string(),
  from: ChecksumAddress,
  to: ChecksumAddress.nullish(),
  contractAddress: ChecksumAddress.nullish(),
  gasUsed: Quantity,
  effectiveGasPrice: Quantity.nullish(),
  status: Quantity.nullish(),
  logs: z.array(Log),
  type: z.string().nullish(),
  l1Fee: Quantity.nullish(),
  blobGasUsed: Quantity.nullish(),
  blobGasPrice: Quantity.nullish(),
  operatorFeeScalar: Quantity.nullish(),
  operatorFeeConstant: Quantity.nullish(),
})

export type Transaction = z.output<typeof Transaction>
export type EventLog = z.output<typeof Log>
export type TransactionReceipt = z.output<typeof Receipt>

/** A transaction that a chain knows. Either half may be missing: nodes learn of them one after the other. */
export type TransactionRecord = { transaction: Transaction | null; receipt: TransactionReceipt | null }

/** The transaction of a hash; null when the chain does not know it, which two nodes have to say. */
export const findTransaction = async (chain: CallChain, hash: string): Promise<TransactionRecord | null> => {
  const sure = { confirmNull: true }
  const [transaction, receipt] = await Promise.all([
    chain.read(Transaction.nullable(), 'eth_getTransactionByHash', [hash], sure),
    chain.read(Receipt.nullable(), 'eth_getTransactionReceipt', [hash]),
  ])
  if (receipt || !transaction) return receipt ? { transaction, receipt } : null
  if (transaction.blockNumber === null || transaction.blockNumber === undefined)
    return { transaction, receipt }
  const minedReceipt = await chain.read(Receipt.nullable(), 'eth_getTransactionReceipt', [hash], sure)
  return { transaction, receipt: minedReceipt }
}
