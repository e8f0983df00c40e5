import type { PaymentRow } from './record.ts'

/**
 * What an operator has to know of a transfer that a chain took back after it was settled: `reverted`, and being settled again;
 * `restored`; or `lost`, since its authorization is over.
 */
export type Alarm = {
  event: 'reverted' | 'restored' | 'lost'
  /** Id of the receipt. */
  id: string
} & Pick<PaymentRow, 'service' | 'tool' | 'method' | 'network' | 'asset' | 'amount' | 'payer' | 'transaction'>

export const toAlarm = (
  event: Alarm['event'],
  { receipt, service, tool, method, network, asset, amount, payer, transaction }: PaymentRow,
): Alarm => ({ event, id: receipt, service, tool, method, network, asset, amount, payer, transaction })
