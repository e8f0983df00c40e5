import { topic } from '../../../kernel/topic.ts'
import type { Tx } from '../../../ports/store/port.ts'
import type { Task } from '../task/task.ts'

/** Kinds of events of a task. */
export type EventKind =
  | 'task.created'
  | 'task.status'
  | 'task.updated'
  | 'task.reopened'
  | 'task.funded'
  | 'application.received'
  | 'question.asked'
  | 'question.answered'
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
export const taskEvents = topic({
  name: 'tasks.events',
  budget: {
    what: 'events of unfunded tasks',
    each: { rows: 4000, bytes: 2 << 20 },
    network: { rows: 20_000, bytes: 10 << 20 },
    allBytes: 64 << 20,
  },
})

/** Tells who follows a task what happened, in the transaction in which it happens. */
export const emitEvent = (
  tx: Tx,
  {
    id,
    status,
    seq,
    ended,
    funded,
    funds,
  }: Pick<Task, 'id' | 'status' | 'seq' | 'ended' | 'funded' | 'funds'>,
  event: { kind: EventKind; [field: string]: string },
  at: string,
): Promise<void> =>
  taskEvents.append(
    tx,
    id,
    { ...event, task_id: id, status, seq, final: ended, at },
    { isFunded: funded || funds.released !== '0' },
  )
