import type { IncomingMessage, ServerResponse } from 'node:http'
import { cardAt, type Town } from './town.ts'

type Rpc = { id?: string; method: string; params: Record<string, never> }
export type Reply = (rpc: Rpc, request: IncomingMessage) => unknown

/** A JSON-RPC server: what `reply` returns is the answer; a function takes the response over. */
export const rpcPage = (reply: Reply) => (request: IncomingMessage, response: ServerResponse) => {
  let text = ''
  request.on('data', chunk => {
    text += chunk
  })
  request.on('end', () => {
    const rpc = text === '' ? ({ method: 'none' } as Rpc) : JSON.parse(text)
    const answer = reply(rpc, request)
    if (typeof answer === 'function') return answer(response)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id ?? null, ...(answer as object) }))
  })
}

/** The text of the message that was sent. */
export const said = ({ params }: Rpc): string => {
  const { message } = (params ?? {}) as { message?: { parts: { text: string }[] } }
  return message?.parts[0]?.text ?? ''
}

export const authorized = (candidate_identifier: string | undefined, query = 'translation') => ({
  query,
  candidate_identifier,
  authorize_external_contact: true,
})

/** Providers of a town, and those who have them probed. */
export const openProbing = (town: Town) => {
  let hosts = 0
  /** A host with an agent card and an A2A endpoint. */
  const agent = (reply: Reply) => {
    const host = `agent-${++hosts}.example.com`
    town.internet.web.site(host, '/.well-known/agent-card.json', town.json(cardAt(host)))
    town.internet.web.site(host, '/a2a', rpcPage(reply))
    return host
  }
  /** Each in the name of a member of its own, since members are limited. */
  const verify = async (candidate: string | undefined, more: object = {}) =>
    town.ask('verify_external_callability', authorized(candidate), {
      credentials: { bearer: await town.join() },
      ...more,
    })
  const preflight = (candidate_identifier: string) =>
    town.ask('pre_spend_preflight', { need: 'translation', candidate_identifier })
  return { agent, verify, preflight }
}
