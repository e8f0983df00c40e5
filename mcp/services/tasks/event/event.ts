import type { Tx } from '../../../ports/index.ts'
import type { Task } from '../task/task.ts'

/** What may happen to a task. */
export type EventKind =
  | 'task.created'
  | 'task.status'
  | 'task.funded'
  | 'application.received'
  | 'task.assigned'
  | 'submission.received'
  | 'submission.reviewed'
  | 'payment.released'
  | 'payment.refunded'
  | 'dispute.opened'
  | 'dispute.resolved'
  | 'session.opened'
  | 'session.voucher'
  | 'session.need_voucher'
  | 'session.closed'
  | 'session.settled'
  | 'session.error'

/** The log of what happened to one task. */
export const eventTopic = (task: string): string => `tasks.events ${task}`

/** Tells who follows a task what happened, in the transaction in which it happens. */
export const emitEvent = (
  tx: Tx,
  { id, status, seq, ended }: Pick<Task, 'id' | 'status' | 'seq' | 'ended'>,
  event: { kind: EventKind; [field: string]: string },
  at: string,
): Promise<void> => tx.append(eventTopic(id), { ...event, task_id: id, status, seq, final: ended, at })
