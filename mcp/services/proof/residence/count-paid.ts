import type { Service } from '../../../kernel/service.ts'
import { countActs } from './activity.ts'
import { markOwner, toPayerMark } from './owner-mark.ts'

/**
 * Counts a paid call for the score of its account. A top-up is no spending, and a message is counted where it is delivered, since most
 * of its price is somebody else's. Whoever pays from an address of a chain is known by it from then on.
 */
export const countPaidCall: NonNullable<Service['onPaid']> = async (
  tx,
  { tool, caller, receipt, price, at },
) => {
  const mark = toPayerMark(receipt)
  if (mark !== undefined) await markOwner(tx, caller.id, mark)
  if (tool.prepaid === false || tool.name === 'message_dm' || price.unit !== 'sat') return
  await countActs(tx, caller.id, { calls: 1, spent_sats: Math.floor(Number(price.amount)) }, at)
}
