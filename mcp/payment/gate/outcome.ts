import { type PaymentParts, PaymentPending, reportSettled, ToolError } from '../../kernel/error.ts'
import type { FindResult, PaymentMethod, SentTransaction } from '../method.ts'
import { type PaymentRow, receiptFrom } from './record.ts'

/** The method did not answer: the money may be on its way. */
export type Unknown = { state: 'unknown' }

/** A payment that pays for something else, or was given back. */
export const alreadyUsed = (detail: string): ToolError =>
  new ToolError('conflict', detail, {
    hint: 'Pay this call with a new authorization.',
    reason: 'payment_already_used',
    payment: { success: false, errorReason: 'payment_already_used', transaction: '', network: '' },
  })

/** A payment that belongs to another call, or an authorization to another payment. */
export const paysAnotherCall = (): ToolError =>
  alreadyUsed('payment_already_used: this payment belongs to another call.')

/** A payment whose money is here and that does not pay the call: it is owed to the address that paid. */
export const owedToPayer = (
  row: PaymentRow,
  { toWords, readRefundTo }: PaymentMethod,
  detail = 'its money came for something else',
): ToolError => {
  const { receipt, amount, payer, network } = row
  const words = toWords?.(amount) ?? `${amount} on ${network}`
  const to = readRefundTo ? 'an invoice over it, or "balance"' : '"payer"'
  return new ToolError(
    'conflict',
    `This payment does not pay the call: ${detail}. ${words} came with it and are owed to ${payer}.`,
    {
      reason: 'payment_owed',
      hint: `Have it back: POST {"to": ${to}} to /receipts/${receipt}/refund with this payment. Pay this call with another one.`,
      params: { receipt, refund: `/receipts/${receipt}/refund` },
      charged: true,
      payment: { ...reportSettled(receiptFrom(row)), success: false, errorReason: 'payment_owed' },
    },
  )
}

/** A payment that its payer made and that is none for this call: the money may have moved, so it is no new quote. */
export const rejection = (detail: string): ToolError =>
  new ToolError('conflict', `This payment does not pay the call: ${detail}.`, {
    reason: 'payment_rejected',
    payment: { success: false, errorReason: 'payment_rejected', transaction: '', network: '' },
  })

/** The answer to a call whose payment is being worked on or confirmed. */
export const pendingPayment = ({
  id,
  transaction,
  network,
  payer,
}: Pick<PaymentRow, 'id' | 'transaction' | 'network' | 'payer'>) =>
  new PaymentPending({ transaction: transaction ?? '', network, payer }, undefined, id)

/** Milliseconds that a call waits for a method. What comes later is found by the next one who asks. */
const maxWaitMs = 60_000

/** The answer of a method. One that throws or keeps silent has told nothing, and what it says stays here. */
export const awaitAnswer = async <R>(answer: Promise<R>, ms = maxWaitMs): Promise<R | Unknown> => {
  const unknown = { state: 'unknown' } as const
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<Unknown>(resolve => {
    timer = setTimeout(() => resolve(unknown), ms)
  })
  try {
    return await Promise.race([answer, silence])
  } catch {
    return unknown
  } finally {
    clearTimeout(timer)
  }
}

/** True when the chain says more than that the authorization was not used. */
export const isDecided = (
  status: FindResult | Unknown,
): status is Exclude<FindResult, { state: 'unused' }> | Unknown => status.state !== 'unused'

/** An earlier try, as a record knows it. */
export const sentFrom = ({
  transaction,
  created,
}: Pick<PaymentRow, 'transaction' | 'created'>): SentTransaction => ({
  transaction: transaction ?? '',
  since: new Date(created),
})

/** A failure with what became of its payment in the dialect that it came in. */
export const inDialect = (
  error: unknown,
  report: (payment: Readonly<Record<string, unknown>>) => PaymentParts,
): unknown => {
  if (!(error instanceof ToolError) || !error.extra.payment || error.extra.parts) return error
  error.extra.parts = report(error.extra.payment)
  return error
}
