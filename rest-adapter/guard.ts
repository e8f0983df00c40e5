import { ToolError } from '../mcp/kernel/error.ts'
import { chooseRequestId, type Request, type Response } from '../mcp/kernel/http.ts'
import { holdHeaders } from '../mcp/kernel/whole-answer.ts'
import { readAuthority } from './authority.ts'
import { originHeaders, preflightHeaders } from './cors.ts'
import { expectsUnknown, refuseExpectation } from './expectation.ts'
import { hostName, isLoopback, originHost } from './host.ts'
import { refuse } from './refuse.ts'

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
