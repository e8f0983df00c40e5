import { Agent, request } from 'undici'
import type { Step } from './carry.ts'
import { type ConnectorSettings, openConnector } from './connector.ts'

export { readText } from './charset.ts'

/** Milliseconds: to connect, until the headers are there, and between two pieces of a body. */
export type Timeouts = { connectMs: number; headersMs: number; idleMs: number }

type Settings = Omit<ConnectorSettings, 'connectMs'> & { timeouts: Timeouts; perOrigin: number }

/** Opens the connections of one fetch port. The body of an answer has an error listener already: without, it could kill the process. */
export const openTransport = ({ timeouts, perOrigin, ...settings }: Settings) => {
  const agent = new Agent({
    connect: openConnector({ ...settings, connectMs: timeouts.connectMs }),
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.idleMs,
    maxHeaderSize: 32 * 1024,
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 15_000,
    connections: perOrigin,
    pipelining: 1,
  })
  return {
    async send({ url, method, headers, body }: Step, signal: AbortSignal) {
      const answer = await request(url, { dispatcher: agent, method, headers, body: body ?? null, signal })
      answer.body.on('error', () => {})
      return answer
    },
    close: () => agent.destroy(),
  }
}

export type Transport = ReturnType<typeof openTransport>
