import { createHash, randomUUID } from 'node:crypto'
import type { World } from '../mcp/kernel/call.ts'
import { callEndpoint, type EndpointOutcome } from '../mcp/kernel/call-endpoint.ts'
import type { AnyEndpoint, EndpointRequest } from '../mcp/kernel/endpoint.ts'
import { isExplained, ToolError, toToolError } from '../mcp/kernel/error.ts'
import {
  bodyDigest,
  bodyLimit,
  leaving,
  parseUrlQuery,
  type Request,
  type Response,
  type Route,
  readBytes,
  readEvidence,
  requestIdOf,
  siteOf,
  streamBytes,
} from '../mcp/kernel/http.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { sendBytes, sendFile } from './byte-answer.ts'
import { type EventStreamOptions, openEventStreams } from './event-stream.ts'
import { hostName, isLoopback } from './host.ts'
import { checkRpcType, parseRpc, refuseRpc } from './rpc.ts'
import { json, send, sendEmpty } from './send.ts'
import { fillPath, toHeaders } from './tool-route.ts'

const noBytes = new Uint8Array()

async function* noChunks(): AsyncGenerator<Uint8Array> {}

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

const hasBody = ({ headers }: Request): boolean =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined

const checkType = ({ accepts, body }: AnyEndpoint, req: Request) => {
  if (body === 'none' || !hasBody(req)) return
  if (body === 'json-rpc' && !accepts) return checkRpcType(req)
  const type = req.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (!accepts || (type !== undefined && accepts.includes(type))) return
  throw new ToolError('unsupported_media', `The body is ${type?.slice(0, 80) ?? 'of no type'}.`, {
    hint: `Send one of: ${accepts.join(', ')}.`,
  })
}

const portOf = (host: string): string => /:(\d+)$/.exec(host)?.[1] ?? ''

/**
 * Where a page is, when a browser asked for it by another name of this machine. Its script, its forms and what it signs belong to one
 * origin, and a browser counts localhost and 127.0.0.1 as two.
 */
const homeOfPage = (url: string, { answers, method }: AnyEndpoint, req: Request): string | undefined => {
  const { host } = new URL(url)
  const requestHost = req.headers.host
  if (method !== 'GET' || !answers?.includes('text/html') || requestHost === undefined) return undefined
  if (requestHost.toLowerCase() === host || portOf(requestHost) !== portOf(host)) return undefined
  if (!isLoopback(hostName(requestHost)) || !isLoopback(hostName(host))) return undefined
  const query = req.url.indexOf('?')
  return query < 0 ? url : url + req.url.slice(query)
}

/** Refuses a form that no page of this origin sent (Fetch Metadata, RFC 6454): the cookie of the browser alone proves no intent. */
const checkSameOrigin = ({ method, headers }: Request): void => {
  if (method === 'GET' || method === 'HEAD') return
  const { origin = '', host, 'sec-fetch-site': site } = headers
  const isOurs = URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()
  if (isOurs && (site === undefined || site === 'same-origin')) return
  throw new ToolError('forbidden', 'This form belongs to a page of this server. Open the page again.', {
    reason: 'other_origin',
  })
}

const closeSignal = (res: Response): AbortSignal => {
  const gone = new AbortController()
  res.on('close', () => gone.abort())
  return gone.signal
}

/** The request as the handler sees it; a body is read before, but one that streams. */
const readRequest = async (
  endpoint: AnyEndpoint,
  req: Request,
  res: Response,
  params: Readonly<Record<string, string>>,
): Promise<EndpointRequest> => {
  const { body, maxBytes = bodyLimit } = endpoint
  checkType(endpoint, req)
  const bytes = body === 'raw' || body === 'json-rpc' ? await readBytes(req, res, maxBytes) : noBytes
  return {
    method: req.method,
    params,
    query: Object.fromEntries(
      Object.entries(parseUrlQuery(req)).map(([name, value]) => [name, first(value)]),
    ),
    headers: Object.fromEntries(
      Object.entries(req.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : value,
      ]),
    ),
    bytes,
    chunks: body === 'stream' ? streamBytes(req, res, maxBytes) : noChunks(),
    rpc: body === 'json-rpc' ? parseRpc(bytes) : undefined,
    signal: closeSignal(res),
  }
}

/**
 * What of a body a payment and an Idempotency-Key belong to. A client that repeats a JSON-RPC call numbers it anew, and it
 * is the same call.
 */
const requestDigest = ({ body }: AnyEndpoint, req: Request, { rpc }: EndpointRequest): string => {
  if (body === 'stream' || body === 'none') return ''
  if (!rpc) return bodyDigest(req)
  return createHash('sha256')
    .update(JSON.stringify([rpc.method, rpc.params]))
    .digest('base64')
}

/** Answers an endpoint on its route, in the form that its handler chose. */
export const endpointRoute = (
  world: World,
  service: Service,
  endpoint: AnyEndpoint,
  options: EventStreamOptions = {},
): Route => {
  const { method, path, body } = endpoint
  const streams = openEventStreams(options)

  /** A failure outside of the call, such as of a stream: a stranger's is logged, and told by its reference only. */
  const toExplainedError = (cause: unknown): ToolError => {
    if (isExplained(cause)) return toToolError(cause)
    const ref = randomUUID()
    const error = toToolError(cause, ref)
    world.record({
      service: service.slug,
      tool: endpoint.name,
      channel: 'rest',
      caller: undefined,
      price: undefined,
      receipt: undefined,
      ms: 0,
      code: error.code,
      ref,
      cause,
    })
    return error
  }

  const answer = async (
    req: Request,
    res: Response,
    request: EndpointRequest,
    { answer: result, ...outcome }: EndpointOutcome,
    client: string,
  ) => {
    const headers = toHeaders(outcome)
    if (result.kind === 'events')
      return streams.send(res, result.events, request.signal, {
        client,
        headers,
        isHead: req.method === 'HEAD',
        isPaid: outcome.receipt !== undefined,
        toProblem: cause => toExplainedError(cause).toProblem(siteOf(res), requestIdOf(res)),
      })
    if (result.kind === 'bytes') return sendBytes(req, res, result, headers)
    if (result.kind === 'page') {
      const { html, headers: own } = world.shell(result.page)
      const page = {
        ...result,
        kind: 'bytes' as const,
        type: 'text/html; charset=utf-8',
        bytes: Buffer.from(html),
      }
      return sendBytes(req, res, page, { ...headers, ...own })
    }
    if (result.kind === 'file') return sendFile(req, res, result, headers)
    if (result.kind === 'empty') return sendEmpty(res, result.status, { ...headers, ...result.headers })
    if (result.kind === 'json')
      return send(res, result.status ?? 200, json, JSON.stringify(result.body), {
        ...headers,
        ...result.headers,
      })
    if (request.rpc?.id === undefined) return sendEmpty(res, 204, headers)
    const reply = { jsonrpc: '2.0', id: request.rpc.id, result: result.result }
    return send(res, 200, json, JSON.stringify(reply), headers)
  }

  const run = async (
    req: Request,
    res: Response,
    params: Readonly<Record<string, string>>,
    onRead: (request: EndpointRequest) => void,
  ) => {
    const resource = world.base(service) + fillPath(path, params)
    const origin = endpoint.visit && world.signIn?.origin?.()
    const pageUrl = origin ? origin + new URL(resource).pathname : resource
    const home = homeOfPage(pageUrl, endpoint, req)
    if (home !== undefined) return sendEmpty(res, 307, { Location: home })
    const { credentials, request: wire, payment, idempotencyKey, client } = readEvidence(req)
    streams.check(client)
    const isVisit = endpoint.visit && Object.values(credentials).every(value => value === undefined)
    const person = isVisit ? await world.visitor?.(req) : undefined
    if (person) checkSameOrigin(req)
    const request = await readRequest(endpoint, req, res, params)
    onRead(request)
    const incoming = {
      channel: 'rest' as const,
      credentials,
      ...(person && { person }),
      request: wire,
      client,
      resource,
      evidence: payment,
      idempotencyKey,
      signal: leaving(res),
    }
    const digest = requestDigest(endpoint, req, request)
    const outcome = await callEndpoint(world, service, endpoint, request, incoming, digest)
    // Returned, not awaited: while a stream is open, nothing of the call is kept for it.
    return answer(req, res, request, outcome, client)
  }

  return {
    method,
    path,
    async handle(req, res, params) {
      let rpc: EndpointRequest['rpc']
      const onRead = (request: EndpointRequest) => {
        rpc = request.rpc
      }
      if (body !== 'json-rpc') return run(req, res, params, onRead)
      try {
        await run(req, res, params, onRead)
      } catch (cause) {
        refuseRpc(res, toExplainedError(cause), rpc)
      }
    },
  }
}
