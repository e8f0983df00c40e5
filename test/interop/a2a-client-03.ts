import { randomUUID } from 'node:crypto'
import type { Message, Part, Task } from 'a2a-03'
import { type A2aClient, type Answer, type Content, Refused, type Sending } from './a2a-answer.ts'
import { loadJudge } from './judges.ts'

const toParams = (contents: readonly Content[], { later = false, ...ids }: Sending = {}) => ({
  message: {
    kind: 'message' as const,
    messageId: randomUUID(),
    role: 'user' as const,
    parts: contents.map(
      (part): Part =>
        typeof part === 'string' ? { kind: 'text', text: part } : { kind: 'data', data: part },
    ),
    ...ids,
  },
  configuration: { acceptedOutputModes: ['text/plain', 'application/json'], blocking: !later },
})

const texts = (parts: readonly Part[]) => parts.flatMap(part => (part.kind === 'text' ? [part.text] : []))
const data = (parts: readonly Part[]) => parts.flatMap(part => (part.kind === 'data' ? [part.data] : []))

const read = (result: Message | Task): Answer => {
  if (result.kind === 'message') {
    const { messageId, contextId = '', role, parts } = result
    return {
      kind: 'message',
      id: messageId,
      contextId,
      role,
      state: '',
      texts: texts(parts),
      data: data(parts),
    }
  }
  const { id, contextId, status, artifacts = [] } = result
  const parts = [...(status.message?.parts ?? []), ...artifacts.flatMap(artifact => artifact.parts)]
  const role = status.message?.role ?? 'agent'
  return { kind: 'task', id, contextId, role, state: status.state, texts: texts(parts), data: data(parts) }
}

type Reply = { result: unknown } | { error: { code: number; message: string } }

/** SDK 0.2.5: it reads `agent.json` and hands out the whole JSON-RPC response. */
export const connect02 = async (base: string): Promise<A2aClient> => {
  const { A2AClient } = await loadJudge<typeof import('a2a-020/client')>('a2a-020/client')
  const client = new A2AClient(base)
  const answer = (reply: Reply): Answer => {
    if ('error' in reply) throw new Refused(reply.error.message, reply.error.code)
    return read(reply.result as Message | Task)
  }
  return {
    name: async () => (await client.getAgentCard()).name,
    send: async (contents, options) => answer(await client.sendMessage(toParams(contents, options))),
    async stream(text) {
      const events: Answer[] = []
      for await (const event of client.sendMessageStream(toParams([text])))
        events.push(read(event as Message))
      return events
    },
    forceStream: undefined,
    get: async id => answer(await client.getTask({ id })),
    cancel: async id => answer(await client.cancelTask({ id })),
    list: undefined,
  }
}

type Thrown = Error & { errorResponse?: { error: { code: number } } }

const refuse = (cause: unknown): never => {
  const error = cause as Thrown
  throw new Refused(error.message, error.errorResponse?.error.code, error.constructor.name)
}

/** SDK 0.3.14: its factory reads `agent-card.json`. */
export const connect03 = async (base: string, card?: string): Promise<A2aClient> => {
  const { ClientFactory } = await loadJudge<typeof import('a2a-03/client')>('a2a-03/client')
  const client = await new ClientFactory().createFromUrl(`${base}/`, card)
  const gather = async (events: AsyncIterable<unknown>): Promise<Answer[]> => {
    const answers: Answer[] = []
    for await (const event of events) answers.push(read(event as Message))
    return answers
  }
  return {
    name: async () => (await client.getAgentCard()).name,
    send: (contents, options) => client.sendMessage(toParams(contents, options)).then(read, refuse),
    stream: text => gather(client.sendMessageStream(toParams([text]))).catch(refuse),
    forceStream: text => gather(client.transport.sendMessageStream(toParams([text]))).catch(refuse),
    get: id => client.getTask({ id }).then(read, refuse),
    cancel: id => client.cancelTask({ id }).then(read, refuse),
    list: undefined,
  }
}
