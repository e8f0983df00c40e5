import type { JournalFields } from '../../kernel/tool.ts'
import type { Tx } from '../../ports/store/port.ts'
import type { Charge } from '../charge.ts'
import { readCollector } from '../collector.ts'
import type { Offer } from '../method.ts'
import type { PaymentRow } from './record.ts'

/**
 * Writes the row that the terms of a call ask for, in the transaction of the payment's record: whatever becomes of this process, the
 * service knows of the payment before its money can move.
 */
export const writeJournal = async (
  tx: Tx,
  { price: { terms } }: Charge,
  { receipt, created, payer }: PaymentRow,
  { identity, offer }: { identity: string; offer: Offer },
): Promise<void> => {
  if (!terms?.journal) return
  const { collection, indexes, row } = terms.journal
  const { network, payTo, amount: value } = offer
  const collector = readCollector(offer) ?? null
  const fields: JournalFields = { id: receipt, identity, network, payer, payTo, value, collector, created }
  await tx.collection<JournalFields>(collection, indexes).put({ ...row, ...fields })
}
