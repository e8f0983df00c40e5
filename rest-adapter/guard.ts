import { ToolError } from '../mcp/kernel/error.ts'
import { chooseRequestId, type Request, type Response, requestIdOf, siteOf } from '../mcp/kernel/http.ts'
import { holdHeaders } from '../mcp/kernel/whole-answer.ts'
import { originHeaders, preflightHeaders } from './cors.ts'
import { hostName, isLoopback, originHost } from './host.ts'
import { refuse } from './refuse.ts'
import { send } from './send.ts'

/** True for a request whose `Expect` is not `100-continue`; HTTP/1.0 has none (RFC 9110 §10.1.1). */
const expectsUnknown = ({ headers, awaitsContinue, httpVersion }: Request): boolean =>
  headers.expect !== undefined && !awaitsContinue && httpVersion === '1.1'

/** Answers an expectation that is not known here with 417 and a problem document. */
const refuseExpectation = (req: Request, res: Response): void => {
  const expected = String(req.headers.expect).slice(0, 80)
  const error = new ToolError('malformed', `Expect: "${expected}" cannot be met.`, {
    hint: 'Expect: 100-continue is known here.',
  })
  send(
    res,
    417,
    'application/problem+json',
    JSON.stringify({ ...error.toProblem(siteOf(res), requestIdOf(res)), status: 417 }),
    {
      Connection: 'close',
    },
  )
}

const absoluteForm = /^https?:\/\/([^/?#@\s]+)(\/[^#\s]*|\?[^#\s]*)?$/i

const isRepeated = (rawHeaders: readonly string[], name: string): boolean => {
  let lines = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]
    if (header?.length === name.length && header.toLowerCase() === name && ++lines > 1) return true
  }
  return false
}

const refusal = (detail: string, hint: string) => new ToolError('malformed', detail, { hint })

/**
 * Makes `host` and `url` of a request say whom it is for and what it asks, in one way: a target in absolute form wins over the
 * Host header (RFC 9112 §3.2.2). The refusal of a request that names no host, or two.
 */
const readAuthority = (req: Request): ToolError | undefined => {
  const { headers, rawHeaders, url, httpVersion } = req
  if (isRepeated(rawHeaders, 'host')) return refusal('The request has two Host lines.', 'Send one.')
  if (headers.host === undefined && httpVersion === '1.1')
    return refusal('The request has no Host line.', 'HTTP/1.1 asks for one.')
  if (url.startsWith('/') || (url === '*' && req.method === 'OPTIONS')) return undefined
  const [, authority, target = '/'] = absoluteForm.exec(url) ?? []
  if (authority === undefined)
    return refusal(
      'The target of the request is neither a path nor an http URL.',
      'Ask for a path such as /healthz.',
    )
  headers.host = authority
  req.url = target.startsWith('/') ? target : `/${target}`
  return undefined
}

export type GuardOptions = {
  /** True when the server is bound to a loopback address. */
  readonly loopback: boolean
  /** Host names this installation is reached by, as PUBLIC_URL and HOSTS name them. */
  readonly hosts: readonly string[]
  /** Origins of web pages that may call; "*" stands for any. */
  readonly origins: readonly string[]
}

const always = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Vary',
  'Origin',
] as const

const foreignHost = () =>
  new ToolError('forbidden', 'The Host header names no host of this installation.', {
    hint: 'Set PUBLIC_URL or HOSTS to the name it is reached by.',
  })

const foreignOrigin = () =>
  new ToolError('forbidden', 'Pages of this Origin may not call here.', {
    hint: 'The operator allows origins by name.',
  })

/** Probes call by address; `/metrics` then needs its token, since a proxy of this machine may pass on anybody. */
const isProbe = ({ url, headers }: Request): boolean => {
  const [path] = url.split('?', 1)
  return (
    path === '/healthz' || path === '/readyz' || (path === '/metrics' && headers.authorization !== undefined)
  )
}

/**
 * Runs before everything else: refuses requests for two hosts or none, foreign Host and Origin headers (DNS rebinding) with a `forbidden` problem, and
 * holds the security and CORS headers for whatever is answered later. False means that the request is answered.
 * `/healthz`, `/readyz` and, with a token, `/metrics` answer under any Host, since probes call by address. A request without Origin is no web page and passes.
 */
export const guard = ({ loopback, hosts, origins }: GuardOptions) => {
  const names = new Set(hosts.map(hostName).filter(name => name !== ''))
  const allowedOrigins = new Set(origins.map(origin => origin.toLowerCase().replace(/\/$/, '')))
  const any = allowedOrigins.has('*')
  const forAny = [...always, ...originHeaders('*')]

  const isKnownHost = (host: string): boolean => {
    const name = hostName(host)
    return (loopback && isLoopback(name)) || names.has(name)
  }

  const isKnownOrigin = (origin: string, host: string | undefined): boolean => {
    if (any || allowedOrigins.has(origin.toLowerCase())) return true
    const from = originHost(origin)
    if (from === undefined) return false
    return from === host || (loopback && isLoopback(hostName(from)))
  }

  // Most requests name the host and the origin of the one before.
  const last: { host?: string; origin?: string; originHost?: string | undefined } = {}

  const passesHost = (host: string | undefined): boolean => {
    if (host === undefined) return false
    if (host !== last.host && !isKnownHost(host)) return false
    last.host = host
    return true
  }

  const passesOrigin = (origin: string, host: string | undefined): boolean => {
    if (origin === last.origin && host === last.originHost) return true
    if (!isKnownOrigin(origin, host)) return false
    last.origin = origin
    last.originHost = host
    return true
  }

  return (req: Request, res: Response): boolean => {
    const fault = readAuthority(req)
    const { host, origin } = req.headers
    req.id = chooseRequestId(req.headers['x-request-id'])
    holdHeaders(res, [...always, 'X-Request-Id', req.id])
    if (fault) {
      refuse(res, fault)
      return false
    }
    if (!passesHost(host) && !isProbe(req)) {
      refuse(res, foreignHost())
      return false
    }
    if (expectsUnknown(req)) {
      refuseExpectation(req, res)
      return false
    }
    if (origin === undefined) return true
    if (!passesOrigin(origin, host)) {
      refuse(res, foreignOrigin())
      return false
    }
    const forOrigin = [...(any ? forAny : [...always, ...originHeaders(origin)]), 'X-Request-Id', req.id]
    const wantedHeaders = req.headers['access-control-request-headers'] ?? ''
    holdHeaders(
      res,
      req.method === 'OPTIONS' ? [...forOrigin, ...preflightHeaders(wantedHeaders)] : forOrigin,
    )
    return true
  }
}
