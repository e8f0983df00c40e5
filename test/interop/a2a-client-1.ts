import { randomUUID } from 'node:crypto'
import type { Message, Part, SendMessageRequest, StreamResponse, Task } from 'a2a-130'
import { type A2aClient, type Answer, type Content, Refused, type Sending } from './a2a-answer.ts'
import { loadJudge } from './judges.ts'

/** Both aliases are read by the types of the newer one, of which the older is a subset. */
export type Sdk1 = 'a2a-101' | 'a2a-130'
export const loadSdk = (alias: Sdk1) => loadJudge<typeof import('a2a-130')>(alias)
export const loadClient = (alias: Sdk1) => loadJudge<typeof import('a2a-130/client')>(`${alias}/client`)
export const loadLegacy = (alias: Sdk1) =>
  loadJudge<typeof import('a2a-130/compat/v0_3/client')>(`${alias}/compat/v0_3/client`)

const toPart = (part: Content): Part => ({
  content: typeof part === 'string' ? { $case: 'text', value: part } : { $case: 'data', value: part },
  metadata: undefined,
  filename: '',
  mediaType: '',
})

const texts = (parts: readonly Part[]): string[] =>
  parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []))
const data = (parts: readonly Part[]): unknown[] =>
  parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as unknown] : []))

type Thrown = Error & { envelopeCode?: number }

const refuse = (error: unknown): never => {
  const { message, name, envelopeCode } = error as Thrown
  throw new Refused(message, envelopeCode, name)
}

/** A factory as an application sets it up, with or without the SDK's support for 0.3. */
export const loadFactory = async (alias: Sdk1, compat: boolean) => {
  const { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } =
    await loadClient(alias)
  if (!compat) return new ClientFactory()
  const legacyCompat = { enabled: true }
  return new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ legacyCompat })],
      cardResolver: new DefaultAgentCardResolver({ legacyCompat }),
    }),
  )
}

const tenant = ''

/** SDK 1.x. */
export const connect1 =
  (alias: Sdk1, compat: boolean) =>
  async (base: string, card?: string): Promise<A2aClient> => {
    const { Role, TaskState, roleToJSON, taskStateToJSON } = await loadSdk(alias)
    const client = await (await loadFactory(alias, compat)).createFromUrl(`${base}/`, card)

    const request = (
      contents: readonly Content[],
      { later = false, ...ids }: Sending = {},
    ): SendMessageRequest => ({
      tenant,
      message: {
        messageId: randomUUID(),
        contextId: '',
        taskId: '',
        role: Role.ROLE_USER,
        parts: contents.map(toPart),
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
        ...ids,
      },
      configuration: {
        acceptedOutputModes: [],
        taskPushNotificationConfig: undefined,
        returnImmediately: later,
      },
      metadata: undefined,
    })
    const toRole = (message: Message | undefined) =>
      message ? roleToJSON(message.role).slice('ROLE_'.length).toLowerCase() : 'agent'
    const readTask = ({ id, contextId, status, artifacts }: Task): Answer => {
      const parts = [...(status?.message?.parts ?? []), ...artifacts.flatMap(artifact => artifact.parts)]
      const state = taskStateToJSON(status?.state ?? TaskState.TASK_STATE_UNSPECIFIED)
      return {
        kind: 'task',
        id,
        contextId,
        role: toRole(status?.message),
        state: state.slice('TASK_STATE_'.length).toLowerCase().replaceAll('_', '-'),
        texts: texts(parts),
        data: data(parts),
      }
    }
    const read = (result: Message | Task): Answer => {
      if ('status' in result) return readTask(result)
      const { messageId, contextId, parts } = result
      return {
        kind: 'message',
        id: messageId,
        contextId,
        role: toRole(result),
        state: '',
        texts: texts(parts),
        data: data(parts),
      }
    }
    const gather = async (events: AsyncIterable<StreamResponse>): Promise<Answer[]> => {
      const answers: Answer[] = []
      for await (const { payload } of events) {
        if (payload?.$case === 'message' || payload?.$case === 'task') answers.push(read(payload.value))
      }
      return answers
    }
    return {
      name: async () => (await client.getAgentCard()).name,
      send: (contents, options) => client.sendMessage(request(contents, options)).then(read, refuse),
      stream: text => gather(client.sendMessageStream(request([text]))).catch(refuse),
      forceStream: text =>
        gather(
          client.transport.sendMessageStream(request([text]), {
            serviceParameters: { 'A2A-Version': client.protocolVersion },
          }),
        ).catch(refuse),
      get: id => client.getTask({ tenant, id }).then(readTask, refuse),
      cancel: id => client.cancelTask({ tenant, id, metadata: undefined }).then(readTask, refuse),
      list: contextId =>
        client
          .listTasks({
            tenant,
            contextId,
            status: TaskState.TASK_STATE_UNSPECIFIED,
            pageToken: '',
            statusTimestampAfter: undefined,
            includeArtifacts: true,
          })
          .then(({ tasks }) => tasks.map(readTask), refuse),
    }
  }
