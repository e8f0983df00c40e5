import type { World } from '../mcp/kernel/call.ts'
import { callEndpoint, type EndpointOutcome } from '../mcp/kernel/call-endpoint.ts'
import type { AnyEndpoint, EndpointRequest } from '../mcp/kernel/endpoint.ts'
import { ToolError, toToolError } from '../mcp/kernel/error.ts'
import {
  bodyDigest,
  bodyLimit,
  evidenceOf,
  leaving,
  queryOf,
  type Request,
  type Response,
  type Route,
  readBytes,
  streamBytes,
} from '../mcp/kernel/http.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { sendBytes } from './byte-answer.ts'
import { openEventStreams } from './event-stream.ts'
import { parseRpc, refuseRpc } from './rpc.ts'
import { json, send } from './send.ts'
import { headersOf } from './tool-route.ts'

const noBytes = new Uint8Array()

async function* noChunks(): AsyncGenerator<Uint8Array> {}

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

const checkType = ({ accepts }: AnyEndpoint, { headers }: Request): void => {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (!accepts || (type !== undefined && accepts.includes(type))) return
  throw new ToolError('unsupported_media', `The body is ${type?.slice(0, 80) ?? 'of no type'}.`, {
    hint: `Send one of: ${accepts.join(', ')}.`,
  })
}

const signalOf = (res: Response): AbortSignal => {
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
  const hasBody =
    req.headers['content-length'] !== undefined || req.headers['transfer-encoding'] !== undefined
  if (body !== 'none' && hasBody) checkType(endpoint, req)
  const bytes = body === 'raw' || body === 'json-rpc' ? await readBytes(req, res, maxBytes) : noBytes
  return {
    method: req.method,
    params,
    query: Object.fromEntries(Object.entries(queryOf(req)).map(([name, value]) => [name, first(value)])),
    headers: Object.fromEntries(
      Object.entries(req.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : value,
      ]),
    ),
    bytes,
    chunks: body === 'stream' ? streamBytes(req, res, maxBytes) : noChunks(),
    rpc: body === 'json-rpc' ? parseRpc(bytes) : undefined,
    signal: signalOf(res),
  }
}

/** Answers an endpoint on its route, in the form that its handler chose. */
export const endpointRoute = (world: World, service: Service, endpoint: AnyEndpoint): Route => {
  const { method, path, body } = endpoint
  const streams = openEventStreams()

  const answer = async (req: Request, res: Response, request: EndpointRequest, outcome: EndpointOutcome) => {
    const headers = { ...headersOf(outcome) }
    const { answer: made } = outcome
    if (made.kind === 'events') return streams.send(res, made.events, request.signal, headers)
    if (made.kind === 'bytes') return sendBytes(req, res, made, headers)
    if (made.kind === 'empty') return send(res, made.status, json, '', { ...headers, ...made.headers })
    if (made.kind === 'json')
      return send(res, made.status ?? 200, json, JSON.stringify(made.body), { ...headers, ...made.headers })
    if (request.rpc?.id === undefined) return send(res, 204, json, '', headers)
    const reply = { jsonrpc: '2.0', id: request.rpc.id, result: made.result }
    return send(res, 200, json, JSON.stringify(reply), headers)
  }

  const run = async (
    req: Request,
    res: Response,
    params: Readonly<Record<string, string>>,
    onRead: (request: EndpointRequest) => void,
  ) => {
    const { credentials, request: wire, payment, idempotencyKey, client } = evidenceOf(req)
    streams.check(client)
    const request = await readRequest(endpoint, req, res, params)
    onRead(request)
    const incoming = {
      channel: 'rest' as const,
      credentials,
      request: wire,
      client,
      resource: world.base(service) + req.url.split('?')[0],
      evidence: payment,
      idempotencyKey,
      signal: leaving(res),
    }
    const digest = body === 'stream' ? '' : bodyDigest(req)
    const outcome = await callEndpoint(world, service, endpoint, request, incoming, digest)
    if (outcome.answer.kind === 'events') streams.take(client, res)
    await answer(req, res, request, outcome)
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
      } catch (thrown) {
        refuseRpc(res, toToolError(thrown), rpc?.id)
      }
    },
  }
}
