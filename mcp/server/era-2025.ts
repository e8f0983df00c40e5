import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js'
import type { Request } from '../kernel/http.ts'
import { readEvidence } from '../kernel/http.ts'
import { readCapabilityId, toCapabilityId } from './client-capabilities.ts'
import { readMeta } from './era.ts'
import { type ExchangeOf, isPlain, type KeptServer, keepServer } from './exchanges.ts'
import { sayingFaults } from './message.ts'
import type { Era } from './mount.ts'
import { reporter } from './progress.ts'
import { visitOf } from './sign-in.ts'
import { PersonAsked, type Surface } from './surface.ts'

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

let sdkLoading: ReturnType<typeof sdk> | undefined

/** Loads SDK v1, once. */
export const loadEra2025 = (): ReturnType<typeof sdk> => {
  sdkLoading ??= sdk()
  return sdkLoading
}

const waitsForNews = (body: unknown): boolean =>
  (Array.isArray(body) ? body : [body]).some(message => readMeta(message).progressToken !== undefined)

/**
 * Serves 2025-11-25 and older without sessions: a server per request, JSON unless `streams` says that the client waits for
 * notifications. A client that leaves closes the server, which aborts its handlers. Plain requests are answered by the server that
 * `keptServerFor` has for them.
 */
export const era2025 = async (
  make: (req: Request) => Promise<Server>,
  streams: (body: unknown) => boolean = waitsForNews,
  keptServerFor?: (req: Request) => Promise<KeptServer>,
): Promise<Era> => {
  const { StreamableHTTPServerTransport, types } = await loadEra2025()
  const isSupported = (version: unknown): boolean =>
    version === undefined || types.SUPPORTED_PROTOCOL_VERSIONS.some(supported => supported === version)
  return async (req, res, body) => {
    if (keptServerFor && isPlain(req, body) && isSupported(req.headers['mcp-protocol-version'])) {
      const server = await keptServerFor(req)
      if (server.ask(req, res, body)) return
    }
    const server = await make(req)
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: !streams(body) })
    res.on('close', () => void server.close())
    await server.connect(transport as Transport)
    await transport.handleRequest(req, res, body)
  }
}

/** The era with the one capability that crosses its calls, in an `Mcp-Session-Id` that names no session. */
const withCapabilityId =
  (era: Era, surfaceFor: (req: Request) => Surface): Era =>
  (req, res, body) => {
    const id = toCapabilityId(body, surfaceFor(req).seal)
    if (id !== undefined) res.setHeader('Mcp-Session-Id', id)
    return era(req, res, body)
  }

const keptServers = new WeakMap<Surface, Promise<KeptServer>>()

/** The server of a surface that stays, made with its first plain request. */
const keptFor = (surface: Surface): Promise<KeptServer> => {
  const keptServer =
    keptServers.get(surface) ??
    keepServer(
      { send: async () => {}, start: async () => {}, close: async () => {} } as Transport,
      exchangeOf => bind2025(surface, exchangeOf),
    )
  keptServers.set(surface, keptServer)
  return keptServer
}

/** Serves a surface, which may depend on the request, to clients of 2025-11-25 and older. */
export const serve2025 = async (surfaceFor: (req: Request) => Surface): Promise<Era> =>
  withCapabilityId(
    await era2025(
      req => bind2025(surfaceFor(req), (_, signal) => ({ req, signal })),
      waitsForNews,
      req => keptFor(surfaceFor(req)),
    ),
    surfaceFor,
  )

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** The binding of SDK v1's low-level server to a surface. */
const bind2025 = async (surface: Surface, exchangeOf: ExchangeOf): Promise<Server> => {
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
    server.setRequestHandler(types.ReadResourceRequestSchema, async ({ params }, { requestId, signal }) => ({
      contents: [await read(params.uri, readEvidence(exchangeOf(requestId, signal).req).client)],
    }))
  }
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra: Extra) => {
    const meta = params._meta ?? {}
    const news = reporter(meta.progressToken, progress =>
      extra.sendNotification({ method: 'notifications/progress', params: progress }),
    )
    const { name, arguments: input } = params
    const { req, signal } = exchangeOf(extra.requestId, extra.signal)
    const calling = surface.call({
      name,
      input,
      meta,
      evidence: readEvidence(req),
      opensPages: readCapabilityId(req.headers['mcp-session-id'], surface.seal),
      signal,
      ...visitOf(req),
      ...news.progressOption,
    })
    const result = await calling.catch((error: unknown) => {
      if (!(error instanceof PersonAsked)) throw error
      const { id: elicitationId, ...ask } = error.ask
      throw new types.UrlElicitationRequiredError([{ mode: 'url', elicitationId, ...ask }], error.message)
    })
    await news.flush()
    return result
  })
  return sayingFaults(server)
}
