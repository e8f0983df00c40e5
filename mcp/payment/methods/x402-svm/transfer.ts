import { createHash } from 'node:crypto'
import { tokenProgram } from '../../../ports/solnet/network.ts'
import { type Instruction, readTransaction } from '../../../ports/solnet/transaction.ts'
import type { Attempt } from '../../method.ts'
import { hasAccountSignature } from './signed-text.ts'

/** The one token transfer of a transaction that a payer has signed and the fee payer has not. */
export type SvmTransfer = {
  /** The transaction, base64. */
  wire: string
  /** SHA-256 of what was signed, hex: it makes the authorization unique. */
  hash: string
  payer: string
  feePayer: string
  mint: string
  /** Token accounts. */
  source: string
  destination: string
  amount: bigint
  /** Place of the transfer among the instructions. */
  index: number
  blockhash: string
}

const transferChecked = 12
// 1,232 bytes in base64.
const maxText = 1_644

const isTransfer = ({ program, data, accounts }: Instruction): boolean =>
  program === tokenProgram && data.length === 10 && data[0] === transferChecked && accounts.length >= 4

/** The transfer in the transaction that an attempt brings; undefined when it is none, or more than one. */
export const readTransfer = ({ data }: Attempt): SvmTransfer | undefined =>
  typeof data.transaction === 'string' ? parseTransfer(data.transaction) : undefined

/** True when the payer's own signature is there and holds; that of the fee payer is still to come. */
export const isSignedByPayer = ({ wire, payer }: SvmTransfer): boolean => {
  const transaction = readTransaction(Buffer.from(wire, 'base64'))
  const at = transaction?.accounts.indexOf(payer) ?? -1
  const signature = transaction?.signatures[at]
  return (
    transaction !== undefined &&
    signature !== undefined &&
    hasAccountSignature(payer, transaction.message, signature)
  )
}

/** The one token transfer of a transaction, base64; undefined when there is none, or more than one. */
export const parseTransfer = (text: string): SvmTransfer | undefined => {
  if (text.length > maxText || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  const transaction = readTransaction(bytes)
  if (!transaction) return undefined
  const { instructions, message, blockhash, accounts } = transaction
  const transfers = instructions.filter(isTransfer)
  const [transfer] = transfers
  if (!transfer || transfers.length > 1) return undefined
  const [source, mint, destination, payer] = transfer.accounts
  const [feePayer] = accounts
  if (!source || !mint || !destination || !payer || !feePayer) return undefined
  return {
    wire: bytes.toString('base64'),
    hash: createHash('sha256').update(message).digest('hex'),
    payer,
    feePayer,
    mint,
    source,
    destination,
    amount: transfer.data.readBigUInt64LE(1),
    index: instructions.indexOf(transfer),
    blockhash,
  }
}
