import type { Store } from '../../ports/store/port.ts'
import { isSettled, type PaymentRow, paymentRows } from './record.ts'

/** A receipt as anybody may read it who has its id. */
export type PublicReceipt = Pick<
  PaymentRow,
  | 'service'
  | 'tool'
  | 'method'
  | 'network'
  | 'asset'
  | 'amount'
  | 'payTo'
  | 'payer'
  | 'transaction'
  | 'state'
  | 'refund'
  | 'rate'
  | 'requestId'
> & { id: string; paidAt: string; updatedAt: string }

/** The receipt of a settled payment; undefined for any other id. It tells neither input nor answer. */
export const loadReceipt = async (store: Store, id: string): Promise<PublicReceipt | undefined> => {
  if (!/^[0-9a-f]{32}$/.test(id)) return undefined
  const { rows } = await paymentRows(store).find({ index: 'receipt', where: { receipt: id }, limit: 1 })
  const [row] = rows
  if (!row || (!isSettled(row) && row.state !== 'refunded')) return undefined
  const {
    service,
    tool,
    method,
    network,
    asset,
    amount,
    payTo,
    payer,
    transaction,
    state,
    refund,
    rate,
    requestId,
  } = row
  const { created: paidAt, updated: updatedAt } = row
  return {
    id,
    service,
    tool,
    method,
    network,
    asset,
    amount,
    payTo,
    payer,
    transaction,
    state,
    refund,
    rate,
    ...(requestId !== undefined && { requestId }),
    paidAt,
    updatedAt,
  }
}
