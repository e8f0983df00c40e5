import { isRecord } from '../../mcp/lib/json.ts'
import type { Version } from './fields.ts'
import type { A2aTask, Artifact, FilePart, Message, Part, TaskState } from './message.ts'

/** Task parts a client wants to see. */
export type EncodeOptions = { historyLength: number | undefined; artifacts: boolean }

const file03 = ({ name, mediaType, ...content }: FilePart['file']) => ({
  kind: 'file',
  file: { name, mimeType: mediaType, ...('url' in content ? { uri: content.url } : content) },
})

const file10 = ({ name, mediaType, ...content }: FilePart['file']) => ({
  ...('url' in content ? content : { raw: content.bytes }),
  filename: name,
  mediaType,
})

const part03 = (part: Part) => {
  if ('text' in part) return { kind: 'text', text: part.text }
  if ('file' in part) return file03(part.file)
  return { kind: 'data', data: isRecord(part.data) ? part.data : { value: part.data } }
}

const part10 = (part: Part) => {
  if ('text' in part) return { text: part.text }
  if ('file' in part) return file10(part.file)
  return { data: part.data, mediaType: 'application/json' }
}

const places = ({ contextId, taskId, metadata }: Message) => ({
  ...(contextId !== undefined && { contextId }),
  ...(taskId !== undefined && { taskId }),
  ...(metadata && Object.keys(metadata).length > 0 && { metadata }),
})

const message03 = (message: Message) => ({
  kind: 'message',
  messageId: message.messageId,
  role: message.role,
  parts: message.parts.map(part03),
  ...places(message),
})

const message10 = (message: Message) => ({
  messageId: message.messageId,
  role: message.role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT',
  parts: message.parts.map(part10),
  ...places(message),
})

const states10: Record<TaskState, string> = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  canceled: 'TASK_STATE_CANCELED',
  failed: 'TASK_STATE_FAILED',
  rejected: 'TASK_STATE_REJECTED',
}

type Shape = {
  part(part: Part): object
  message(message: Message): object
  state(state: TaskState): string
  kind: object
}

const byVersion: Record<Version, Shape> = {
  '0.3': { part: part03, message: message03, state: state => state, kind: { kind: 'task' } },
  '1.0': { part: part10, message: message10, state: state => states10[state], kind: {} },
}

const artifactOut = (part: (part: Part) => object, { artifactId, name, parts }: Artifact) => ({
  artifactId,
  name,
  parts: parts.map(part),
})

/** A task on the wire; history and artifacts as far as they are wanted. */
export const encodeTask = (version: Version, task: A2aTask, { historyLength, artifacts }: EncodeOptions) => {
  const { part, message, state, kind } = byVersion[version]
  const history = historyLength === 0 ? [] : task.history.slice(-(historyLength ?? task.history.length))
  return {
    ...kind,
    id: task.id,
    contextId: task.contextId,
    status: {
      state: state(task.state),
      ...(task.message && { message: message(task.message) }),
      timestamp: task.timestamp,
    },
    ...(artifacts &&
      task.artifacts.length > 0 && { artifacts: task.artifacts.map(a => artifactOut(part, a)) }),
    ...(history.length > 0 && { history: history.map(message) }),
  }
}

/** The result of `message/send` (bare) or `SendMessage` (wrapped). */
export const encodeSent = (
  version: Version,
  result: Message | A2aTask,
  historyLength: number | undefined,
) => {
  if ('role' in result) {
    const message = byVersion[version].message(result)
    return version === '0.3' ? message : { message }
  }
  const task = encodeTask(version, result, { historyLength, artifacts: true })
  return version === '0.3' ? task : { task }
}

const stateNames = new Map<string, TaskState>(
  Object.entries(states10).flatMap(([state, name]): [string, TaskState][] => [
    [state, state as TaskState],
    [name, state as TaskState],
  ]),
)

/** The state that a filter of either version names, undefined when there is none such here. */
export const parseState = (name: string): TaskState | undefined => stateNames.get(name)
