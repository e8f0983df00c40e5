import { request } from 'node:http'
import type { Config } from '../app/config.ts'
import { ToolError } from '../mcp/kernel/error.ts'

/** The server that runs with this configuration, as this machine reaches it. */
export type LocalServer = {
  /** Its address on this machine. */
  url: string
  /** A fetch to it, by path or absolute address. It calls the server by the name that it answers to. */
  fetch(target: string | URL | Request, init?: RequestInit): Promise<Response>
}

const addressFor = ({ OCTAGENT_BIND, PORT }: Config): string => {
  const every = new Map([
    ['0.0.0.0', '127.0.0.1'],
    ['::', '::1'],
    ['[::]', '::1'],
  ])
  const host = every.get(OCTAGENT_BIND) ?? OCTAGENT_BIND
  return `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${PORT}`
}

const noAnswer = (url: string, cause: unknown) =>
  new ToolError('unavailable', `No server answers at ${url}.`, {
    hint: 'Start it with: octagent serve',
    cause,
  })

/**
 * Opens the way to the server of a configuration. A server with a public address answers to that name only, so the name goes along
 * while the connection stays on this machine.
 */
export const localServer = (config: Config): LocalServer => {
  const url = addressFor(config)
  const name = config.PUBLIC_URL === undefined ? {} : { host: new URL(config.PUBLIC_URL).host }
  return {
    url,
    async fetch(target, init) {
      const incoming = new Request(
        typeof target === 'string' && target.startsWith('/') ? `${url}${target}` : target,
        init,
      )
      const { pathname, search } = new URL(incoming.url)
      const body = Buffer.from(await incoming.arrayBuffer())
      const headers = {
        ...Object.fromEntries(incoming.headers),
        ...name,
        ...(body.length > 0 && { 'content-length': String(body.length) }),
      }
      return new Promise((resolve, reject) => {
        const { method, signal } = incoming
        const outgoing = request(`${url}${pathname}${search}`, { method, headers, signal }, answer => {
          const chunks: Buffer[] = []
          answer.on('data', chunk => chunks.push(chunk))
          answer.on('error', cause => reject(noAnswer(url, cause)))
          answer.on('end', () => {
            const fields = new Headers()
            for (let at = 0; at < answer.rawHeaders.length; at += 2)
              fields.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '')
            const status = answer.statusCode ?? 500
            const empty = status === 204 || status === 304
            resolve(new Response(empty ? null : Buffer.concat(chunks), { status, headers: fields }))
          })
        })
        outgoing.on('error', cause => reject(noAnswer(url, cause)))
        outgoing.end(body.length > 0 ? body : undefined)
      })
    },
  }
}
