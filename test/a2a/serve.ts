import { a2aRoutes } from '../../a2a-adapter/index.ts'
import type { World } from '../../mcp/kernel/call.ts'
import type { Service } from '../../mcp/kernel/service.ts'
import { listen } from '../listen.ts'
import { openTestWorld, type TestWorld } from '../world.ts'

type Options = Parameters<typeof a2aRoutes>[2]

export type Answer = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  body: any
}

export type Served = {
  world: TestWorld
  url: string
  /** Sends a body, as JSON unless it is text. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  stop(): Promise<void>
}

/** Serves the A2A routes of services at `/{slug}` of a free loopback port, over a real store. */
export const serve = async (
  services: readonly Service[],
  more: Partial<World> = {},
  options: Options = {},
): Promise<Served> => {
  const world = await openTestWorld(more)
  const sites = services.map(service => ({
    prefix: `/${service.slug}`,
    routes: a2aRoutes(world, service, options),
  }))
  const { url, stop } = await listen(sites)
  world.at(url)
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(url + path, init)
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  return {
    world,
    url,
    post: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: (path, headers = {}) => ask(path, { headers }),
    async stop() {
      await stop()
      await world.stop()
    },
  }
}

/** A JSON-RPC request. */
export const rpc = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

/** A user message in 0.3; a string is a text part, an object a data part. */
export const message03 = (parts: readonly (string | object)[], more: object = {}) => ({
  message: {
    kind: 'message',
    messageId: 'm1',
    role: 'user',
    parts: parts.map(part =>
      typeof part === 'string' ? { kind: 'text', text: part } : { kind: 'data', data: part },
    ),
    ...more,
  },
})

/** A user message in 1.0. */
export const message10 = (parts: readonly (string | object)[], more: object = {}) => ({
  message: {
    messageId: 'm1',
    role: 'ROLE_USER',
    parts: parts.map(part => (typeof part === 'string' ? { text: part } : { data: part })),
    ...more,
  },
})

export const v1 = { 'a2a-version': '1.0' }
