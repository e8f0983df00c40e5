import { randomBytes, randomUUID } from 'node:crypto'
import type { World } from '../../mcp/kernel/call.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import type { Service } from '../../mcp/kernel/service.ts'
import type { Caller } from '../../mcp/kernel/tool.ts'
import { cut } from '../../mcp/lib/text/cut.ts'
import { A2aError, invalidParam } from '../wire/failure.ts'
import type { Message } from '../wire/message.ts'
import { isOver, settled, stamped, type TaskRow, type TaskRows, taskRows } from './row.ts'

/** The tasks of one service. */
export type Desk = {
  world: World
  service: Service
  rows: TaskRows
  now(): Date
  /** What runs in this process, to be aborted when it is canceled. */
  running: Map<string, AbortController>
}

/** Undefined where no store is configured: then there are no tasks. */
export const openDesk = (world: World, service: Service): Desk | undefined => {
  const { store, clock } = world.ports
  if (!store || !clock) return undefined
  return { world, service, rows: taskRows(store), now: () => clock.now(), running: new Map() }
}

const noTask = (id: string) =>
  new A2aError('taskNotFound', 'There is no such task.', { info: { taskId: cut(id, 64) } })

const isTaskId = /^[0-9a-f]{32}$/

/**
 * The task of an id, if the caller may see it. Throws -32001 otherwise; nothing tells the two apart. A credential that
 * proves nothing is refused, also for a task of nobody.
 */
export const findTask = async (
  desk: Desk | undefined,
  id: string,
  caller: () => Promise<Caller | undefined>,
): Promise<TaskRow> => {
  if (!desk) throw noTask(id)
  const who = await caller()
  const found = isTaskId.test(id) ? await desk.rows.get(id) : undefined
  if (!found || found.service !== desk.service.slug) throw noTask(id)
  if (found.owner !== null && found.owner !== who?.id) throw noTask(id)
  return settled(found, desk.now())
}

/** Finds the task a message goes on with. Throws -32001, -32602 for another context and -32004 for one that is over. */
export const findForMessage = async (
  desk: Desk | undefined,
  { taskId = '', contextId }: Message,
  caller: () => Promise<Caller | undefined>,
): Promise<TaskRow> => {
  const row = await findTask(desk, taskId, caller)
  if (contextId !== undefined && contextId !== row.contextId)
    throw invalidParam('message.contextId', 'is not the context of this task')
  if (isOver(row))
    throw new A2aError('taskOver', `The task is ${row.state}; it takes no more messages.`, {
      hint: 'Send the message without a taskId to start a new one.',
    })
  return row
}

const mostHistory = 65_536
const tasksPerMinute = 120
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/** The user's message as a task keeps it: without a payment, and not at all when it is over 64 KiB. */
export const remembered = (message: Message, place: { id: string; contextId: string }): Message[] => {
  const { 'x402.payment.payload': _, ...metadata } = message.metadata ?? {}
  const kept = { ...message, contextId: place.contextId, taskId: place.id, metadata }
  return JSON.stringify(kept).length > mostHistory ? [] : [kept]
}

type New = Pick<TaskRow, 'state' | 'tool' | 'input' | 'deadline' | 'paying' | 'offer'> & {
  asked: Message
  owner: Caller | undefined
  /** Network address that new tasks are counted by. */
  client: string
  say(place: { contextId: string; taskId: string }): Message | null
}

/**
 * Stores a new task under a 128-bit id. Throws `too_many_requests` past 120 a minute and client, and `invalid_input`
 * for text that no store holds.
 */
export const addTask = async (desk: Desk, { asked, owner, client, say, ...facts }: New): Promise<TaskRow> => {
  const standing = desk.world.limits.take(`a2a-task:${owner?.id ?? client}`, tasksPerMinute)
  if (!standing.ok)
    throw new ToolError('too_many_requests', `At most ${tasksPerMinute} tasks can be started in a minute.`, {
      retryAfter: standing.resetSeconds,
    })
  const id = randomBytes(16).toString('hex')
  const contextId = asked.contextId ?? randomUUID()
  const row: TaskRow = {
    id,
    service: desk.service.slug,
    owner: owner?.id ?? null,
    contextId,
    ...stamped(desk.now()),
    ...facts,
    message: say({ contextId, taskId: id }),
    artifacts: [],
    history: remembered(asked, { id, contextId }),
  }
  if (unstorable.test(JSON.stringify([row.input, row.history])))
    throw invalidParam('message.parts', 'a task cannot hold a NUL character or half a surrogate pair')
  await desk.rows.insert(row)
  return row
}
