import { ToolError } from '../../../kernel/error.ts'
import type { Tx } from '../../../ports/store/port.ts'
import type { Account } from '../account/account.ts'
import type { Side } from '../thread/thread.ts'
import { type Deal, dealsIn } from './deal.ts'
import { sideInDeal } from './public-deal.ts'

/** A deal and which side of it the account is. Another party's deal is as unknown as one that never was. */
export const ownDeal = async (
  tx: Tx,
  id: string,
  { id: account }: Account,
): Promise<{ deal: Deal; role: Side }> => {
  const deal = await dealsIn(tx).get(id)
  const role = deal && sideInDeal(deal, account)
  if (deal && role) return { deal, role }
  throw new ToolError('not_found', 'You have no such deal.')
}
