import { reportSettled, ToolError } from '../../kernel/error.ts'
import { type PaymentRow, receiptFrom } from './record.ts'

/** A refusal as the record of its payment keeps it; `secret` when something of it was told once. */
type StoredRefusal = {
  code: ToolError['code']
  detail: string
  secret: boolean
  reason?: string
  hint?: string
  params?: Readonly<Record<string, unknown>>
}

/** The refusal as JSON, without its params where they hold a secret. */
export const toStoredRefusal = ({ code, message, extra }: ToolError, secret: boolean): string => {
  const { reason, hint, params } = extra
  const stored: StoredRefusal = {
    code,
    detail: message,
    secret,
    ...(reason !== undefined && { reason }),
    ...(hint !== undefined && { hint }),
    ...(params && !secret && { params }),
  }
  return JSON.stringify(stored)
}

/** Returns the refusal that answered a payment, marked as charged; undefined where there was none. */
export const fromStoredRefusal = (row: PaymentRow): { refusal: ToolError; secret: boolean } | undefined => {
  if (typeof row.refusal !== 'string') return undefined
  const { code, detail, secret, ...extra } = JSON.parse(row.refusal) as StoredRefusal
  const payment = reportSettled(receiptFrom(row))
  return { refusal: new ToolError(code, detail, { ...extra, charged: true, payment }), secret }
}

/** An answer that was given and is kept no more: the money is spent, and the receipt says on what. */
export const keptNoMore = (row: PaymentRow): ToolError =>
  new ToolError('conflict', 'This payment was answered 30 days ago or more; the answer is kept no longer.', {
    reason: 'answer_not_kept',
    hint: `The call has run. Its receipt is at /receipts/${row.receipt}.`,
    params: { receipt: row.receipt },
    charged: true,
    payment: reportSettled(receiptFrom(row)),
  })
