import { ToolError } from '../../../kernel/error.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { roleIn } from '../task/load.ts'
import { type Dispute, disputesIn } from './dispute.ts'

/** A dispute for its parties and for arbiters who are none; anybody else's is as unknown as none. */
export const loadDispute = async (
  tx: Tx,
  id: string,
  account: string,
  arbiters: readonly string[],
): Promise<{ dispute: Dispute; role: 'publisher' | 'assigned' | 'arbiter' }> => {
  const dispute = await disputesIn(tx).get(id)
  const role = dispute && roleIn(dispute, account, arbiters)
  if (dispute && role && role !== 'other') return { dispute, role }
  throw new ToolError('not_found', 'You have no such dispute.')
}
