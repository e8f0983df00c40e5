import { randomUUID } from 'node:crypto'
import type { Message as Message03, Task as Task03 } from 'a2a-03'
import type { Message as Message1, Task as Task1 } from 'a2a-130'
import { x402Extensions } from '../../a2a-adapter/tasks/payment.ts'
import { loadClient, loadSdk } from './a2a-client-1.ts'
import { loadJudge } from './judges.ts'

type Fields = Record<string, unknown>

/** An answer with what the extension tells in it, as the types of an SDK have it. */
export type PaymentAnswer = {
  id: string
  /** Of a task, spelled as in A2A 0.3; empty for a message. */
  state: string
  texts: readonly string[]
  data: readonly unknown[]
  metadata: Fields
  artifacts: readonly unknown[]
}

type SayOptions = { taskId?: string; metadata?: Fields }

/** A client that sends data parts with metadata, and asks for the x402 extensions. */
export type Speaker = {
  say(data: Fields, options?: SayOptions): Promise<PaymentAnswer>
  get(id: string): Promise<PaymentAnswer>
}

/** The extensions that a service said are active, of the last answer that named any. */
export const openEar = () => {
  const active: string[] = []
  const listen: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const { headers } = response
    const extensions = headers.get('a2a-extensions') ?? headers.get('x-a2a-extensions')
    if (extensions !== null) active.splice(0, active.length, ...extensions.split(',').map(uri => uri.trim()))
    return response
  }
  return { active, listen }
}

/** Reads the card under `base` and speaks through `listen`. */
export type Connect = (base: string, listen: typeof fetch) => Promise<Speaker>

/** SDK 0.3.14. */
export const speak03: Connect = async (base, fetchImpl) => {
  const {
    ClientFactory,
    ClientFactoryOptions,
    JsonRpcTransportFactory,
    ServiceParameters,
    withA2AExtensions,
  } = await loadJudge<typeof import('a2a-03/client')>('a2a-03/client')
  const transports = [new JsonRpcTransportFactory({ fetchImpl })]
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports })
  const client = await new ClientFactory(options).createFromUrl(`${base}/`)
  const serviceParameters = ServiceParameters.create(withA2AExtensions(...x402Extensions))

  const readParts = (parts: Message03['parts'] = []) => ({
    texts: parts.flatMap(part => (part.kind === 'text' ? [part.text] : [])),
    data: parts.flatMap(part => (part.kind === 'data' ? [part.data] : [])),
  })
  const read = (result: Message03 | Task03): PaymentAnswer => {
    if (result.kind === 'message')
      return {
        id: result.messageId,
        state: '',
        ...readParts(result.parts),
        metadata: result.metadata ?? {},
        artifacts: [],
      }
    const { message, state } = result.status
    const artifacts = (result.artifacts ?? []).flatMap(({ parts }) => readParts(parts).data)
    return {
      id: result.id,
      state,
      ...readParts(message?.parts),
      metadata: message?.metadata ?? {},
      artifacts,
    }
  }
  return {
    async say(data, options = {}) {
      const message: Message03 = {
        kind: 'message',
        messageId: randomUUID(),
        role: 'user',
        parts: [{ kind: 'data', data }],
        extensions: [...x402Extensions],
        ...options,
      }
      return read(
        await client.sendMessage({ message, configuration: { blocking: true } }, { serviceParameters }),
      )
    },
    get: async id => read(await client.getTask({ id })),
  }
}

/** SDK 1.3.0. */
export const speak1: Connect = async (base, fetchImpl) => {
  const {
    ClientFactory,
    ClientFactoryOptions,
    JsonRpcTransportFactory,
    ServiceParameters,
    withA2AExtensions,
  } = await loadClient('a2a-130')
  const { Role, TaskState, taskStateToJSON } = await loadSdk('a2a-130')
  const transports = [new JsonRpcTransportFactory({ fetchImpl })]
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports })
  const client = await new ClientFactory(options).createFromUrl(`${base}/`)
  const serviceParameters = ServiceParameters.create(withA2AExtensions(...x402Extensions))
  const tenant = ''

  const readParts = (parts: Message1['parts'] = []) => ({
    texts: parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])),
    data: parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as unknown] : [])),
  })
  const readTask = ({ id, status, artifacts }: Task1): PaymentAnswer => ({
    id,
    state: taskStateToJSON(status?.state ?? TaskState.TASK_STATE_UNSPECIFIED)
      .slice('TASK_STATE_'.length)
      .toLowerCase()
      .replaceAll('_', '-'),
    ...readParts(status?.message?.parts),
    metadata: status?.message?.metadata ?? {},
    artifacts: artifacts.flatMap(({ parts }) => readParts(parts).data),
  })
  const read = (result: Message1 | Task1): PaymentAnswer =>
    'status' in result
      ? readTask(result)
      : {
          id: result.messageId,
          state: '',
          ...readParts(result.parts),
          metadata: result.metadata ?? {},
          artifacts: [],
        }
  return {
    async say(data, { taskId = '', metadata } = {}) {
      const part = { content: { $case: 'data' as const, value: data }, metadata: undefined, filename: '' }
      const message: Message1 = {
        messageId: randomUUID(),
        contextId: '',
        taskId,
        role: Role.ROLE_USER,
        parts: [{ ...part, mediaType: 'application/json' }],
        metadata,
        extensions: [...x402Extensions],
        referenceTaskIds: [],
      }
      const configuration = {
        acceptedOutputModes: [],
        taskPushNotificationConfig: undefined,
        returnImmediately: false,
      }
      const request = { tenant, message, configuration, metadata: undefined }
      return read(await client.sendMessage(request, { serviceParameters }))
    },
    get: id => client.getTask({ tenant, id }).then(readTask),
  }
}
