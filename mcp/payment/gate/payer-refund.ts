import { ToolError } from '../../kernel/error.ts'
import { isSameAddress } from '../../lib/usd-tokens.ts'
import type { Ledger } from '../../ports/payment/port.ts'
import type { Store, Tx } from '../../ports/store/port.ts'
import type { BalanceAccount } from '../ledger/account.ts'
import type { PaymentMethod } from '../method.ts'
import { isLeft, methodFor, refund } from './owed.ts'
import { type PaymentRow, paymentRows } from './record.ts'

/** Destination of a refund: a balance, an invoice of the payer's, or the address on a chain that paid. */
export type Destination =
  | { kind: 'balance'; balance: BalanceAccount }
  | { kind: 'invoice'; invoice: string }
  | { kind: 'payer' }

/** How a caller shows to be the payer: by records of payments that it has sent, or by its wallet's signature of `refundText`. */
export type PayerProof = { records: readonly string[]; signature?: string | undefined }

/** Text the wallet that paid signs to have the money back. */
export const refundText = (receipt: string): string => `Refund receipt ${receipt}`

/** Its outcome. `refund` is the entry in the ledger, the payment hash of the invoice, or the transaction. */
export type PayerRefund = { id: string; state: 'refunded'; amount: string; asset: string; refund: string }

export type PayerRefundDeps = {
  store: Store
  methods: readonly PaymentMethod[]
  ledger: Ledger | undefined
  now: () => Date
  /** Counts each transfer of a refund on a chain, which costs us gas, before it is sent. Absent: the operator sends them. */
  allow?: ((row: PaymentRow) => Promise<void>) | undefined
}

/** Source of refunds to balances: the money stays where its payer sent it. */
const source = 'world:lightning' as const

const retrySeconds = 30

const refuse = (reason: string, detail: string, hint?: string, retryAfter?: number): never => {
  throw new ToolError('conflict', detail, {
    reason,
    ...(hint !== undefined && { hint }),
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

const loadRow = async (tx: Pick<Tx, 'collection'>, receipt: string): Promise<PaymentRow> => {
  const { rows } = await paymentRows(tx).find({ index: 'receipt', where: { receipt }, limit: 1 })
  const [row] = rows
  if (!row) throw new ToolError('not_found', 'There is no such receipt.')
  return row
}

const loadProven = async (
  tx: Pick<Tx, 'collection'>,
  receipt: string,
  records: readonly string[],
): Promise<PaymentRow> => {
  const row = await loadRow(tx, receipt)
  if (records.includes(row.id)) return row
  throw new ToolError('forbidden', 'This is not the payment of this receipt.', {
    hint: 'Send the header that the paid call had: Authorization with L402 <token>:<preimage> or Payment, or PAYMENT-SIGNATURE.',
  })
}

/** The record of a receipt, for the wallet that paid it. */
const loadSigned = async (
  { store, methods }: PayerRefundDeps,
  receipt: string,
  signature: string,
): Promise<PaymentRow> => {
  const row = await loadRow(store, receipt)
  const isSignedBy = methodFor(methods, row)?.isSignedBy
  if (!isSignedBy)
    throw new ToolError('forbidden', 'What was paid like this is not proved by a signature.', {
      hint: 'Send the Authorization header that the paid call had: L402 <token>:<preimage>, or Payment.',
    })
  if (await isSignedBy(row.payer, refundText(receipt), signature)) return row
  throw new ToolError('forbidden', 'The signature is not that of the payer.', {
    hint: `Sign the text "${refundText(receipt)}" with the wallet that paid.`,
  })
}

const onlyToPayer = (): ToolError =>
  new ToolError(
    'invalid_input',
    'to: "payer". What was paid on a chain goes back to the address that paid.',
    {
      issues: [{ path: 'to', message: '"payer"' }],
    },
  )

/** Throws `conflict` for what is not owed, being worked on, or followed elsewhere by its service. */
const checkOwed = (row: PaymentRow, now: Date): void => {
  if (row.state === 'done') refuse('not_owed', 'This payment was answered, so it is not owed.')
  if (row.spentElsewhere || row.isFollowed)
    refuse(
      'money_elsewhere',
      'The money of this payment is followed elsewhere; the operator decides about it.',
    )
  if (!['owed', 'paid', 'refunding'].includes(row.state))
    refuse('not_owed', `This payment is ${row.state}, not owed.`)
  if (!isLeft(row, now))
    refuse('under_way', 'This payment is being worked on.', 'Ask again in a minute.', retrySeconds)
}

const toBalance = async (
  { store, methods, ledger, now }: PayerRefundDeps,
  receipt: string,
  records: readonly string[],
  { account, unit }: BalanceAccount,
): Promise<PaymentRow> => {
  if (!ledger) throw new ToolError('unavailable', 'Nobody has a balance here.')
  if (unit !== 'msat') refuse('other_unit', 'This balance is not counted in sats.', 'Name an invoice.')
  return store.transaction(async tx => {
    const row = await loadProven(tx, receipt, records)
    if (row.state === 'refunded') return row
    // What was paid in another way is counted in other units, and lies elsewhere.
    if (!methodFor(methods, row)?.readRefundTo) throw onlyToPayer()
    checkOwed(row, now())
    // Money that may be on its way to an invoice must not be given twice.
    if (row.state === 'refunding')
      refuse('under_way', 'A refund to an invoice is under way.', 'Ask for that one again.', retrySeconds)
    const entry = `refund:${receipt}`
    const value = BigInt(row.amount)
    await ledger.post(tx, {
      id: entry,
      unit: 'msat',
      memo: `refund of ${row.service}.${row.tool}`,
      postings: [
        { account: source, amount: { unit: 'msat', value: -value } },
        { account, amount: { unit: 'msat', value } },
      ],
    })
    const updated = now().toISOString()
    const refunded: PaymentRow = {
      ...row,
      state: 'refunded',
      refund: entry,
      runner: null,
      lease: null,
      updated,
    }
    await paymentRows(tx).put(refunded)
    return refunded
  })
}

const toInvoice = async (
  { store, methods, now }: PayerRefundDeps,
  receipt: string,
  records: readonly string[],
  invoice: string,
): Promise<void> => {
  const row = await loadProven(store, receipt, records)
  if (row.state === 'refunded') return
  const method = methodFor(methods, row)
  if (!method) throw new ToolError('unavailable', `No payment method for ${row.network} is configured here.`)
  if (!method.readRefundTo) throw onlyToPayer()
  checkOwed(row, now())
  await refund(store, methods, receipt, now, invoice)
}

/** Sends what is owed to the address that paid it. Nothing that the caller says decides where it goes. */
const toPayer = async (deps: PayerRefundDeps, receipt: string, row: PaymentRow): Promise<void> => {
  const { store, methods, now, allow } = deps
  if (row.state === 'refunded') return
  const method = methodFor(methods, row)
  if (method?.readRefundTo)
    throw new ToolError('invalid_input', 'to: "balance", or an invoice (BOLT 11) over what was paid.', {
      issues: [{ path: 'to', message: '"balance" or an invoice' }],
    })
  if (!method?.refundsFrom || !allow)
    throw new ToolError('unavailable', `Refunds on ${row.network} are sent by the operator here.`, {
      hint: `Ask the operator, and name the receipt ${receipt}.`,
    })
  checkOwed(row, now())
  // What went to somebody else was never ours to give back.
  if (!isSameAddress(row.payTo, await method.refundsFrom()))
    refuse('money_elsewhere', 'This payment went to another wallet than the one that refunds come from.')
  await refund(store, methods, receipt, now, undefined, false, () => allow(row))
}

/**
 * Gives owed money back to the payer who asks for it, once, however often and wherever it is asked: what was paid over Lightning by an
 * invoice or onto a balance, what was paid on a chain to the address that paid. A refund whose outcome is not known goes on as it began.
 * Throws `not_found`, `forbidden` for somebody else, `conflict` for what is not owed, `invalid_input` for an invoice that is not over
 * exactly what was paid, expired, of another network or of our own node, and `too_many_requests` for more than gas is spent on.
 */
export const refundToPayer = async (
  deps: PayerRefundDeps,
  receipt: string,
  { records, signature }: PayerProof,
  destination: Destination,
): Promise<PayerRefund> => {
  const proven = records.length > 0 || signature === undefined
  if (destination.kind === 'balance') await toBalance(deps, receipt, records, destination.balance)
  else if (destination.kind === 'invoice') await toInvoice(deps, receipt, records, destination.invoice)
  else {
    const row = await (proven
      ? loadProven(deps.store, receipt, records)
      : loadSigned(deps, receipt, signature))
    await toPayer(deps, receipt, row)
  }
  const { state, amount, asset, refund: transaction } = await loadRow(deps.store, receipt)
  if (state !== 'refunded' || transaction === null)
    return refuse('under_way', 'The refund is under way.', 'Ask for it again in a minute.', retrySeconds)
  return { id: receipt, state, amount, asset, refund: transaction }
}
