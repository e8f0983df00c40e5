import type { Tx } from '../../../ports/store/port.ts'
import { countMove } from '../analytics/count.ts'
import { type EventKind, emitEvent } from '../event/event.ts'
import { hashJson, nextEntry } from '../history/entry.ts'
import { appendHistory } from '../history/history.ts'
import { activeSession } from '../session/session.ts'
import { drainSession } from '../session/tick.ts'
import { checkMove } from './check-move.ts'
import { toHistoryTerms } from './history-terms.ts'
import { isFinal, type Role, type Status } from './status.ts'
import { dueIn, openFields, type Task, tasksIn } from './task.ts'

export type Move = {
  to: Status
  role: Role
  actor: string
  reason: string
  now: Date
  /** Changes of the task with its state. */
  changes?: Partial<Task>
  /** Event for listeners, beside the new state. */
  event?: { kind: EventKind; [field: string]: string }
}

/** Moves a task, if it may, and writes that into its history: in the caller's transaction, so that of two moves one wins. */
export const moveTask = async (tx: Tx, task: Task, move: Move): Promise<Task> => {
  const { to, role, actor, reason, now, changes = {}, event } = move
  checkMove(task, to, role, now)
  const at = now.toISOString()
  const entry = nextEntry(task.head, task.seq + 1, { from: task.status, to, actor, role, at, reason })
  const moved: Task = { ...task, ...changes, status: to, seq: entry.seq, head: hashJson(entry) }
  const next: Task = {
    ...moved,
    ...openFields(to, moved),
    due: dueIn(to, moved, now),
    ended: isFinal(to),
    reached: { ...moved.reached, [to]: moved.reached[to] ?? at },
  }
  await appendHistory(tx, task.id, entry)
  await tasksIn(tx).put(next)
  await countMove(tx, task, next, now)
  await emitEvent(tx, next, event ?? { kind: 'task.status' }, at)
  // Nobody pays for the time of a worker who is not at work.
  if (task.status === 'in_progress') {
    const session = await activeSession(tx, task.id)
    if (session) await drainSession(tx, session, { now, reason: 'work on the task has ended' })
  }
  return next
}

/** Writes a task and the first entry of its history. */
export const beginTask = async (
  tx: Tx,
  task: Omit<
    Task,
    'seq' | 'head' | 'due' | 'ended' | 'status' | 'reached' | keyof ReturnType<typeof openFields>
  >,
  now: Date,
): Promise<Task> => {
  const at = now.toISOString()
  const move = { from: null, to: 'published', actor: task.publisher, role: 'publisher', at } as const
  const entry = nextEntry(hashJson(toHistoryTerms(task)), 1, { ...move, reason: 'published' })
  const begun: Task = {
    ...task,
    ...openFields('published', task),
    status: 'published',
    due: dueIn('published', task, now),
    ended: false,
    seq: 1,
    head: hashJson(entry),
    reached: { published: at },
  }
  await appendHistory(tx, task.id, entry)
  if (!(await tasksIn(tx).insert(begun))) throw new Error('an id of a task came up twice')
  await countMove(tx, undefined, begun, now)
  await emitEvent(tx, begun, { kind: 'task.created' }, at)
  return begun
}
