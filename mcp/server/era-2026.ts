import type { McpServer, Server, ServerNotifier } from '@modelcontextprotocol/server'
import type { Request } from '../kernel/http.ts'
import { readEvidence } from '../kernel/http.ts'
import { asRecord } from '../lib/json.ts'
import { sayingFaults } from './message.ts'
import type { Era } from './mount.ts'
import { reporter } from './progress.ts'
import type { Surface } from './surface.ts'

const sdk = async () => {
  const [{ createMcpHandler, Server }, { toNodeHandler }, { AjvJsonSchemaValidator }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/node'),
    import('@modelcontextprotocol/server/validators/ajv'),
  ])
  return { createMcpHandler, Server, toNodeHandler, jsonSchemaValidator: new AjvJsonSchemaValidator() }
}

let loaded: ReturnType<typeof sdk> | undefined

/** Loads SDK v2, once. */
export const loadEra2026 = (): ReturnType<typeof sdk> => {
  loaded ??= sdk()
  return loaded
}

const openStreams = 256

/**
 * Serves 2026-07-28: a server per request, JSON that becomes SSE with the first notification. The SDK hands `authInfo`
 * through to the factory untouched, and that is how the request of the exchange gets there.
 */
export const era2026 = async (
  make: (req: Request, notify: ServerNotifier) => Promise<Server | McpServer>,
): Promise<Era> => {
  const { createMcpHandler, toNodeHandler } = await loadEra2026()
  const handler = createMcpHandler(({ authInfo }) => make(authInfo?.extra?.req as Request, handler.notify), {
    legacy: 'reject',
    maxSubscriptions: openStreams,
  })
  const node = toNodeHandler(handler)
  return (req, res, body) => {
    const auth = { token: '', clientId: '', scopes: [], extra: { req } }
    return node(Object.assign(req, { auth }), res, body)
  }
}

const cacheHint = { ttlMs: 300_000, cacheScope: 'public' } as const
const cacheHints = {
  'server/discover': cacheHint,
  'tools/list': cacheHint,
  'resources/list': cacheHint,
  'resources/templates/list': cacheHint,
  'resources/read': { ...cacheHint, ttlMs: 60_000 },
}

/** The extensions that the envelope of a request advertises, each with its settings. */
const extensionsIn = (envelope: unknown): string[] => {
  const { extensions } = asRecord(asRecord(envelope)['io.modelcontextprotocol/clientCapabilities'])
  return Object.keys(asRecord(extensions))
}

/** The binding of SDK v2's low-level server to a surface. */
export const bind2026 = async (surface: Surface, req: Request): Promise<Server> => {
  const { Server, jsonSchemaValidator } = await loadEra2026()
  const { info, instructions, tools, resources, extensions } = surface
  const announced = Object.fromEntries(extensions.map(name => [name, {}]))
  const server = new Server(info, {
    capabilities: {
      tools: {},
      ...(resources && { resources: {} }),
      ...(extensions.length > 0 && { extensions: announced }),
    },
    instructions,
    jsonSchemaValidator,
    cacheHints,
  })
  server.setRequestHandler('tools/list', () => ({ tools: tools as never }))
  if (resources) {
    const { list, templates, read } = resources
    server.setRequestHandler('resources/list', () => ({ resources: list as never }))
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: templates as never }))
    server.setRequestHandler('resources/read', async ({ params }) => ({
      contents: [await read(params.uri, readEvidence(req).client)],
    }))
  }
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const meta = mcpReq._meta ?? {}
    const news = reporter(meta.progressToken, progress =>
      mcpReq.notify({ method: 'notifications/progress', params: progress }),
    )
    const { name, arguments: input } = params
    const { signal } = mcpReq
    const result = await surface.call({
      name,
      input,
      meta,
      evidence: readEvidence(req),
      extensions: extensionsIn(mcpReq.envelope),
      signal,
      ...news.progressOption,
    })
    await news.flush()
    return result
  })
  return sayingFaults(server)
}
