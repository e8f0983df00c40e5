import type { Caller } from '../../mcp/kernel/tool.ts'
import { readCount, readId } from '../wire/decode.ts'
import { encodeTask, parseState } from '../wire/encode.ts'
import { invalidParam } from '../wire/failure.ts'
import type { Version } from '../wire/fields.ts'
import { type Fields, field } from '../wire/fields.ts'
import type { TaskState } from '../wire/message.ts'
import { settleTask, toTask } from './row.ts'
import type { TaskStore } from './store.ts'

const unspecifiedState = 'TASK_STATE_UNSPECIFIED'
/** States of A2A that no task here is ever in. */
const neverHere = /^TASK_STATE_AUTH_REQUIRED$/

const readState = (value: unknown): TaskState | 'none' | undefined => {
  if (value === undefined || value === null || value === '' || value === unspecifiedState) return undefined
  const state = typeof value === 'string' ? parseState(value) : undefined
  if (state) return state
  if (typeof value === 'string' && neverHere.test(value)) return 'none'
  throw invalidParam('status', 'must be a task state such as TASK_STATE_COMPLETED')
}

const readSince = (value: unknown): string | undefined => {
  if (value === undefined || value === null || value === '') return undefined
  const time = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN
  if (Number.isNaN(time)) throw invalidParam('statusTimestampAfter', 'must be an ISO 8601 time')
  return new Date(time).toISOString()
}

const pageToken = (value: unknown): string | undefined => {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  throw invalidParam('pageToken', 'must be text')
}

const readPageSize = (value: unknown): number => Math.min(100, readCount('pageSize', value) || 50)

/**
 * Tasks of the caller, newest first (A2A 1.0, 3.1.4). Without a caller only the tasks of a context that was made here
 * are listed: what a client chose, such as "1", others choose as well. Throws -32602 for a bad filter or page token.
 */
export const listTasks = async (
  taskStore: TaskStore | undefined,
  version: Version,
  params: Fields,
  caller: Caller | undefined,
): Promise<object> => {
  const contextId = readId('contextId', field(params, 'contextId'))
  const state = readState(params.status)
  const since = readSince(field(params, 'statusTimestampAfter'))
  const after = pageToken(field(params, 'pageToken'))
  const pageSize = readPageSize(field(params, 'pageSize'))
  const options = {
    historyLength: readCount('historyLength', field(params, 'historyLength')),
    artifacts: field(params, 'includeArtifacts') === true,
  }
  const isOpen = caller !== undefined || (contextId !== undefined && taskStore?.contexts.isOurs(contextId))
  if (!taskStore || state === 'none' || !isOpen)
    return { tasks: [], nextPageToken: '', pageSize, totalSize: 0 }

  const index = `${contextId === undefined ? 'owner' : 'context'}${state ? '-state' : ''}`
  const where = {
    service: taskStore.service.slug,
    owner: caller?.id ?? null,
    ...(contextId !== undefined && { contextId }),
    ...(state && { state }),
    ...(since !== undefined && { updated: { gte: since } }),
  }
  const [page, totalSize] = await Promise.all([
    taskStore.rows
      .find({ index, where, order: 'desc', limit: pageSize, ...(after !== undefined && { after }) })
      .catch((error: unknown) => {
        const isCursor = after !== undefined && error instanceof Error && error.message.startsWith('after:')
        throw isCursor ? invalidParam('pageToken', 'is not a page of this list') : error
      }),
    taskStore.rows.count({ index, where }),
  ])
  const now = taskStore.now()
  const rows = page.rows.filter(({ expires }) => expires >= now.toISOString())
  const tasks = rows.map(row => encodeTask(version, toTask(settleTask(row, now)), options))
  return { tasks, nextPageToken: page.next ?? '', pageSize, totalSize }
}
