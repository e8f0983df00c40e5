import { ToolError } from '../../../kernel/error.ts'
import { allowedMoves, type Role, type Status } from './status.ts'

/** Part of a task that decides if it may move: `due` is when its state is over, null for a final one. */
export type Movable = { status: Status; due: string | null }

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
