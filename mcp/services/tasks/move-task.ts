import { ToolError } from '../../kernel/error.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Tx } from '../../ports/store/port.ts'
import { countMove } from './analytics.ts'
import { type EventKind, emitEvent } from './event.ts'
import { appendHistory, hashJson, nextEntry } from './history.ts'
import { computeUnpaid, type Escrow, type Funds, share, withPayout, withRefund } from './money.ts'
import { countEnd } from './reputation.ts'
import { activeSession } from './session.ts'
import { drainSession } from './session-clock.ts'
import {
  allowedMoves,
  dueIn,
  isFinal,
  openFields,
  type Role,
  type Status,
  type Task,
  tasksIn,
  toHistoryTerms,
} from './task.ts'

/** Part of a task that decides if it may move: `due` is when its state is over, null for a final one. */
type Movable = { status: Status; due: string | null }

const refuseMove = (
  detail: string,
  { status: from }: Movable,
  to: Status,
  role: Role,
  reason: string,
  hint?: string,
) =>
  new ToolError('conflict', detail, {
    reason,
    params: { from, to, allowed: allowedMoves(from, role) },
    ...(hint !== undefined && { hint }),
  })

/**
 * Refuses a move that is not one: `forbidden` for who is neither party nor arbiter, `conflict` with `{from, to, allowed}` for one
 * that the state, the role or the time does not allow. The same for everybody who moves a task, the system included.
 */
export const checkMove = (task: Movable, to: Status, role: Role, now: Date): void => {
  const { status: from, due } = task
  if (role === 'other')
    throw new ToolError('forbidden', 'You are no party to this task.', { reason: 'not_a_party' })
  const allowed = allowedMoves(from, role)
  if (!allowed.includes(to))
    throw refuseMove(
      `A task that is ${from} cannot become ${to} by its ${role}.`,
      task,
      to,
      role,
      'illegal_transition',
      allowed.length > 0 ? `Now possible: ${allowed.join(', ')}.` : 'Nothing is possible for you now.',
    )
  if (due === null) throw new Error(`a task that is ${from} has no time at which that ends`)
  const isOver = due <= now.toISOString()
  if (role === 'system' && !isOver)
    throw refuseMove(`A task that is ${from} is so until ${due}.`, task, to, role, 'too_early')
  if (role !== 'system' && isOver)
    throw refuseMove(
      `The time for this was over at ${due}.`,
      task,
      to,
      role,
      'time_over',
      'The task moves on by itself within a minute; read it again.',
    )
}

type Move = {
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

/** How a task ends: in which state, by whom, and how much of what is unpaid the worker gets, in per cent. */
type End = Omit<Move, 'changes'> & { to: 'completed' | 'cancelled' | 'expired'; workerPercent: number }

/**
 * Ends a task and empties its escrow in one step: the worker's part and its fee first, the rest back to the publisher. The state
 * and the money move in one transaction, so that of two endings one wins and pays.
 */
export const endTask = async (tx: Tx, escrow: Escrow, task: Task, end: End): Promise<Task> => {
  const { workerPercent, ...move } = end
  const { now } = move
  const id = `${task.id}.${task.seq + 1}`
  let funds: Funds = task.funds
  const payouts: { kind: 'release' | 'refund'; amount: bigint; fee: bigint }[] = []
  if (task.funded && task.worker !== null && workerPercent > 0) {
    const unpaid = computeUnpaid(funds)
    const amount = workerPercent === 100 ? unpaid : share(unpaid, BigInt(workerPercent), 100n)
    const payout = withPayout(funds, amount)
    funds = payout.funds
    payouts.push({ kind: 'release', amount: payout.amount, fee: payout.fee })
  }
  if (task.funded) {
    const rest = withRefund(funds)
    funds = rest.funds
    if (rest.amount > 0n) payouts.push({ kind: 'refund', amount: rest.amount, fee: 0n })
  }
  const paid = (kind: 'release' | 'refund') =>
    formatUsd(payouts.reduce((sum, payout) => sum + (payout.kind === kind ? payout.amount : 0n), 0n))
  const event = {
    ...(move.event ?? { kind: 'task.status' as const }),
    released_usd: paid('release'),
    refunded_usd: paid('refund'),
  }
  const ended = await moveTask(tx, task, { ...move, event, changes: { funds } })
  for (const { kind, amount, fee } of payouts) {
    if (kind === 'refund') await escrow.refund(tx, { id, task: task.id, to: task.publisher, amount, now })
    else if (task.worker !== null)
      await escrow.release(tx, { id, task: task.id, to: task.worker, amount, fee, now })
  }
  await countEnd(tx, task, ended, end)
  return ended
}
