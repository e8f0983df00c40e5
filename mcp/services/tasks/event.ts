import { tellPeople } from '../../kernel/inbox.ts'
import { topic } from '../../kernel/topic.ts'
import type { Tx } from '../../ports/store/port.ts'
import { keyPrefix } from './account.ts'
import type { Task } from './task.ts'

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
  | 'series.stopped'
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

/**
 * Tells who follows a task what happened, in the transaction in which it happens. `own` is for the inboxes of its sides only: strangers
 * may follow a task that is open.
 */
export const emitEvent = async (
  tx: Tx,
  {
    id,
    status,
    seq,
    ended,
    funded,
    funds,
    publisher,
    worker,
  }: Pick<Task, 'id' | 'status' | 'seq' | 'ended' | 'funded' | 'funds' | 'publisher' | 'worker'>,
  event: { kind: EventKind; [field: string]: string },
  at: string,
  own: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const { kind, ...more } = event
  const options = { isFunded: funded || funds.released !== '0' }
  await taskEvents.append(tx, id, { ...event, task_id: id, status, seq, final: ended, at }, options)
  const holders = worker === null ? [publisher] : [publisher, worker]
  await tellPeople(
    tx,
    holders.map(holder => ({ prefix: keyPrefix, holder })),
    { service: 'tasks', type: kind, subject: id, data: { ...more, ...own, status } },
    options,
  )
}
