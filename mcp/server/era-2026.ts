import { createHash } from 'node:crypto'
import type { McpServer, Server, ServerNotifier } from '@modelcontextprotocol/server'
import canonicalize from 'canonicalize'
import type { Request } from '../kernel/http.ts'
import { readEvidence } from '../kernel/http.ts'
import { asRecord } from '../lib/json.ts'
import { opensPages } from './client-capabilities.ts'
import { type ExchangeOf, isPlain, type KeptServer, keepServer, type PlainRequest } from './exchanges.ts'
import { sayingFaults } from './message.ts'
import type { Era } from './mount.ts'
import { reporter } from './progress.ts'
import { visitOf } from './sign-in.ts'
import { PersonAsked, type Surface } from './surface.ts'

const loadSdk = async () => {
  const [server, { toNodeHandler }, { AjvJsonSchemaValidator }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/node'),
    import('@modelcontextprotocol/server/validators/ajv'),
  ])
  return { server, toNodeHandler, jsonSchemaValidator: new AjvJsonSchemaValidator() }
}

let sdkLoading: ReturnType<typeof loadSdk> | undefined

/** Loads SDK v2, once. */
export const loadEra2026 = (): ReturnType<typeof loadSdk> => {
  sdkLoading ??= loadSdk()
  return sdkLoading
}

const openStreams = 256

/** The revision that plain requests are answered in. */
const revision = '2026-07-28'

/** True when the headers repeat what the body says, word for word: nothing is to be decoded or refused. */
const isRepeated = (
  { headers }: Request,
  { method, params }: { method: string; params?: unknown },
): boolean =>
  headers['mcp-protocol-version'] === revision &&
  headers['mcp-method'] === method &&
  (method === 'tools/list' || headers['mcp-name'] === asRecord(params).name)

/**
 * Serves 2026-07-28: a server per request, JSON that becomes SSE with the first notification. The SDK hands `authInfo`
 * through to the factory untouched, and that is how the request of the exchange gets there. Plain requests are answered by the server
 * that `keptServerFor` has for them.
 */
export const era2026 = async (
  make: (req: Request, notify: ServerNotifier) => Promise<Server | McpServer>,
  keptServerFor?: (req: Request) => Promise<KeptServer>,
): Promise<Era> => {
  const { server: sdk, toNodeHandler } = await loadEra2026()
  const { createMcpHandler, classifyInboundRequest } = sdk
  const handler = createMcpHandler(({ authInfo }) => make(authInfo?.extra?.req as Request, handler.notify), {
    legacy: 'reject',
    maxSubscriptions: openStreams,
  })
  const node = toNodeHandler(handler)
  const classify = (req: Request, body: PlainRequest) => {
    const name = req.headers['mcp-name']
    return classifyInboundRequest({
      httpMethod: 'POST',
      protocolVersionHeader: revision,
      mcpMethodHeader: body.method,
      ...(typeof name === 'string' && { mcpNameHeader: name }),
      body,
    })
  }
  return async (req, res, body) => {
    if (keptServerFor && isPlain(req, body) && isRepeated(req, body)) {
      const route = classify(req, body)
      const isRequest = route.kind === 'modern' && route.messageKind === 'request'
      if (isRequest && route.classification.revision === revision) {
        const server = await keptServerFor(req)
        if (server.ask(req, res, body, { classification: route.classification })) return
      }
    }
    const auth = { token: '', clientId: '', scopes: [], extra: { req } }
    await node(Object.assign(req, { auth }), res, body)
  }
}

const keptServers = new WeakMap<Surface, Promise<KeptServer>>()

/** The server of a surface that stays, made with its first plain request. */
const makeKept = async (surface: Surface): Promise<KeptServer> => {
  const { PerRequestHTTPServerTransport } = (await loadEra2026()).server
  const transport = new PerRequestHTTPServerTransport({ classification: { era: 'modern', revision } })
  return keepServer(transport, exchangeOf => bind2026(surface, exchangeOf))
}

const keptFor = (surface: Surface): Promise<KeptServer> => {
  const keptServer = keptServers.get(surface) ?? makeKept(surface)
  keptServers.set(surface, keptServer)
  return keptServer
}

/** Serves a surface, which may depend on the request, to clients of 2026-07-28. */
export const serve2026 = (surfaceFor: (req: Request) => Surface): Promise<Era> =>
  era2026(
    req => bind2026(surfaceFor(req), (_, signal) => ({ req, signal })),
    req => keptFor(surfaceFor(req)),
  )

const cacheHint = { ttlMs: 300_000, cacheScope: 'public' } as const
const cacheHints = {
  'server/discover': cacheHint,
  'tools/list': cacheHint,
  'resources/list': cacheHint,
  'resources/templates/list': cacheHint,
  'resources/read': { ...cacheHint, ttlMs: 60_000 },
}

/** Capabilities of the client by the envelope of a request. */
const capabilitiesIn = (envelope: unknown): Record<string, unknown> =>
  asRecord(asRecord(envelope)['io.modelcontextprotocol/clientCapabilities'])

const invalidParams = -32602

/** State across the calls of one ask, sealed: the page that was asked for, and the digest of the call it is for. */
type AskState = { id: string; call: string }

/** Seconds for which a client may come back from a page. */
const askSeconds = 600

const digestCall = (name: string, input: unknown): string =>
  createHash('sha256')
    .update(canonicalize([name, input ?? {}]) ?? '')
    .digest('base64url')

/** The binding of SDK v2's low-level server to a surface. */
const bind2026 = async (surface: Surface, exchangeOf: ExchangeOf): Promise<Server> => {
  const { server: sdk, jsonSchemaValidator } = await loadEra2026()
  const { Server, ProtocolError, createRequestStateCodec, inputRequired } = sdk
  const { info, instructions, tools, resources, extensions, seal } = surface
  const codec =
    seal && createRequestStateCodec<AskState>({ key: seal('mcp request state'), ttlSeconds: askSeconds })
  const announced = Object.fromEntries(extensions.map(name => [name, {}]))
  const server = new Server(info, {
    capabilities: {
      tools: {},
      ...(resources && { resources: {} }),
      ...(extensions.length > 0 && { extensions: announced }),
    },
    instructions,
    jsonSchemaValidator,
    // A server that is connected by the SDK's own handler is told so by it.
    supportedProtocolVersions: [revision],
    cacheHints,
    ...(codec && { requestState: { verify: codec.verify } }),
  })
  server.setRequestHandler('tools/list', () => ({ tools: tools as never }))
  if (resources) {
    const { list, templates, read } = resources
    server.setRequestHandler('resources/list', () => ({ resources: list as never }))
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: templates as never }))
    server.setRequestHandler('resources/read', async ({ params }, { mcpReq }) => ({
      contents: [await read(params.uri, readEvidence(exchangeOf(mcpReq.id, mcpReq.signal).req).client)],
    }))
  }
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const meta = mcpReq._meta ?? {}
    const news = reporter(meta.progressToken, progress =>
      mcpReq.notify({ method: 'notifications/progress', params: progress }),
    )
    const { name, arguments: input } = params
    const { req, signal } = exchangeOf(mcpReq.id, mcpReq.signal)
    const capabilities = capabilitiesIn(mcpReq.envelope)
    const state = codec && mcpReq.requestState<AskState>()
    if (state && state.call !== digestCall(name, input))
      throw new ProtocolError(invalidParams, 'requestState: it belongs to another call.')
    // Whoever comes back is answered plainly: asked again at once, clients would ask ten times.
    const isBack = state !== undefined
    const accepted = isBack && asRecord(mcpReq.inputResponses?.pay).action === 'accept'
    const calling = surface.call({
      name,
      input,
      meta,
      evidence: readEvidence(req),
      extensions: Object.keys(asRecord(capabilities.extensions)),
      opensPages: !isBack && codec !== undefined && opensPages(capabilities),
      ...(accepted && { pageId: state.id }),
      signal,
      ...visitOf(req),
      ...news.progressOption,
    })
    const result = await calling.catch(async (error: unknown) => {
      if (!(error instanceof PersonAsked) || !codec) throw error
      const { id, url, message } = error.ask
      return inputRequired({
        inputRequests: { pay: inputRequired.elicitUrl({ url, message }) },
        requestState: await codec.mint({ id, call: digestCall(name, input) }),
      })
    })
    await news.flush()
    return result
  })
  return sayingFaults(server)
}
