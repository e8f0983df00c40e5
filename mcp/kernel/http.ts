import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ParsedUrlQuery, parse as parseQuery } from 'node:querystring'
import { findExcess, type JsonBounds } from '../lib/json-bounds.ts'
import { ToolError } from './error.ts'

/**
 * A request of Node's own server. `ip` is the client's address where proxies are trusted to tell it; `awaitsContinue` says that
 * the client sends the body only after `100 Continue`.
 */
export type Request = IncomingMessage & {
  method: string
  url: string
  ip?: string | undefined
  /** The absolute address of the installation, without a trailing slash. */
  site?: string
  /** Names the request in its answer, the log and receipts. */
  id?: string
  awaitsContinue?: true
}
export type Response = ServerResponse

/** The installation that answers; empty where nobody has said it. */
export const siteOf = ({ req }: Response): string =>
  'site' in req && typeof req.site === 'string' ? req.site : ''

/** The id of the request that is answered; undefined where it has none. */
export const requestIdOf = ({ req }: Response): string | undefined =>
  'id' in req && typeof req.id === 'string' ? req.id : undefined

/** The id that a client gave its request, where it is a plain one; else a new one. */
export const chooseRequestId = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[\w.:@/+=-]{1,128}$/.test(given) ? given : randomUUID()

/** Answers one method on one path. `path` is relative to where the routes are mounted; `:name` segments become params. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** It answers with `sendWhole`, or after `setHeld`: the headers of every answer are not set before. */
  isWhole?: true
  handle(req: Request, res: Response, params: Readonly<Record<string, string>>): void | Promise<void>
}

/**
 * What came with a call that may pay it: headers in lower case, the metadata of the MCP or A2A message, and the protocol extensions
 * that the client asks for: URIs over A2A, names over MCP.
 */
export type PaymentEvidence = {
  headers: Readonly<Record<string, string | undefined>>
  meta: Readonly<Record<string, unknown>>
  extensions?: readonly string[]
  /** The record of a payment that is being confirmed, as the failure named it that said so; never read from a wire. */
  record?: string
  /** The page on which a person was asked to cover this call, once its seal is proven: the call waits for them. */
  page?: { readonly id: string; readonly signal?: { readonly aborted: boolean } | undefined }
}

/** Proofs and demands of an HTTP request, whatever protocol rides on it. */
export type Evidence = {
  credentials: {
    bearer?: string
    apiKey?: string
    erc8128?: string
    l402?: string
    otherKeys?: readonly string[]
  }
  request: {
    method: string
    url: string
    headers: Readonly<Record<string, string>>
    digest: () => string
    /** The absolute address of the installation; undefined where nobody has said it. */
    site?: string | undefined
    /** Names the request in its answer, the log and receipts. */
    id?: string | undefined
  }
  /** The headers that may hold a payment. */
  payment: PaymentEvidence
  idempotencyKey: string | undefined
  /** The network address limits are counted by; an IPv6 client is its /64. */
  client: string
}

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

/**
 * Every line of a header as one: Node keeps only the first `Authorization`, and a caller may pay beside its key. All lines of all headers
 * are put together for that, so it is asked only where there is one.
 */
const readAuthorization = (req: Request): string | undefined => {
  const { authorization } = req.headers
  if (authorization === undefined) return undefined
  const lines = req.headersDistinct?.authorization
  return lines && lines.length > 1 ? lines.join(', ') : authorization
}

/** Keys beside the first of each header: more than there are services say nothing. */
const maxOtherKeys = 16

const anotherScheme = /\s*,\s*(?=(?:bearer|l402|lsat|payment)\s)/i

/** The keys of one header: several with commas between, for several services behind one address, or the whole as one. */
const splitKeys = (value: string): string[] => {
  const keys = value.split(',').map(key => key.trim())
  return keys.every(key => /^[a-z]{2,8}_\S+$/.test(key)) ? keys : [value]
}

const toCredentials = (header: string | undefined, apiKeys: string | undefined): Evidence['credentials'] => {
  const credentials: Evidence['credentials'] = {}
  if (header === undefined && !apiKeys) return credentials
  const bearers: string[] = []
  for (const part of header?.split(anotherScheme) ?? []) {
    const space = part.indexOf(' ')
    if (space < 0) continue
    const scheme = part.slice(0, space).toLowerCase()
    const value = part.slice(space + 1).trim()
    if (scheme === 'bearer') bearers.push(...splitKeys(value))
    if (scheme === 'l402') credentials.l402 ??= value
  }
  const [bearer, ...otherBearers] = bearers
  const [apiKey, ...otherApiKeys] = apiKeys ? splitKeys(apiKeys) : []
  if (bearer !== undefined) credentials.bearer = bearer
  if (apiKey !== undefined) credentials.apiKey = apiKey
  const otherKeys = [...otherBearers, ...otherApiKeys].slice(0, maxOtherKeys)
  if (otherKeys.length > 0) credentials.otherKeys = otherKeys
  return credentials
}

/** An IPv6 address as its /64, however it is written; a mapped IPv4 address as itself. */
export const toClient = (address = ''): string => {
  if (/^::ffff:/i.test(address) && address.includes('.')) return address.slice(7)
  if (!address.includes(':')) return address
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::')
  const headGroups = head === '' ? [] : head.split(':')
  const tailGroups = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - headGroups.length - tailGroups.length)).fill('0')
  const network = [...headGroups, ...zeros, ...tailGroups].slice(0, 4)
  return `${network.map(group => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
}

const nothingElse = Object.freeze({})

const paymentHeaders = (headers: Request['headers'], authorization: string | undefined) => ({
  'payment-signature': one(headers['payment-signature']),
  'x-payment': one(headers['x-payment']),
  authorization,
  'accept-payment': one(headers['accept-payment']),
})

/** Reads the evidence of a request; nothing of it is verified yet. */
export const readEvidence = (req: Request): Evidence => {
  const { headers } = req
  const authorization = readAuthorization(req)
  const credentials = toCredentials(authorization, one(headers['x-api-key']))
  const signature = one(headers.signature)
  if (signature) credentials.erc8128 = signature
  return {
    credentials,
    request: {
      method: req.method,
      url: req.url,
      headers: headers as Record<string, string>,
      digest: () => signedDigest(req),
      site: req.site,
      id: req.id,
    },
    payment: { headers: paymentHeaders(headers, authorization), meta: nothingElse },
    idempotencyKey: one(headers['idempotency-key']),
    client: toClient(req.ip ?? req.socket.remoteAddress),
  }
}

const nothing: ParsedUrlQuery = Object.freeze({})

/** The query of a request; a name that is repeated has a list. */
export const parseUrlQuery = ({ url }: Request): ParsedUrlQuery => {
  const mark = url.indexOf('?')
  return mark < 0 ? nothing : parseQuery(url.slice(mark + 1))
}

type Leaving = { res: Response }

/** Shared part: an object with getters of its own is dear, and outlives its request by far. */
const leavingSignal = {
  get aborted() {
    const { res } = this as unknown as Leaving
    return res.destroyed && !res.writableEnded
  },
  addEventListener(_: 'abort', listener: () => void): void {
    ;(this as unknown as Leaving).res.on('close', listener)
  },
  removeEventListener(_: 'abort', listener: () => void): void {
    ;(this as unknown as Leaving).res.off('close', listener)
  },
}

/** Tells when the client of an unanswered response has gone, as an AbortSignal would. */
export const leaving = (res: Response): typeof leavingSignal => {
  const signal = Object.create(leavingSignal) as typeof leavingSignal & Leaving
  signal.res = res
  return signal
}

/** Bytes a request body may have: 1 MiB. */
export const bodyLimit = 1 << 20

/** Bounds of the JSON of any body; its schema may allow less. */
export const bodyBounds: JsonBounds = { bytes: bodyLimit, values: 32_768, depth: 100 }

type Parse = (req: Request, res: Response, next: (error?: unknown) => void) => void

let parserLoading: Promise<Parse> | undefined

/** Express's reader, for charsets and content encodings; few requests need it, so it is loaded late. */
const expressJson = (): Promise<Parse> => {
  parserLoading ??= import('express').then(
    ({ default: express }) =>
      express.json({
        limit: bodyLimit,
        strict: false,
        type: () => true,
        verify: (req, _, body) => {
          keepRaw(req as Request, body)
          const excess = findBodyExcess(body, (req as ReadRequest)[bounding] ?? bodyBounds)
          if (excess) throw Object.assign(new Error('bounds'), { type: 'bounds', excess })
        },
      }) as unknown as Parse,
  )
  return parserLoading
}

const isJson = /^\s*application\/(?:json|[\w.-]+\+json)\s*(?:;|$)/i

type BodyError = { type?: string; status?: number; excess?: ToolError }

const refusal = ({ type, status, excess }: BodyError): ToolError => {
  if (excess) return excess
  if (status === 413) return tooLarge(bodyLimit)
  if (status === 415)
    return new ToolError('unsupported_media', 'This charset or content encoding is not accepted.')
  if (type === 'entity.parse.failed') return new ToolError('malformed', 'The body is not valid JSON.')
  return new ToolError('malformed', 'The body could not be read.')
}

const byExpress = async (req: Request, res: Response, bounds: JsonBounds): Promise<unknown> => {
  const parse = await expressJson()
  ;(req as ReadRequest)[bounding] = bounds
  return new Promise((resolve, reject) => {
    parse(req, res, error =>
      error ? reject(refusal(error as BodyError)) : resolve((req as Request & { body?: unknown }).body),
    )
  })
}

/** Key of a request's body as it came, for digests. */
const rawBody = Symbol('raw body')

/** Key of the bounds of a request's body. */
const bounding = Symbol('bounds of the body')

type ReadRequest = Request & { [rawBody]?: Buffer; [bounding]?: JsonBounds }

const keepRaw = (req: Request, body: Buffer): void => {
  ;(req as ReadRequest)[rawBody] = body
}

/** Requests whose bytes are not known: another parser had them first. */
const rewrittenBodies = new WeakSet<Request>()

/** The digest that a signature covers. Throws `unavailable` where the bytes are not known. */
const signedDigest = (req: Request): string => {
  if (rewrittenBodies.has(req)) throw alreadyRead()
  return bodyDigest(req)
}

/** SHA-256 of the raw body that was read of a request, base64; of nothing where it has none. */
export const bodyDigest = (req: Request): string =>
  createHash('sha256')
    .update((req as ReadRequest)[rawBody] ?? '')
    .digest('base64')

const tooLarge = (limit: number): ToolError =>
  new ToolError('too_large', `The body is over ${limit} bytes.`, {
    hint: 'Send less at once.',
    headers: { Connection: 'close' },
  })

/** The refusal of a body that its schema cannot allow, whatever it says; it is not parsed. */
const findBodyExcess = (body: Buffer, bounds: JsonBounds): ToolError | undefined => {
  if (body.length > bounds.bytes) return tooLarge(bounds.bytes)
  const excess = findExcess(body, bounds)
  if (!excess) return undefined
  const detail =
    excess === 'depth'
      ? `The body has over ${bounds.depth} lists and objects within each other.`
      : `The body has over ${bounds.values} values.`
  return new ToolError('too_large', detail, { hint: 'Send less at once.' })
}

type ParsedRequest = Request & { body?: unknown }

const alreadyRead = () =>
  new ToolError('unavailable', 'Something before this server has read the body of the request.', {
    hint: 'The operator mounts octagent before body parsers.',
  })

/** The bytes that a body parser of the application around this one left behind: as they came, or JSON written again. */
const consumedBytes = (req: ParsedRequest, limit: number): Buffer => {
  const { body } = req
  if (body === undefined) throw alreadyRead()
  const isAsItCame = Buffer.isBuffer(body)
  if (!isAsItCame && typeof body !== 'string' && !isJson.test(req.headers['content-type'] ?? ''))
    throw alreadyRead()
  const bytes = isAsItCame ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  if (bytes.length > limit) throw tooLarge(limit)
  keepRaw(req, bytes)
  if (!isAsItCame) rewrittenBodies.add(req)
  return bytes
}

const noBytes: Buffer = Buffer.alloc(0)

const ignore = (): void => undefined

/** Reads a body whole. Throws `too_large` past the limit, and `malformed` for one that breaks off. */
export const readBytes = async (req: Request, res: Response, limit = bodyLimit): Promise<Buffer> => {
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  if (req.readableEnded && hasBody(req)) return consumedBytes(req, limit)
  if (req.awaitsContinue) res.writeContinue()
  return new Promise((resolve, reject) => {
    let body = noBytes
    let chunks: Buffer[] | undefined
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) reject(tooLarge(limit))
      else if (size === chunk.length) body = chunk
      else if (chunks) chunks.push(chunk)
      else chunks = [body, chunk]
    })
    req.on('end', () => {
      if (chunks) body = Buffer.concat(chunks)
      keepRaw(req, body)
      resolve(body)
    })
    req.on('error', ignore)
    // Every request closes, one that broke off too; an error with its stack is made for that alone.
    req.on('close', () => {
      if (!req.readableEnded) reject(refusal({}))
    })
  })
}

/** Reads on what a handler left of a short body, so that the connection can take its next request. */
const drainRest = (req: Request, res: Response): void => {
  if (req.readableEnded || req.destroyed) return
  res.once('finish', () => void (res.shouldKeepAlive && req.resume()))
}

async function* readChunks(req: Request, res: Response, limit: number): AsyncGenerator<Buffer> {
  if (req.readableEnded && hasBody(req)) {
    yield consumedBytes(req, limit)
    return
  }
  if (req.awaitsContinue) res.writeContinue()
  let size = 0
  try {
    // Whoever stops reading must still be able to answer, and ending the stream would end the connection.
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length
      if (size > limit) break
      yield chunk as Buffer
    }
  } catch {
    throw refusal({})
  } finally {
    drainRest(req, res)
  }
  if (size > limit) throw tooLarge(limit)
}

/**
 * The body as it streams in. Throws `too_large` at once for a length over the limit and while streaming past it, which leaves the
 * rest unread; `malformed` for a body that breaks off.
 */
export const streamBytes = (req: Request, res: Response, limit: number): AsyncGenerator<Buffer> => {
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  return readChunks(req, res, limit)
}

const decode = (text: string): unknown => {
  if (text === '') return undefined
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch {
    throw refusal({ type: 'entity.parse.failed' })
  }
}

const hasBody = ({ headers }: Request): boolean =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined

/** The JSON that a body parser before this server has read. */
const parsedBody = (req: ParsedRequest): unknown => {
  const { body } = req
  const bytes = consumedBytes(req, bodyLimit)
  return typeof body === 'string' || Buffer.isBuffer(body) ? decode(bytes.toString('utf8')) : body
}

const plain = /^\s*application\/(?:json|[\w.-]+\+json)\s*(?:;\s*charset="?utf-?8"?\s*)?$/i

const parseWithin = (body: Buffer, bounds: JsonBounds): unknown => {
  const excess = findBodyExcess(body, bounds)
  if (excess) throw excess
  return decode(body.toString('utf8'))
}

/**
 * The JSON body of a request within bounds, undefined when it has none. Throws `unsupported_media`, `too_large` or `malformed`. The
 * common case, UTF-8 without an encoding, is read here at a third of the cost; express reads the others.
 */
export const readBody = async (req: Request, res: Response, bounds = bodyBounds): Promise<unknown> => {
  const { headers } = req
  const length = headers['content-length']
  if (!hasBody(req)) return undefined
  const type = headers['content-type']
  if (type !== undefined && !isJson.test(type))
    throw new ToolError('unsupported_media', `The body is ${type.slice(0, 80)}; JSON is expected.`, {
      hint: 'Send the header Content-Type: application/json.',
    })
  if (req.readableEnded) return parsedBody(req)
  if (headers['content-encoding'] === undefined && plain.test(type ?? 'application/json'))
    return parseWithin(await readBytes(req, res, bounds.bytes), bounds)
  if (Number(length ?? 0) > bounds.bytes) throw tooLarge(bounds.bytes)
  if (req.awaitsContinue) res.writeContinue()
  return byExpress(req, res, bounds)
}
