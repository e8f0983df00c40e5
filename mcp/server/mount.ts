import { echo } from '../kernel/echo.ts'
import { rpcCode, ToolError, toToolError } from '../kernel/error.ts'
import {
  type Request,
  type Response,
  type Route,
  readBody,
  readEvidence,
  requestIdOf,
  siteOf,
} from '../kernel/http.ts'
import { isRecord } from '../lib/json.ts'
import { type ClientSeen, readClientInfo } from './client.ts'
import { openListCompression } from './compressed-list.ts'
import { bodyVersion, detectEra, isSpoken, spokenVersions } from './era.ts'
import { isHeavy, isId, isMessageBody, lightBytes, refusedParams } from './message.ts'
import { mend } from './shim.ts'

/** Answers one POST whose body is read. */
export type Era = (req: Request, res: Response, body: unknown) => Promise<void>

/** The two bindings behind one URL, each loaded with its first request. */
export type Eras = { legacy(): Promise<Era>; modern(): Promise<Era> }

export type McpOptions = {
  /** Mends headers of clients that are between the two eras. Off: strictly as the specification says. */
  shim: boolean
  /** Told of each POST: which client sent it, and what had to be mended. Names and versions are the client's own words. */
  onClient(client: ClientSeen): void
}

const readId = (body: unknown): string | number | null => {
  if (!isRecord(body)) return null
  const { id } = body
  return isId(id) ? id : null
}

/** Answers with a JSON-RPC error before any era was asked. */
export const refuse = (res: Response, error: ToolError, body?: unknown, code = rpcCode(error.code)): void => {
  const { headers, status, message } = error
  const text = JSON.stringify({
    jsonrpc: '2.0',
    id: readId(body),
    error: {
      code,
      message,
      data: { ...error.toProblem(siteOf(res), requestIdOf(res)), ...error.extra.params },
    },
  })
  res.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  })
  res.end(text)
}

const notAMessage = () =>
  new ToolError('malformed', 'The body is not a JSON-RPC 2.0 message.', {
    hint: 'Send an object with "jsonrpc": "2.0", and "method" as text.',
  })

const hasHeavy = (req: Request, body: unknown): boolean => {
  const length = Number(req.headers['content-length'])
  // An encoded body is longer than it says.
  const isLight = length <= lightBytes && req.headers['content-encoding'] === undefined
  return !isLight && (Array.isArray(body) ? body : [body]).some(isHeavy)
}

const tooHeavy = () => new ToolError('too_large', `Only a tools/call may have more than ${lightBytes} bytes.`)

/** One payment in a header, and several calls that it could be for. */
const paysInHeader = (req: Request): boolean =>
  /(?:^|,)\s*(?:payment|l402|lsat) /i.test(readEvidence(req).payment.headers.authorization ?? '')

const paysForMany = () =>
  new ToolError('malformed', 'The Authorization header holds a payment, and the body is a batch of calls.', {
    hint: 'Send each paid call by itself, or its payment in params._meta.',
  })

/**
 * The refusal of a header that names a version nobody speaks, also where the shim would mend it. A body that claims a version for
 * itself is refused by the era that owns such claims.
 */
const unspokenVersion = (req: Request, body: unknown): ToolError | undefined => {
  const version = req.headers['mcp-protocol-version']
  const claims = (Array.isArray(body) ? body : [body]).some(message => bodyVersion(message) !== undefined)
  if (version === undefined || claims || isSpoken(version)) return undefined
  return new ToolError('malformed', `MCP-Protocol-Version: "${echo(String(version))}" is not spoken here.`, {
    hint: `Send one of ${spokenVersions.join(', ')}, or leave the header out.`,
    params: { supported: spokenVersions, requested: echo(String(version)) },
  })
}

/** `arguments` may be null: clients that fill in every field send it for a call without any. */
const withoutNullArguments = (body: unknown): void => {
  for (const message of Array.isArray(body) ? body : [body]) {
    if (!isRecord(message) || message.method !== 'tools/call' || !isRecord(message.params)) continue
    if (message.params.arguments === null) delete message.params.arguments
  }
}

const unsupportedVersion = -32022
const parseError = -32700
const invalidParams = -32602

/** Steps of an endpoint before any era is asked; it may refuse a request, with a ToolError. */
export type Entrance = {
  /** Looks at the URL. */
  check?(req: Request): void
  /** Reads who signed in. */
  visit?(req: Request, res: Response, body: unknown): Promise<void>
}

const post = (eras: Eras, options: McpOptions, { check, visit }: Entrance): Route['handle'] => {
  const eraPromises: { legacy?: Promise<Era>; modern?: Promise<Era> } = {}
  const compress = openListCompression()
  return async (req, res) => {
    let body: unknown
    try {
      body = await readBody(req, res)
    } catch (cause) {
      const error = toToolError(cause)
      return refuse(res, error, undefined, error.code === 'malformed' ? parseError : undefined)
    }
    if (!isMessageBody(body))
      return refuse(res, notAMessage(), body, body === undefined ? parseError : undefined)
    if (hasHeavy(req, body)) return refuse(res, tooHeavy(), body)
    withoutNullArguments(body)
    const refusal = refusedParams(body)
    if (refusal) return refuse(res, refusal, body, invalidParams)
    const unspoken = unspokenVersion(req, body)
    if (unspoken) return refuse(res, unspoken, body, unsupportedVersion)
    if (Array.isArray(body) && paysInHeader(req)) return refuse(res, paysForMany(), body)
    try {
      check?.(req)
      await visit?.(req, res, body)
    } catch (cause) {
      return refuse(res, toToolError(cause), body)
    }
    const fixes = options.shim ? mend(req, body) : []
    const era = detectEra(body, req.headers['mcp-protocol-version'] as string | undefined)
    options.onClient({ ...readClientInfo(req, body), era, fixes })
    const which = era === '2026-07-28' ? 'modern' : 'legacy'
    eraPromises[which] ??= eras[which]()
    const answer = await eraPromises[which]
    compress(req, res, body)
    await answer(req, res, body)
  }
}

/**
 * The route of one MCP endpoint. Only POST is declared: without sessions and streams there is nothing to GET or DELETE, and
 * the router answers those with 405 and Allow.
 */
export const mount = (path: string, eras: Eras, options: McpOptions, entrance: Entrance = {}): Route[] => [
  { method: 'POST', path, handle: post(eras, options, entrance) },
]
