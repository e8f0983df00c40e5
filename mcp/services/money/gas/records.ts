import { createHash, randomBytes } from 'node:crypto'
import { collection } from '../../../kernel/collection.ts'
import { ToolError } from '../../../kernel/error.ts'
import type { Tx } from '../../../ports/store/port.ts'
import type { WireOperation } from './operation.ts'

type Hex = `0x${string}`

/**
 * What a sponsored operation is at: `paid` (its owner is to sign it) → `submitting` → `submitted` (a transaction is written down, and
 * broadcast) → `mined`. `failed` was carried out by nobody although it was submitted. `credited` was not: its money pays for
 * another operation of the same account.
 */
export type OperationState = 'paid' | 'submitting' | 'submitted' | 'mined' | 'failed' | 'credited'

/** Delegation that the owner of a plain account signs (EIP-7702). */
export type SignedDelegation = {
  address: Hex
  chainId: number
  nonce: number
  r: Hex
  s: Hex
  yParity: number
}

/** How an operation ended on the chain. */
export type Mined = {
  transactionHash: Hex
  blockNumber: string
  /** False when its calls reverted: its gas is used all the same. */
  success: boolean
  gasUsed: string
  gasCostWei: string
  revertReason: string | null
}

/** The record of one operation that was paid for. Its id is known to its buyer only. */
export type OperationRow = {
  id: string
  state: OperationState
  chainId: number
  sender: Hex
  /** Chain, sender and nonce, while nothing else may be sponsored there; null afterwards. */
  slot: string | null
  userOpHash: Hex
  /** With the word of the sponsor, and the signature of the owner once that is there. */
  operation: WireOperation
  delegate: Hex | null
  authorizationNonce: number
  authorization: SignedDelegation | null
  capWei: string
  /** Sum paid for it in all, in the smallest unit of USDC: what it is worth where it is not carried out. */
  paid: string
  /** Unix seconds at which the word of the sponsor ends. */
  validUntil: number
  /** The block of its sale: what happened to it happened later. */
  sinceBlock: string
  /** Transactions that may carry it, oldest first; written before they are broadcast. */
  transactions: readonly { hash: Hex; serialized: Hex }[]
  /** Worker on it, and until when nobody else works on it. */
  lease: { holder: string; until: string } | null
  /** When it is to be looked at next; null once it has ended. */
  due: string | null
  mined: Mined | null
  /** Why it is `credited` or `failed`. */
  failure: string | null
  created: string
}

/** A draft of an operation, as it was quoted. */
export type StoredDraft = {
  operation: WireOperation
  delegate: Hex | null
  current: Hex | null
  authorizationNonce: number
  capWei: string
  price: string
  at: string
}

/** Quotes for one request. */
export type QuoteRow = {
  id: string
  drafts: readonly StoredDraft[]
  /** The lowest price that was quoted in its time. */
  lowest: string
  expires: string
}

const operationIndexes = [
  { name: 'slot', fields: ['slot'], unique: true },
  { name: 'userOpHash', fields: ['userOpHash'] },
  { name: 'due', fields: ['due'] },
]

export const operationsIn = collection<OperationRow>({
  name: 'money.gas.operations',
  indexes: operationIndexes,
  archive: { afterHours: 24 },
  bounded: 'As many as were paid for.',
})

export const quotesIn = collection<QuoteRow>({
  name: 'money.gas.quotes',
  indexes: [{ name: 'expires', fields: ['expires'] }],
  budget: {
    what: 'gas quotes',
    network: { rows: 1000, bytes: 4 << 20 },
    allBytes: 32 << 20,
    ends: 'A quote ends by itself within minutes.',
  },
})

export const newOperationId = (): string => `gas_${randomBytes(16).toString('hex')}`

/** The name of what one operation may take: the nonce of an account on a chain. */
export const toSlot = (chainId: number, sender: Hex, nonce: Hex): string =>
  `${chainId}|${sender.toLowerCase()}|${nonce}`

/** The name of a request, by everything that it says. */
export const toRequestKey = (request: object): string =>
  createHash('sha256')
    .update(JSON.stringify(request, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
    .digest('hex')

/** The refusal of an id that is none, or somebody else's: nobody learns which. */
export const noOperation = (): ToolError =>
  new ToolError('not_found', 'There is no such sponsored operation.', {
    hint: 'Use the id of the answer that sold it, or the operation as it was sold.',
    next: ['gas_sponsor'],
  })

/** The operation of an id. Throws `not_found`. */
export const loadOperation = async (tx: Pick<Tx, 'collection'>, id: string): Promise<OperationRow> => {
  const row = await operationsIn(tx).get(id)
  if (row) return row
  throw noOperation()
}
