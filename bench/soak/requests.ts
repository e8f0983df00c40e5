import { services } from '../../app/services.ts'
import { isFree, skillId } from '../../mcp/kernel/tool.ts'
import { mcpAsk } from '../mcp-ask.ts'

/** One request of the soak: what is sent, and whether its client leaves before the answer. */
export type SoakRequest = {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly leaves?: true
}

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const get = (path: string, accept = 'application/json'): SoakRequest => ({
  name: `GET ${path}`,
  method: 'GET',
  path,
  headers: { accept },
})

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): SoakRequest => ({
  name: `POST ${path}`,
  method: 'POST',
  path,
  headers: { ...json, ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const mcp = (
  slug: string,
  era: '2025-11-25' | '2026-07-28',
  method: string,
  params: object,
  name?: string,
) => {
  const { headers, body } = mcpAsk(era, method, params, name)
  return post(`${slug}/mcp`, body, headers)
}

const eras = ['2025-11-25', '2026-07-28'] as const

const message = (skill: string, input: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'message/send',
  params: {
    message: {
      kind: 'message',
      messageId: 'm',
      role: 'user',
      parts: [{ kind: 'data', data: { skill, ...input } }],
    },
  },
})

/**
 * What answers by itself and keeps nothing: tools that only read and cost nothing, on all three transports, quotes of tools that cost
 * something, pages and descriptions, and what is refused or breaks off. What is written down may grow, and is not asked for.
 */
export const soakRequests = (): SoakRequest[] => {
  const calls = services.flatMap(service => {
    const base = `/${service.slug}`
    const a2aPath = service.interfaces.find(({ binding }) => binding === 'JSONRPC')?.path ?? '/a2a'
    return service.tools.flatMap((tool): SoakRequest[] => {
      const example: object = tool.examples[0]
      const isQuoted = !isFree(tool.price)
      if (tool.hints.openWorld && !isQuoted) return []
      const rest = post(`${base}/tools/${tool.name}`, example)
      if (isQuoted) return [rest]
      if (!tool.hints.readOnly) return []
      return [
        rest,
        ...(tool.mcp === false
          ? []
          : eras.map(era =>
              mcp(base, era, 'tools/call', { name: tool.name, arguments: example }, tool.name),
            )),
        ...(tool.a2a
          ? [post(`${base}${a2aPath === '/' ? '' : a2aPath}`, message(skillId(tool) ?? tool.name, example))]
          : []),
      ]
    })
  })
  const pages = services.flatMap(({ slug, card }) => [
    get(`/${slug}/`, 'text/html'),
    get(`/${slug}/llms.txt`, 'text/plain'),
    get(`/${slug}/openapi.json`),
    get(`/${slug}${card.path}`),
    ...eras.map(era => mcp(`/${slug}`, era, 'tools/list', {})),
  ])
  const site = [
    get('/healthz'),
    get('/', 'text/html'),
    ...eras.map(era =>
      mcp('', era, 'tools/call', { name: 'find_tool', arguments: { question: 'feed a cat' } }, 'find_tool'),
    ),
  ]
  const refused = [
    get('/nothing/here'),
    post('/cat/tools/pet', '{"broken":'),
    post('/data/tools/json-repair', { nonsense: 1 }),
    post('/cat/mcp', '[]'),
    post('/cat/a2a', { jsonrpc: '2.0', id: 1, method: 'nothing' }),
  ]
  const leaving = calls
    .filter((_, nth) => nth % 10 === 0)
    .map(request => ({ ...request, leaves: true as const }))
  return [...calls, ...pages, ...site, ...refused, ...leaving]
}
