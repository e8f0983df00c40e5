import type { World } from '../../mcp/kernel/call.ts'
import type { Fields } from '../wire/fields.ts'
import type { Artifact, Message, State, Task } from '../wire/message.ts'

/** A stored task. `owner` is the caller it belongs to, null where anybody may have made it: then its id is the key. */
export type TaskRow = {
  id: string
  service: string
  owner: string | null
  contextId: string
  state: State
  updated: string
  /** When work that has not ended counts as interrupted; null while nothing runs. */
  deadline: string | null
  expires: string
  tool: string
  input: Fields
  message: Message | null
  artifacts: readonly Artifact[]
  history: readonly Message[]
  /** What was asked for it, while or before it is paid. */
  offer: Fields | null
  /** The run carries a payment: it cannot be canceled. */
  paying: boolean
}

const collection = 'a2a.tasks'

const indexes = [
  { name: 'owner', fields: ['service', 'owner', 'updated'] },
  { name: 'owner-state', fields: ['service', 'owner', 'state', 'updated'] },
  { name: 'context', fields: ['service', 'owner', 'contextId', 'updated'] },
  { name: 'context-state', fields: ['service', 'owner', 'contextId', 'state', 'updated'] },
  { name: 'deadline', fields: ['deadline'] },
  { name: 'expires', fields: ['expires'] },
] as const

type Store = NonNullable<World['ports']['store']>

export const taskRows = (store: Store) => store.collection<TaskRow>(collection, indexes)

export type TaskRows = ReturnType<typeof taskRows>

const kept = 7 * 24 * 3600_000

/** The times of a task that changes now: it is kept for seven days from here. */
export const stamped = (now: Date) => ({
  updated: now.toISOString(),
  expires: new Date(now.getTime() + kept).toISOString(),
})

export const isOver = ({ state }: TaskRow): boolean =>
  state === 'completed' || state === 'failed' || state === 'canceled'

const isOverdue = ({ state, deadline }: TaskRow, now: Date): boolean =>
  state === 'working' && deadline !== null && deadline < now.toISOString()

/** The row, or what it has become: work whose process died is failed once its deadline has passed. */
export const settled = (row: TaskRow, now: Date): TaskRow => {
  if (!isOverdue(row, now)) return row
  const text = 'The work was interrupted and did not finish.'
  const message: Message = {
    messageId: `${row.id}-interrupted`,
    role: 'agent',
    contextId: row.contextId,
    taskId: row.id,
    parts: [{ text }],
  }
  return { ...row, ...stamped(now), state: 'failed', deadline: null, message }
}

/** The task as messages show it. */
export const taskOf = ({ id, contextId, state, updated, message, artifacts, history }: TaskRow): Task => ({
  id,
  contextId,
  state,
  timestamp: updated,
  message,
  artifacts,
  history,
})

/** Changes a row in one atomic step if it still is as `when` says; `won` tells whether it was. */
export const change = async (
  rows: TaskRows,
  id: string,
  when: (row: TaskRow) => boolean,
  next: (row: TaskRow) => TaskRow,
): Promise<{ row: TaskRow | undefined; won: boolean }> => {
  let won = false
  const row = await rows.update(id, before => {
    won = when(before)
    return won ? next(before) : before
  })
  return { row, won }
}
