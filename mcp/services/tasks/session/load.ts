import { ToolError } from '../../../kernel/error.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { type Session, sessionsIn } from './session.ts'

/** A session that the caller is a side of. Throws `not_found` for none, also for one of others: ids cannot be guessed. */
export const loadSessionAs = async (
  tx: Pick<Tx, 'collection'>,
  id: string,
  account: string,
  side: 'publisher' | 'either' = 'either',
): Promise<Session> => {
  const session = await sessionsIn(tx).get(id)
  const isSide = session && (session.publisher === account || session.worker === account)
  if (!isSide)
    throw new ToolError('not_found', 'There is no such session of yours.', { next: ['list_sessions'] })
  if (side === 'publisher' && session.publisher !== account)
    throw new ToolError('forbidden', 'Only who pays the session may do this.', { reason: 'not_a_party' })
  return session
}
