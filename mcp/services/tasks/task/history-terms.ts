import { formatUsd } from '../../../lib/usd.ts'
import type { Task } from './task.ts'

/** The terms that the first entry of a history holds the hash of: what was asked for, by whom, for how much. */
export const toHistoryTerms = ({
  id,
  publisher,
  terms,
  first_terms = terms,
  funds,
  created_at,
}: Pick<Task, 'id' | 'publisher' | 'terms' | 'first_terms' | 'funds' | 'created_at'>) => ({
  task_id: id,
  publisher,
  ...first_terms,
  bounty_usd: formatUsd(funds.bounty),
  fee_usd: formatUsd(funds.fee),
  created_at,
})
