import type { Index } from '../../../store/index.ts'
import { collection as declareCollection } from '../../kernel/collection.ts'
import { tellPeople } from '../../kernel/inbox.ts'
import type { Receipt } from '../../kernel/tool.ts'
import { canonicalAddress } from '../../lib/chain-address.ts'
import type { KeyHolder } from '../../ports/keys/port.ts'
import type { Tx } from '../../ports/store/port.ts'
import type { Fee } from '../method.ts'
import type { Rate } from '../rates.ts'

/**
 * Who sent a payment that anybody can read off the chain once it is settled, in digests: the network address, and what only the
 * sender knows. `until` is set by a claim: from this address it may be sent again until then.
 */
export type Sender = { address: string; secrets: readonly string[]; until?: string }

/**
 * What a payment is at: `reserved` (being worked on; money may move) → `pending` (sent, not confirmed) → `paid` (the
 * money is here, the work is not) → `done`. `failed` moved no money. `owed` was paid and its work failed; it may be
 * tried again for ever, or given back: `refunding` → `refunded`. Where a chain takes a transfer back, the record is
 * `pending` again; `lost` was answered, and its money can never come.
 */
export type PaymentState =
  | 'reserved'
  | 'pending'
  | 'paid'
  | 'done'
  | 'failed'
  | 'owed'
  | 'refunding'
  | 'refunded'
  | 'lost'

/** The record of one payment. `id` is the digest of the payload; the authorization itself is never here in clear. */
export type PaymentRow = {
  id: string
  /** The 128-bit id that the buyer's receipt has. */
  receipt: string
  state: PaymentState
  /** Digest of the authorization, unique among records that hold it; null once the record has failed. */
  claim: string | null
  /** Digest of service, tool, caller and input: the one call that this payment pays. */
  request: string
  service: string
  tool: string
  settle: 'before' | 'after'
  /** Id of the method that moved the money; '' in records that were made before there were several on a network. */
  method: string
  /** Dialect and form that framed it. */
  dialect: string
  form?: string | null
  /** Its sender, where nothing in the payment itself tells its payer from others; null where that does. */
  sender?: Sender | null
  /** Whose account called, where a credential told: it hears of a debt, whoever paid. */
  caller?: KeyHolder
  /** The id of the HTTP request that brought it first; absent in older records and where none was known. */
  requestId?: string
  network: string
  asset: string
  payTo: string
  /** Its service follows the money in a row of its own, such as through a contract; absent elsewhere. */
  isFollowed?: true
  /** Atomic units. */
  amount: string
  payer: string
  transaction: string | null
  /** Host of the facilitator elsewhere that took it; absent where it was settled here. */
  facilitator?: string
  log: string | null
  /** Its money came for no call that it was signed for: it is owed to whoever paid, and serves nothing but that call. */
  isStray?: true
  /** The transfer was spent by something else, so that nothing may run for it. */
  spentElsewhere: boolean
  /** State of the record when the chain took its transfer back; null where it did not. */
  reverted: 'paid' | 'done' | 'owed' | null
  /** When to look again whether the transfer is still on the chain, and when for the last time; null when never. */
  watch: string | null
  watchEnd: string | null
  /** JSON of the offer that was paid, and the payload, encrypted, until its outcome is known and stays. */
  offer: string
  sealed: string | null
  /** JSON of the answer; null before it is there and where it may not be kept. */
  answer: string | null
  /** Its payer has an account here, whose inbox says that it is owed. */
  isTold?: true
  /** JSON of the refusal that the payment was answered with, where its money became something else; absent otherwise. */
  refusal?: string | null
  /** Its runner and the end of the lease; null when nobody works on it. */
  runner: string | null
  lease: string | null
  /** Rate that converted the price; null where none did. */
  rate: Rate | null
  /** Absent where this installation paid none, or nobody said. */
  fee?: Fee
  /** The transaction of the refund. */
  refund: string | null
  /** The payer's destination for it, while it is sent there. */
  refundTo?: string | null
  /** The method's note of a refund before it sent it; absent while it has sent none. */
  refundNote?: string | null
  created: string
  updated: string
}

const collection = 'payment.records'

export const paymentIndexes: readonly Index[] = [
  { name: 'claim', fields: ['claim'], unique: true },
  { name: 'receipt', fields: ['receipt'], unique: true },
  { name: 'state', fields: ['state', 'updated'] },
  { name: 'watch', fields: ['watch'] },
]

/** Of a payment that is a day old hardly anything is asked. */
const archive = { afterHours: 24 }

export const paymentRows = declareCollection<PaymentRow>({
  name: collection,
  indexes: paymentIndexes,
  archive,
  bounded: 'One for each signed authorization that was good; dropped after 30 days where no money moved.',
})

/** Proof of a settled payment. */
export const receiptFrom = ({ receipt, method, network, transaction, payer, rate }: PaymentRow): Receipt => ({
  id: receipt,
  method,
  network,
  transaction: transaction ?? '',
  payer,
  ...(rate && { rate }),
})

/** The states in which money has come in and is still here. */
export const settledStates = ['paid', 'owed', 'done', 'refunding'] as const satisfies readonly PaymentState[]

/** Money has come in and is still here. */
export const isSettled = ({ state }: PaymentRow): boolean => settledStates.some(settled => settled === state)

/** A record as owed, once told to the inboxes of the account that called, and of the one that its payer's wallet belongs to. */
export const toOwed = async (tx: Tx, row: PaymentRow): Promise<PaymentRow> => {
  const { isTold, caller, network, payer, service, tool, receipt, amount, asset } = row
  if (!isTold) {
    const wallet = { prefix: '', holder: `${network}:${canonicalAddress(payer)}` }
    const data = { service, tool, amount, asset, network }
    // The money is here, so that telling it is in nobody's budget.
    await tellPeople(
      tx,
      caller ? [wallet, caller] : [wallet],
      { service: 'account', type: 'payment.owed', subject: receipt, data },
      { isFunded: true },
    )
  }
  return { ...row, state: 'owed', isTold: true }
}
