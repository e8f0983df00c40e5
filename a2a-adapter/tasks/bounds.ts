import type { Allowance, AllowanceUse, Full } from '../../mcp/kernel/allowance.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import type { TaskRow } from './row.ts'

const KiB = 1024
const MiB = 1024 * KiB

/** Tasks of nobody in particular: little, and for minutes. */
export const strangerAllowance: Allowance = {
  name: 'a2a.tasks stranger',
  client: { rows: 256, bytes: 4 * MiB },
  allBytes: 64 * MiB,
}

/** Tasks of known callers, and tasks that were paid for. */
export const knownAllowance: Allowance = {
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
