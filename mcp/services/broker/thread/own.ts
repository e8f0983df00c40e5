import { ToolError } from '../../../kernel/error.ts'
import type { Tx } from '../../../ports/store/port.ts'
import type { Account } from '../account/account.ts'
import { isUnderWay, threadState } from './public-thread.ts'
import { type Side, type Thread, threadsIn } from './thread.ts'

/** A thread and which side of it the account is. Another party's thread is as unknown as one that never was. */
export const ownThread = async (
  tx: Tx,
  id: string,
  account: Account,
): Promise<{ thread: Thread; role: Side }> => {
  const thread = await threadsIn(tx).get(id)
  if (thread?.poster === account.id) return { thread, role: 'poster' }
  if (thread?.negotiator === account.id) return { thread, role: 'negotiator' }
  throw new ToolError('not_found', 'You have no such thread.')
}

const endings = {
  finalized: ['conflict', 'already_finalized', 'The deal is sealed already.'],
  rejected: ['conflict', 'thread_closed', 'The thread was closed by one of its sides.'],
  closed: [
    'gone',
    'thread_auto_closed',
    'The thread was closed, because its listing is gone or another deal was sealed.',
  ],
  expired: ['gone', 'thread_expired', 'The thread has expired: nobody moved in time.'],
} as const

/** Throws what became of a thread that can no longer lead to a deal: 409 or 410 with a reason. */
export const requireUnderWay = (thread: Thread, now: Date): void => {
  if (isUnderWay(thread, now)) return
  const state = threadState(thread, now)
  if (state === 'open' || state === 'accepted') return
  const [code, reason, detail] = endings[state]
  throw new ToolError(code, detail, {
    reason,
    params: { state, deal_id: thread.deal },
  })
}

/** Throws 409 `out_of_turn` unless it is this side's move. */
export const requireTurn = (thread: Thread, role: Side): void => {
  if (thread.turn === role) return
  throw new ToolError('conflict', "It is the other side's turn.", {
    reason: 'out_of_turn',
    params: { turn: thread.turn },
    hint: 'Wait for its move, or close the thread.',
    next: ['wait_events'],
  })
}
