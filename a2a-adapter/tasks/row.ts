import { type Allowance, type AllowanceUse, countUses, type Full } from '../../mcp/kernel/allowance.ts'
import type { World } from '../../mcp/kernel/call.ts'
import { collection } from '../../mcp/kernel/collection.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import type { Auth } from '../../mcp/kernel/tool.ts'
import type { Fields } from '../wire/fields.ts'
import type { A2aTask, Artifact, Message, TaskState } from '../wire/message.ts'

const KiB = 1024
const MiB = 1024 * KiB

/** Tasks of nobody in particular: little, and for minutes. */
const strangerAllowance: Allowance = {
  name: 'a2a.tasks stranger',
  client: { rows: 256, bytes: 4 * MiB },
  allBytes: 64 * MiB,
}

/** Tasks of known callers, and tasks that were paid for. */
const knownAllowance: Allowance = {
  name: 'a2a.tasks known',
  client: { rows: 10_000, bytes: 64 * MiB },
  allBytes: 192 * MiB,
}

const minutes = 60_000
const strangerTtl = 15 * minutes
const knownTtl = 7 * 24 * 60 * minutes

/** Bytes of a row beside its text: its places in six indexes. */
const rowBytes = KiB

type TaskOwner = Pick<TaskRow, 'owner'> & Partial<Pick<TaskRow, 'paid'>>

const isKnown = ({ owner, paid }: TaskOwner): boolean => owner !== null || paid === true

/** Bytes that the input of a task may have, and its output. */
export const maxStoredBytes = (row: TaskOwner): number => (isKnown(row) ? MiB : 64 * KiB)

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

/** True when a task keeps an input or an output of this size. */
export const isKeepable = (row: TaskOwner, value: unknown): boolean => jsonBytes(value) <= maxStoredBytes(row)

const expiry = (row: TaskRow): string => {
  const since = Math.max(Date.parse(row.updated), Date.parse(row.deadline ?? row.updated))
  const time = isKnown(row) || row.paying ? knownTtl : strangerTtl
  return new Date(since + time).toISOString()
}

/** The row with its end and its size. While work runs, room for its output is counted. */
export const withSize = (row: TaskRow): TaskRow => {
  const { bytes: _, ...rest } = { ...row, expires: expiry(row) }
  const room = row.state === 'working' ? maxStoredBytes({ owner: null }) : 0
  return { ...rest, bytes: jsonBytes(rest) + rowBytes + room }
}

/** Lists uses of a row; `sign` is -1 for one that goes. Rows from before tasks were counted have none. */
export const toAllowanceUses = (row: TaskRow, sign: 1 | -1 = 1): AllowanceUse[] => {
  if (row.bytes === undefined) return []
  const allowance = isKnown(row) ? knownAllowance : strangerAllowance
  const client = row.owner ?? row.client ?? ''
  return [{ allowance, client, key: row.id, rows: sign, bytes: sign * row.bytes }]
}

/** The refusal of a task that nothing is left for. */
export const refuseFull = (full: Full, row: TaskRow): ToolError => {
  const hint = 'Send the message without asking for a task: its answer comes at once.'
  if (full === 'all')
    return new ToolError('unavailable', 'All tasks together take as much room as they may.', {
      hint,
      retryAfter: 60,
    })
  const { rows, bytes } = (isKnown(row) ? knownAllowance : strangerAllowance).client
  const detail = `At most ${rows} tasks and ${bytes / MiB} MiB of them are kept for one caller.`
  return new ToolError('too_many_requests', detail, { hint, retryAfter: 60 })
}

/** A stored task. `owner` is the caller it belongs to, null where anybody may have made it: then its id is the key. */
export type TaskRow = {
  id: string
  service: string
  owner: string | null
  /** How the owner proved itself. */
  via?: Auth
  contextId: string
  state: TaskState
  updated: string
  /** When work that has not ended counts as interrupted; null while nothing runs. */
  deadline: string | null
  expires: string
  tool: string
  /** Null when it was too large to keep: then the task cannot be gone on with. */
  input: Fields | null
  message: Message | null
  artifacts: readonly Artifact[]
  history: readonly Message[]
  /** The offer made for it, while or before it is paid. */
  offer: Fields | null
  /** The run carries a payment: it cannot be canceled. */
  paying: boolean
  /** The payment is being confirmed: when the work is tried again, without the client. */
  confirm?: string | null
  /** The payment's record at the gate, and how often it was asked about. */
  payment?: { record: string; tries: number } | null
  /** Money came in for it. */
  paid?: boolean
  /** Network address of who started it, as tasks of nobody are counted by; a digest of it. */
  client?: string
  /** Its counted size; absent in rows from before tasks were counted. */
  bytes?: number
}

const indexes = [
  { name: 'owner', fields: ['service', 'owner', 'updated'] },
  { name: 'owner-state', fields: ['service', 'owner', 'state', 'updated'] },
  { name: 'context', fields: ['service', 'owner', 'contextId', 'updated'] },
  { name: 'context-state', fields: ['service', 'owner', 'contextId', 'state', 'updated'] },
  { name: 'deadline', fields: ['deadline'] },
  { name: 'confirm', fields: ['confirm'] },
  { name: 'expires', fields: ['expires'] },
] as const

type Store = NonNullable<World['ports']['store']>

export const taskRows = collection<TaskRow>({
  name: 'a2a.tasks',
  indexes,
  // Tasks of nobody are gone by then; others are there for a week.
  archive: { afterHours: 1 },
  allowances: [strangerAllowance, knownAllowance],
  ends: 'A task of nobody is dropped after 15 minutes, others after 7 days.',
})

export type TaskRows = ReturnType<typeof taskRows>

/** The time of a task that changes now: it is kept for a while from here. */
export const toTimestamps = (now: Date) => ({ updated: now.toISOString() })

export const isOver = ({ state }: TaskRow): boolean =>
  state !== 'submitted' && state !== 'working' && state !== 'input-required'

/** True when a task waits for its payment to be confirmed, so that the same payment may be sent again. */
export const awaitsConfirmation = ({ state, confirm }: TaskRow): boolean =>
  state === 'working' && typeof confirm === 'string'

const isOverdue = ({ state, deadline }: TaskRow, now: Date): boolean =>
  state === 'working' && deadline !== null && deadline < now.toISOString()

/** The row, or what it has become: work whose process died is failed once its deadline has passed. */
export const settleTask = (row: TaskRow, now: Date): TaskRow => {
  if (!isOverdue(row, now)) return row
  const text = 'The work was interrupted and did not finish.'
  const message: Message = {
    messageId: `${row.id}-interrupted`,
    role: 'agent',
    contextId: row.contextId,
    taskId: row.id,
    parts: [{ text }],
  }
  return { ...row, ...toTimestamps(now), state: 'failed', deadline: null, message }
}

/** The task as messages show it. */
export const toTask = ({ id, contextId, state, updated, message, artifacts, history }: TaskRow): A2aTask => ({
  id,
  contextId,
  state,
  timestamp: updated,
  message,
  artifacts,
  history,
})

/** Changes a row, and what it is counted as, in one step if it still is as `when` says; `won` tells whether it was. */
export const change = (
  store: Store,
  id: string,
  when: (row: TaskRow) => boolean,
  next: (row: TaskRow) => TaskRow,
): Promise<{ row: TaskRow | undefined; won: boolean }> =>
  store.transaction(async tx => {
    const rows = taskRows(tx)
    const before = await rows.get(id)
    if (!before || !when(before)) return { row: before, won: false }
    const row = withSize(next(before))
    // A row from before tasks were counted goes on uncounted.
    if (before.bytes === undefined) delete row.bytes
    await rows.put(row)
    await countUses(tx, [...toAllowanceUses(before, -1), ...toAllowanceUses(row)])
    return { row, won: true }
  })

/** Drops rows whose time is over, and what they were counted as. */
export const dropExpired = (store: Store, ids: readonly string[], now: string): Promise<void> =>
  store.transaction(async tx => {
    const rows = taskRows(tx)
    const dropped: TaskRow[] = []
    for (const id of ids) {
      const row = await rows.get(id)
      if (!row || row.expires >= now) continue
      await rows.delete(id)
      dropped.push(row)
    }
    await countUses(
      tx,
      dropped.flatMap(row => toAllowanceUses(row, -1)),
    )
  })
