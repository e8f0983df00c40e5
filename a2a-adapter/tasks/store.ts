import { createHash, randomBytes } from 'node:crypto'
import { takeUse } from '../../mcp/kernel/allowance.ts'
import type { World } from '../../mcp/kernel/call.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import type { Service } from '../../mcp/kernel/service.ts'
import type { Caller } from '../../mcp/kernel/tool.ts'
import { cut } from '../../mcp/lib/text/cut.ts'
import { A2aError, invalidParam } from '../wire/failure.ts'
import type { Fields } from '../wire/fields.ts'
import type { Message } from '../wire/message.ts'
import type { Contexts } from './context.ts'
import {
  isKeepable,
  isOver,
  refuseFull,
  settleTask,
  type TaskRow,
  type TaskRows,
  taskRows,
  toAllowanceUses,
  toTimestamps,
  withSize,
} from './row.ts'

/** The tasks of one service. */
export type TaskStore = {
  world: World
  service: Service
  store: NonNullable<World['ports']['store']>
  rows: TaskRows
  contexts: Contexts
  now(): Date
  /** Tasks running in this process, to be aborted on cancellation. */
  running: Map<string, AbortController>
}

/** Undefined where no store is configured: then there are no tasks. */
export const openTaskStore = (world: World, service: Service, contexts: Contexts): TaskStore | undefined => {
  const { store, clock } = world.ports
  if (!store || !clock) return undefined
  return {
    world,
    service,
    store,
    rows: taskRows(store),
    contexts,
    now: () => clock.now(),
    running: new Map(),
  }
}

const noTask = (id: string) =>
  new A2aError('taskNotFound', 'There is no such task.', { info: { taskId: cut(id, 64) } })

/** Ids of tasks that are kept here. */
export const isTaskId = /^[0-9a-f]{32}$/

/**
 * The task of an id, if the caller may see it. Throws -32001 otherwise; nothing tells the two apart. A credential that
 * proves nothing is refused, also for a task of nobody.
 */
export const findTask = async (
  taskStore: TaskStore | undefined,
  id: string,
  caller: () => Promise<Caller | undefined>,
): Promise<TaskRow> => {
  if (!taskStore) throw noTask(id)
  const viewer = await caller()
  const row = isTaskId.test(id) ? await taskStore.rows.get(id) : undefined
  if (!row || row.service !== taskStore.service.slug) throw noTask(id)
  if (row.owner !== null && row.owner !== viewer?.id) throw noTask(id)
  if (row.expires < taskStore.now().toISOString()) throw noTask(id)
  return settleTask(row, taskStore.now())
}

/**
 * Finds the task a message goes on with. Throws -32001, -32602 for another context and -32004 for one that is over; a message that
 * `pays` may ask again for what was paid for and is not kept.
 */
export const findForMessage = async (
  taskStore: TaskStore | undefined,
  { taskId = '', contextId }: Message,
  caller: () => Promise<Caller | undefined>,
  pays: boolean,
): Promise<TaskRow> => {
  const row = await findTask(taskStore, taskId, caller)
  if (contextId !== undefined && contextId !== row.contextId)
    throw invalidParam('message.contextId', 'is not the context of this task')
  const isLost = row.paid && row.input !== null && row.artifacts.length === 0
  if (isOver(row) && !(pays && isLost))
    throw new A2aError('taskOver', `The task is ${row.state}; it takes no more messages.`, {
      hint: 'Send the message without a taskId to start a new one.',
    })
  return row
}

const maxHistoryBytes = 65_536
const tasksPerMinute = 120
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/** The last messages that are at most 64 KiB together. */
const trimHistory = (history: readonly Message[]): readonly Message[] => {
  let room = maxHistoryBytes
  const start = history.findLastIndex(userMessage => {
    room -= Buffer.byteLength(JSON.stringify(userMessage))
    return room < 0
  })
  return history.slice(start + 1)
}

/** A history that goes on with the user's message, without a payment that it may hold; 64 KiB of it are kept. */
export const remember = (
  { gate }: World,
  history: readonly Message[],
  userMessage: Message,
  place: { id: string; contextId: string },
): readonly Message[] => {
  const payments = gate?.members ?? []
  const members = Object.entries(userMessage.metadata ?? {}).filter(([name]) => !payments.includes(name))
  const metadata = Object.fromEntries(members)
  return trimHistory([...history, { ...userMessage, contextId: place.contextId, taskId: place.id, metadata }])
}

const addressDigest = (client: string): string =>
  createHash('sha256').update(client).digest('base64url').slice(0, 22)

type NewTask = Pick<TaskRow, 'state' | 'tool' | 'deadline' | 'paying' | 'offer'> &
  Partial<Pick<TaskRow, 'confirm' | 'payment'>> & {
    input: Fields
    userMessage: Message
    owner: Caller | undefined
    /** Network address that new tasks are counted by. */
    client: string
    toAnswer(place: { contextId: string; taskId: string }): Message | null
  }

const takeLimit = async ({ world }: TaskStore, requester: string): Promise<void> => {
  const standing = await world.limits.take(`a2a-task:${requester}`, tasksPerMinute)
  if (standing.ok) return
  throw new ToolError('too_many_requests', `At most ${tasksPerMinute} tasks can be started in a minute.`, {
    retryAfter: standing.resetSeconds,
  })
}

/**
 * Stores a new task under a 128-bit id, without an input that is too large to keep. Throws `too_many_requests` past 120
 * a minute and caller or where the caller's tasks take what they may, `unavailable` where all tasks do, and
 * `invalid_input` for text that no store holds.
 */
export const addTask = async (taskStore: TaskStore, facts: NewTask): Promise<TaskRow> => {
  const { userMessage: message, owner, client, toAnswer, input, ...rest } = facts
  for (const name of owner ? [client, owner.id] : [client]) await takeLimit(taskStore, name)
  const id = randomBytes(16).toString('hex')
  const contextId = message.contextId ?? taskStore.contexts.make()
  const of = { owner: owner?.id ?? null, ...(owner && { via: owner.via }) }
  const row = withSize({
    id,
    service: taskStore.service.slug,
    ...of,
    client: addressDigest(client),
    contextId,
    ...toTimestamps(taskStore.now()),
    expires: '',
    ...rest,
    input: isKeepable(of, input) ? input : null,
    message: toAnswer({ contextId, taskId: id }),
    artifacts: [],
    history: remember(taskStore.world, [], message, { id, contextId }),
  })
  if (unstorable.test(JSON.stringify([row.input, row.history])))
    throw invalidParam('message.parts', 'a task cannot hold a NUL character or half a surrogate pair')
  const full = await taskStore.store.transaction(async tx => {
    const [use] = toAllowanceUses(row)
    const limitReached = use && (await takeUse(tx, use))
    if (!limitReached) await taskRows(tx).insert(row)
    return limitReached
  })
  if (full) throw refuseFull(full, row)
  return row
}
