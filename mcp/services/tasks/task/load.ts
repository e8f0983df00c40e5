import { ToolError } from '../../../kernel/error.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { isSameWallet } from '../account/account.ts'
import type { Role } from './status.ts'
import { type Task, tasksIn } from './task.ts'

/** Throws `not_found` where there is none. */
export const loadTask = async (tx: Tx, id: string): Promise<Task> => {
  const task = await tasksIn(tx).get(id)
  if (task) return task
  throw new ToolError('not_found', 'There is no such task.', { next: ['search_tasks'] })
}

type Parties = Pick<Task, 'publisher' | 'worker'>

/** True when somebody is one of the two sides of a task, under this account or another one of the same wallet. */
export const isParty = ({ publisher, worker }: Parties, account: string): boolean =>
  isSameWallet(publisher, account) || (worker !== null && isSameWallet(worker, account))

/** Role of a caller in a task. A party is never its arbiter. */
export const roleIn = (
  task: Parties,
  account: string,
  arbiters: readonly string[],
): Exclude<Role, 'system'> => {
  if (task.publisher === account) return 'publisher'
  if (task.worker === account) return 'assigned'
  return arbiters.includes(account) && !isParty(task, account) ? 'arbiter' : 'other'
}

/** A task of the caller's. Throws `not_found` for none, `forbidden` for one of somebody else. */
export const loadTaskAs = async (
  tx: Tx,
  id: string,
  account: string,
  role: 'publisher' | 'assigned',
): Promise<Task> => {
  const task = await loadTask(tx, id)
  if (roleIn(task, account, []) === role) return task
  const who = role === 'publisher' ? 'Only its publisher' : 'Only who it is assigned to'
  throw new ToolError('forbidden', `${who} may do this.`, { reason: 'not_a_party' })
}

/**
 * Refuses to show a task to who has no business with it: open ones are everybody's, ended ones are `gone` for strangers, what is
 * under way belongs to its parties, and a dispute to arbiters besides.
 */
export const checkVisible = (task: Task, account: string | undefined, arbiters: readonly string[]): void => {
  if (task.status === 'published') return
  const role = account === undefined ? 'other' : roleIn(task, account, arbiters)
  if (role === 'publisher' || role === 'assigned') return
  if (role === 'arbiter' && task.dispute !== null) return
  if (task.ended) throw new ToolError('gone', 'This task is over; only its parties can read it.')
  throw new ToolError('forbidden', 'This task is under way; only its parties can read it.', {
    reason: 'not_a_party',
  })
}

/** A task for its parties, and for who may decide its dispute; `forbidden` for anybody else, also while it is open. */
export const checkMember = async (
  tx: Tx,
  id: string,
  account: string,
  arbiters: readonly string[],
): Promise<Task> => {
  const task = await loadTask(tx, id)
  const role = roleIn(task, account, arbiters)
  if (role === 'other' || (role === 'arbiter' && task.dispute === null))
    throw new ToolError('forbidden', 'You are no party to this task.', { reason: 'not_a_party' })
  return task
}
