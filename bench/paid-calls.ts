import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Payer } from './payer.ts'

/** What a feeding answers, as far as the benchmark looks at it. */
export type Purr = { transaction: `0x${string}`; number: number }

const readPurr = (value: unknown, whole: unknown): Purr => {
  const { transaction, number } = (value ?? {}) as Partial<Purr>
  if (!transaction || !number) throw new Error(`not fed: ${JSON.stringify(whole).slice(0, 400)}`)
  return { transaction, number }
}

/** Feeds the cat over REST: asks, signs what is quoted, and asks again with the payment. */
export const feedRest = async (url: string, payer: Payer): Promise<Purr> => {
  const body = await (await payer.fetch(`${url}/cat/api/feed`, { method: 'POST' })).json()
  return readPurr(body, body)
}

/** The same with the client of the official MCP SDK, which has connected before. */
export const openMcpFeed = async (url: string, payer: Payer) => {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/cat/mcp`)) as Transport)
  const call = (_meta?: Record<string, unknown>) =>
    client.callTool({ name: 'feed', arguments: {}, ...(_meta && { _meta }) })
  return {
    feed: async (): Promise<Purr> => {
      const quote = await call()
      const result = await call({ 'x402/payment': await payer.sign(quote.structuredContent) })
      return readPurr(result.structuredContent, result)
    },
    close: () => client.close(),
  }
}

type Task = {
  id: string
  status: { message?: { metadata?: Record<string, unknown> } }
  artifacts?: { parts: { data?: unknown }[] }[]
}

/** The same over A2A 0.3: a task that asks for its payment, and a message that pays for it. */
export const feedA2a = async (url: string, payer: Payer): Promise<Purr> => {
  const send = async (more: object, data: object): Promise<Task> => {
    const message = { kind: 'message', role: 'user', messageId: crypto.randomUUID(), ...more }
    const params = { message: { ...message, parts: [{ kind: 'data', data }] } }
    const response = await fetch(`${url}/cat/a2a`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-a2a-extensions': 'https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params }),
    })
    const { result, error } = (await response.json()) as { result?: Task; error?: unknown }
    if (!result) throw new Error(`no task: ${JSON.stringify(error).slice(0, 400)}`)
    return result
  }
  const task = await send({}, { skill: 'feed' })
  const payload = await payer.sign(task.status.message?.metadata?.['x402.payment.required'])
  const metadata = { 'x402.payment.status': 'payment-submitted', 'x402.payment.payload': payload }
  const done = await send({ taskId: task.id, metadata }, {})
  return readPurr(done.artifacts?.[0]?.parts.find(({ data }) => data)?.data, done)
}
