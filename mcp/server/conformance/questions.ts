import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { isRecord } from '../../lib/json.ts'
import type { Era } from '../mount.ts'

type Message = Readonly<Record<string, unknown>>
type Transport = {
  onmessage?: ((message: never, extra?: never) => void) | undefined
  send(message: never, options?: never): Promise<void>
}
type Connecting = { connect(transport: never): Promise<void>; close(): Promise<void> }

/** Questions of a server that wait for their answers, by the ids that they went out with. */
export type PendingQuestions = Map<string, (answer: Message) => void>

/** More than these wait for nobody. */
const maxWaiting = 1000

/**
 * Lets a server of one request ask its client something while it answers (sampling, elicitation): without sessions, the id of a question is
 * all that its answer is known by, so each goes out under one of its own.
 */
export const asking = <server extends Connecting>(server: server, questions: PendingQuestions): server => {
  const { connect } = server
  server.connect = (transport: Transport) => {
    const { send } = transport
    transport.send = (message: Message, options) => {
      if (typeof message.method !== 'string' || message.id === undefined)
        return send.call(transport, message as never, options)
      const id = randomUUID()
      if (questions.size < maxWaiting)
        questions.set(id, answer => transport.onmessage?.({ ...answer, id: message.id } as never))
      return send.call(transport, { ...message, id } as never, options)
    }
    return connect.call(server, transport as never)
  }
  return server
}

const sendAccepted = (res: ServerResponse): void => void res.writeHead(202).end()

/** An era that takes answers to questions, which come as requests of their own. */
export const answering =
  (era: Era, questions: PendingQuestions): Era =>
  async (req, res, body) => {
    const id = isRecord(body) && body.method === undefined ? body.id : undefined
    const take = typeof id === 'string' ? questions.get(id) : undefined
    if (!take) return era(req, res, body)
    questions.delete(String(id))
    sendAccepted(res)
    take(body as Message)
  }
