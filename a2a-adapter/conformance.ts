import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { help } from '../mcp/kernel/help.ts'
import { service } from '../mcp/kernel/service.ts'
import type { Agent } from './exchange.ts'
import { change, type TaskRow, toTask, toTimestamps } from './tasks/row.ts'
import { addTask, findForMessage, remember } from './tasks/store.ts'
import { inBackground } from './tasks/work.ts'
import { A2aError } from './wire/failure.ts'
import { type Part, type TaskState, toAgentMessage } from './wire/message.ts'

/** The service that the Technology Compatibility Kit of A2A is pointed at. */
export const scriptedService = service({
  label: 'TCK',
  slug: 'conformance',
  name: 'Scripted agent',
  description:
    'Answers by the prefix of the id of a message, as the Technology Compatibility Kit of A2A asks.',
  version: '1.0.0',
  interfaces: [{ binding: 'JSONRPC', path: '/', version: '1.0' }],
  card: {
    path: '/.well-known/agent-card.json',
    inputModes: ['text/plain', 'application/json'],
    outputModes: ['text/plain', 'application/json'],
  },
  auth: ['public'],
  tools: [help()],
  fallback: 'help',
})

/** What becomes of a message: a plain reply, or a task in `state`, after `afterMs`. */
type Scene = { reply: string } | { state: TaskState; text?: string; artifact?: Part; afterMs?: number }

/** Milliseconds that the work of the kit's delayed scenario takes: its streaming timeout. */
const delayMs = 2000

const file = { name: 'output.txt', mediaType: 'text/plain' }

/** The kit's scenarios that need neither streams nor notifications; the longest prefix goes first. */
const scenes: readonly (readonly [prefix: string, scene: Scene])[] = [
  ['tck-message-response', { reply: 'Direct message response' }],
  ['tck-complete-task', { state: 'completed', text: 'Hello from TCK' }],
  ['tck-delayed-complete', { state: 'completed', text: 'Done after delay', afterMs: delayMs }],
  ['tck-input-required', { state: 'input-required' }],
  ['tck-reject-task', { state: 'rejected', text: 'rejected' }],
  ['tck-artifact-text', { state: 'completed', artifact: { text: 'Generated text content' } }],
  [
    'tck-artifact-file-url',
    { state: 'completed', artifact: { file: { url: 'https://example.com/output.txt', ...file } } },
  ],
  ['tck-artifact-file', { state: 'completed', artifact: { file: { bytes: 'dGNr', ...file } } }],
  ['tck-artifact-data', { state: 'completed', artifact: { data: { key: 'value', count: 42 } } }],
]

const toEnding = ({ id, contextId }: TaskRow, scene: Exclude<Scene, { reply: string }>) => ({
  state: scene.state,
  deadline: null,
  message: scene.text === undefined ? null : toAgentMessage({ contextId, taskId: id }, scene.text),
  artifacts: scene.artifact ? [{ artifactId: randomUUID(), name: 'output', parts: [scene.artifact] }] : [],
})

/** Answers by the script: the tasks, their store and everything on the wire are those of every service. */
export const scriptedAgent: Agent = async (deps, { evidence, identity }, { message, later }) => {
  const { taskStore, world } = deps
  if (!taskStore) throw new A2aError('notOffered', 'The scripted agent needs a store.')
  const { messageId, contextId, taskId } = message
  const [, scene] = scenes.find(([prefix]) => messageId.startsWith(prefix)) ?? []
  if (taskId === undefined && scene && 'reply' in scene)
    return toAgentMessage({ contextId: contextId ?? deps.contexts.make() }, scene.reply)
  const row =
    taskId === undefined
      ? await addTask(taskStore, {
          userMessage: message,
          owner: await identity.caller(),
          client: evidence.client,
          state: 'working',
          tool: 'help',
          input: {},
          deadline: new Date(taskStore.now().getTime() + 60_000).toISOString(),
          paying: false,
          offer: null,
          toAnswer: () => null,
        })
      : await findForMessage(taskStore, message, identity.caller, false)
  const next: Exclude<Scene, { reply: string }> =
    scene && !('reply' in scene)
      ? scene
      : { state: taskId === undefined ? 'completed' : 'input-required', text: `No scenario: ${messageId}` }
  const finish = async (): Promise<TaskRow> => {
    if (next.afterMs !== undefined) await wait(next.afterMs)
    const { row: after = row } = await change(
      taskStore.store,
      row.id,
      ({ state }) => state === 'working' || state === 'input-required',
      before => ({
        ...before,
        ...toTimestamps(taskStore.now()),
        ...(taskId !== undefined && {
          history: remember(
            world,
            [...before.history, ...(before.message ? [before.message] : [])],
            message,
            before,
          ),
        }),
        ...toEnding(before, next),
      }),
    )
    return after
  }
  const finished = finish()
  if (!later) return toTask(await finished)
  inBackground(taskStore, row, finished)
  return toTask(row)
}
