import { type IncomingHttpHeaders, request } from 'node:http'
import type { World } from '../../mcp/kernel/call.ts'
import type { Service } from '../../mcp/kernel/service.ts'
import { restRoutes } from '../../rest-adapter/index.ts'
import { listen } from '../listen.ts'
import { openTestWorld } from '../world.ts'

export type Served = Awaited<ReturnType<typeof serve>>

/** Serves services over REST, each under its slug, in a real world. */
export const serve = async (services: readonly Service[], more: Partial<World> = {}) => {
  const world = await openTestWorld(more)
  const errors: unknown[] = []
  const sites = services.map(service => ({ prefix: `/${service.slug}`, routes: restRoutes(world, service) }))
  const { url, stop } = await listen(sites, { onError: error => void errors.push(error) })
  world.at(url)
  return {
    url,
    world,
    /** What handlers threw that nobody had foreseen. */
    errors,
    async stop() {
      await stop()
      await world.stop()
    },
  }
}

export type Reply = { status: number; headers: IncomingHttpHeaders; body: string }

/** A request with every header as given, Host and Origin too, and the path as it stands. */
export const raw = (
  url: string,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: object; body?: string } = {},
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const sent = request({ hostname, port, path, method, headers: { ...headers } }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })

export const json = { 'content-type': 'application/json' }

/** Posts JSON, or a body as it stands. */
export const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { ...json, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
