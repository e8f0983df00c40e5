import type { PaymentRow } from './record.ts'

/**
 * What an operator has to know of a transfer that a chain took back after it was settled: `reverted`, and being settled again;
 * `restored`; or `lost`, since its authorization is over.
 */
export type Alarm = {
  event: 'reverted' | 'restored' | 'lost' | 'refund_reverted'
  /** Id of the receipt. */
  id: string
} & Pick<PaymentRow, 'service' | 'tool' | 'method' | 'network' | 'asset' | 'amount' | 'payer' | 'transaction'>

/** Texts for an operator in the log. */
export const alarmTexts: Readonly<Record<Alarm['event'], string>> = {
  reverted: 'the chain took back the transfer of a payment; it is being settled again',
  restored: 'the transfer of a payment that the chain took back is there again',
  lost: 'the chain took back the transfer of a payment for good',
  refund_reverted: 'the chain took back the transfer of a refund; it is being sent again',
}

export const toAlarm = (
  event: Alarm['event'],
  { receipt, service, tool, method, network, asset, amount, payer, transaction }: PaymentRow,
): Alarm => ({ event, id: receipt, service, tool, method, network, asset, amount, payer, transaction })
