import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js'
import type { Request } from '../kernel/http.ts'
import { readEvidence } from '../kernel/http.ts'
import { readMeta } from './era.ts'
import { sayingFaults } from './message.ts'
import type { Era } from './mount.ts'
import { reporter } from './progress.ts'
import type { Surface } from './surface.ts'

/** A server of SDK v1, low-level or not, made for one request. */
type Server = { connect(transport: Transport): Promise<void>; close(): Promise<void> }

const sdk = async () => {
  const [{ Server }, { StreamableHTTPServerTransport }, { AjvJsonSchemaValidator }, types] =
    await Promise.all([
      import('@modelcontextprotocol/sdk/server/index.js'),
      import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
      import('@modelcontextprotocol/sdk/validation/ajv'),
      import('@modelcontextprotocol/sdk/types.js'),
    ])
  return { Server, StreamableHTTPServerTransport, types, jsonSchemaValidator: new AjvJsonSchemaValidator() }
}

let loaded: ReturnType<typeof sdk> | undefined

/** Loads SDK v1, once. */
export const loadEra2025 = (): ReturnType<typeof sdk> => {
  loaded ??= sdk()
  return loaded
}

const waitsForNews = (body: unknown): boolean =>
  (Array.isArray(body) ? body : [body]).some(message => readMeta(message).progressToken !== undefined)

/**
 * Serves 2025-11-25 and older without sessions: a server per request, JSON unless `streams` says that the client waits for
 * notifications. A client that leaves closes the server, which aborts its handlers.
 */
export const era2025 = async (
  make: (req: Request) => Promise<Server>,
  streams: (body: unknown) => boolean = waitsForNews,
): Promise<Era> => {
  const { StreamableHTTPServerTransport } = await loadEra2025()
  return async (req, res, body) => {
    const server = await make(req)
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: !streams(body) })
    res.on('close', () => void server.close())
    await server.connect(transport as Transport)
    await transport.handleRequest(req, res, body)
  }
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** The binding of SDK v1's low-level server to a surface. */
export const bind2025 = async (surface: Surface, req: Request): Promise<Server> => {
  const { Server, types, jsonSchemaValidator } = await loadEra2025()
  const { info, instructions, tools, resources } = surface
  const server = new Server(info, {
    capabilities: { tools: {}, ...(resources && { resources: {} }) },
    instructions,
    jsonSchemaValidator,
  })
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: tools as never }))
  if (resources) {
    const { list, templates, read } = resources
    server.setRequestHandler(types.ListResourcesRequestSchema, () => ({ resources: list as never }))
    server.setRequestHandler(types.ListResourceTemplatesRequestSchema, () => ({
      resourceTemplates: templates as never,
    }))
    server.setRequestHandler(types.ReadResourceRequestSchema, async ({ params }) => ({
      contents: [await read(params.uri, readEvidence(req).client)],
    }))
  }
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra: Extra) => {
    const meta = params._meta ?? {}
    const news = reporter(meta.progressToken, progress =>
      extra.sendNotification({ method: 'notifications/progress', params: progress }),
    )
    const { name, arguments: input } = params
    const { signal } = extra
    const result = await surface.call({
      name,
      input,
      meta,
      evidence: readEvidence(req),
      signal,
      ...news.progressOption,
    })
    await news.flush()
    return result
  })
  return sayingFaults(server)
}
