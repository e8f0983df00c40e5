import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { AccountDeps } from '../deps.ts'
import { openExternalSignIn } from './external.ts'
import { openInteractions } from './interactions.ts'
import { type ErrorPage, type OpenProvider, openProvider } from './provider.ts'
import { openProtectedResources, scope } from './resources.ts'
import { openSignIn } from './tokens.ts'

/** A request with the network address that its sender counts by. */
type Visitor = { client: string }

const maxRegistrationBytes = 16_384

/** Quotas of one network address: fetches and sign-ins a minute, registrations an hour. */
const quotas = { fetch: 20, authorize: 60, token: 600, register: 100 } as const

const machinePaths = [
  '/token',
  '/register',
  '/revoke',
  '/jwks',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
]

type Kind = keyof typeof quotas

const kindOf = (path: string): Kind | undefined => {
  if (path === '/authorize') return 'authorize'
  if (path === '/register') return 'register'
  return path === '/token' || path === '/revoke' ? 'token' : undefined
}

const send = (res: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) => {
  const text = JSON.stringify(body)
  res.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  })
  res.end(text)
}

/** A request for the provider with every scope of ours, whatever it asks: one without any would be denied after the consent. */
const withScope = (url: string): string => {
  const [path = '', query = ''] = url.split('?')
  const params = new URLSearchParams(query)
  const scopes = (params.get('scope') ?? '').split(' ').filter(Boolean)
  if (scopes.includes(scope) || params.getAll('scope').length > 1) return url
  params.set('scope', [...scopes, scope].join(' '))
  return `${path}?${params}`
}

/** Cookies but those of the provider's session: who is signed in is decided by our own, each time anew. */
const withoutSession = (cookies: string | undefined): string =>
  (cookies ?? '')
    .split(';')
    .filter(cookie => !/^\s*_session(?:\.sig)?=/.test(cookie))
    .join(';')

const knownGrants = ['authorization_code', 'refresh_token']

/** A registration as the provider takes it: grants and scopes that are not known here are left out, not refused (RFC 7591). */
const normalizeRegistration = (body: Buffer): Buffer => {
  try {
    const metadata: unknown = JSON.parse(body.toString('utf8'))
    if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return body
    const { scope: _, ...rest } = metadata as Record<string, unknown>
    const grants = Array.isArray(rest.grant_types)
      ? rest.grant_types.filter(grant => knownGrants.includes(grant))
      : undefined
    return Buffer.from(JSON.stringify({ ...rest, ...(grants && { grant_types: grants }) }))
  } catch {
    return body
  }
}

/** The body, or undefined for one that is too long. */
const readBody = async (req: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length
    if (size > maxRegistrationBytes) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

/** The same request with another body. */
const withBody = (req: IncomingMessage, body: Buffer): IncomingMessage => {
  const copy = Readable.from([body], { objectMode: false })
  return Object.assign(copy, {
    method: req.method,
    url: req.url,
    originalUrl: (req as IncomingMessage & { originalUrl?: string }).originalUrl,
    headers: { ...req.headers, 'content-length': String(body.length), 'transfer-encoding': undefined },
    httpVersion: req.httpVersion,
    httpVersionMajor: req.httpVersionMajor,
    httpVersionMinor: req.httpVersionMinor,
    socket: req.socket,
  }) as unknown as IncomingMessage
}

/**
 * The authorization server of an installation (OAuth 2.1 for MCP), at `{address}/auth`, and the documents by which clients find it. The
 * provider is loaded with the first request for it; tokens are read without it.
 */
export const openAuthorizationServer = (deps: AccountDeps, { errorPage }: { errorPage: ErrorPage }) => {
  const { external } = deps
  const mount = () => new URL(deps.url()).pathname.replace(/\/$/, '')
  const issuer = () => `${deps.origin()}${mount()}/auth`
  const resources = openProtectedResources(deps.resources, deps.url)
  const visitors = new WeakMap<object, Visitor>()

  let loading: Promise<{ provider: OpenProvider; handle: RequestListener }> | undefined
  const load = async () => {
    const provider = await openProvider(deps, {
      issuer: issuer(),
      resources,
      errorPage,
      clientOf: req => visitors.get(req)?.client,
      mayFetch: async req => deps.take(`oauth.fetch:${visitors.get(req)?.client ?? ''}`, quotas.fetch),
    })
    return { provider, handle: provider.callback() as RequestListener }
  }
  const loaded = () => {
    loading ??= load().catch((cause: unknown) => {
      loading = undefined
      throw cause
    })
    return loading
  }

  /** The path within the provider of a path of ours; undefined where it is not the provider's. */
  const toProviderPath = (path: string): string | undefined => {
    if (external || !(path.startsWith('/auth/') || path.startsWith('/.well-known/'))) return undefined
    // Clients of before 2025-06-18 look at the root of the host, whatever the address of the issuer.
    for (const name of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])
      if ([name, `${name}/auth`, `${name}${mount()}/auth`].includes(path)) return name
    if (!path.startsWith('/auth/')) return undefined
    const inner = path.slice('/auth'.length)
    return machinePaths.includes(inner) || /^\/authorize(?:\/[\w-]+)?$/.test(inner) ? inner : undefined
  }

  /** Sets what the provider makes its addresses of: a stranger's Host would end up in them. */
  const pin = (req: IncomingMessage, inner: string, query: string): void => {
    const { host, protocol, pathname } = new URL(issuer())
    req.url = inner === '/authorize' ? withScope(`${inner}${query}`) : `${inner}${query}`
    Object.assign(req, { originalUrl: `${pathname}${req.url}` })
    req.headers.host = host
    req.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    delete req.headers['x-forwarded-host']
    // Whether a page of another origin may call was decided by the guard.
    delete req.headers.origin
    if (inner === '/authorize') req.headers.cookie = withoutSession(req.headers.cookie)
  }

  const serve = async (req: IncomingMessage, res: ServerResponse, inner: string, visitor: Visitor) => {
    const kind = kindOf(inner)
    const seconds = kind === 'register' ? 3600 : 60
    if (kind && !(await deps.take(`oauth.${kind}:${visitor.client}`, quotas[kind], seconds)))
      return send(
        res,
        429,
        { error: 'temporarily_unavailable', error_description: 'Too many requests; try again later.' },
        { 'Retry-After': String(seconds), 'Cache-Control': 'no-store' },
      )
    const [, query = ''] = (req.url ?? '').split('?')
    pin(req, inner, query === '' ? '' : `?${query}`)
    // Pages of the provider hold nothing of its own to load.
    res.removeHeader('Content-Security-Policy')
    const { handle } = await loaded()
    if (inner !== '/register' || req.method !== 'POST') {
      visitors.set(req, visitor)
      return handle(req, res as never)
    }
    const body = await readBody(req)
    if (!body)
      return send(
        res,
        413,
        { error: 'invalid_client_metadata', error_description: 'The metadata of a client is too long.' },
        { Connection: 'close' },
      )
    const registration = withBody(req, normalizeRegistration(body))
    visitors.set(registration, visitor)
    handle(registration, res as never)
  }

  const preflight = (res: ServerResponse, inner: string | undefined) => {
    const isPosted = inner !== undefined && ['/token', '/register', '/revoke'].includes(inner)
    const allow = isPosted ? 'POST, OPTIONS' : 'GET, OPTIONS'
    res.writeHead(204, { Allow: allow, 'Access-Control-Allow-Methods': allow })
    res.end()
  }

  return {
    issuer,
    resources,
    signIn: external ? openExternalSignIn(deps, external, resources) : openSignIn(deps, resources),
    interactions: openInteractions(deps, async () => (await loaded()).provider, resources),

    /** True when a path is one of its own; the pages of people have the others below `/auth`. */
    owns: (path: string): boolean =>
      /^\/\.well-known\/oauth-protected-resource(?:\/|$)/.test(path) || toProviderPath(path) !== undefined,

    /** Answers a request whose path it owns. */
    async handle(req: IncomingMessage, res: ServerResponse, visitor: Visitor): Promise<void> {
      const [path = ''] = (req.url ?? '').split('?')
      const inner = toProviderPath(path)
      // Whoever reads these may be a page: nothing here depends on who asks.
      if (inner === undefined || machinePaths.includes(inner))
        res.setHeader('Access-Control-Allow-Origin', '*')
      if (req.method === 'OPTIONS') return preflight(res, inner)
      if (inner !== undefined) return serve(req, res, inner, visitor)
      const document = resources.document(
        path,
        req.headers.host,
        external?.issuer ?? issuer(),
        external?.scopes ?? [scope],
      )
      if (!document)
        return send(res, 404, { error: 'not_found', error_description: 'There is no such resource.' })
      send(res, 200, document, { 'Cache-Control': 'public, max-age=300' })
    },
  }
}
