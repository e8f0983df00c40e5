import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AccountDeps } from '../../mcp/accounts/deps.ts'
import { type BrowserSession, isFresh, readSession, sessionSeconds } from '../../mcp/accounts/session.ts'
import { pagePath, readPageReturn } from './return-path.ts'

type Deps = Pick<AccountDeps, 'store' | 'clock' | 'origin' | 'url'>

/** A cookie of ours: whom the browser is signed in as, or which browser it is while somebody signs in. */
export type CookieName = 'octagent_session' | 'octagent_browser'

/**
 * Under https a cookie has the prefix `__Host-`, so that no other name of the same domain can plant one (RFC 6265bis §4.1.3). That asks
 * for the path `/`; nothing outside of `/auth` reads cookies.
 */
const cookieName = (name: CookieName, { origin }: Pick<AccountDeps, 'origin'>): string =>
  origin().startsWith('https:') ? `__Host-${name}` : name

const tokenForm = /^[\w-]{43}$/

/** The token in a cookie of ours; undefined where there is none, or where what is there was not made here. */
export const readSessionToken = (
  deps: Pick<AccountDeps, 'origin'>,
  { headers }: Pick<IncomingMessage, 'headers'>,
  name: CookieName,
): string | undefined => {
  const prefix = `${cookieName(name, deps)}=`
  const values = (headers.cookie ?? '')
    .split(';')
    .map(part => part.trim())
    .filter(part => part.startsWith(prefix))
    .map(part => part.slice(prefix.length))
  // Two of one name: somebody else has planted one, and nobody knows which.
  const [value, another] = values
  return value !== undefined && another === undefined && tokenForm.test(value) ? value : undefined
}

const writeCookie = (
  deps: Pick<AccountDeps, 'origin'>,
  res: ServerResponse,
  [name, value, seconds]: [CookieName, string, number],
): void => {
  const secure = deps.origin().startsWith('https:') ? '; Secure' : ''
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`
  res.appendHeader('Set-Cookie', `${cookieName(name, deps)}=${value}; ${attributes}`)
}

/** Hands a session's token to the browser. */
export const setSessionCookie = (deps: Pick<AccountDeps, 'origin'>, res: ServerResponse, token: string) =>
  writeCookie(deps, res, ['octagent_session', token, sessionSeconds])

/** Takes it away again. */
export const clearSessionCookie = (deps: Pick<AccountDeps, 'origin'>, res: ServerResponse) =>
  writeCookie(deps, res, ['octagent_session', '', 0])

/** Marks a browser for as long as its challenges are good. */
export const setBrowserCookie = (
  deps: Pick<AccountDeps, 'origin'>,
  res: ServerResponse,
  token: string,
  seconds: number,
) => writeCookie(deps, res, ['octagent_browser', token, seconds])

/** The session of the browser that asks; undefined where nobody is signed in. Takes a request of Node as well as one of Express. */
export const findSession = async (
  deps: Deps,
  req: Pick<IncomingMessage, 'headers'>,
): Promise<BrowserSession | undefined> => {
  const token = readSessionToken(deps, req, 'octagent_session')
  return token === undefined ? undefined : readSession(deps, token)
}

/** Nobody is signed in, or not lately enough; the error handler of the pages leads on to `location`, the sign-in. */
export class SignInRequired extends Error {
  override readonly name = 'SignInRequired'
  readonly location: string

  constructor(location: string) {
    super('Sign in first.')
    this.location = location
  }
}

type RequireOptions = {
  /** Asks for a sign-in of the last five minutes: what changes keys or deletes. */
  fresh?: boolean
  /** A path from `/auth/` on, where the sign-in ends. Default: the page that was asked for; after a form the account. */
  returnTo?: string
}

/** The page that was asked for, as a path from `/auth/` on; the account where it was a form. */
const toReturn = (deps: Deps, req: IncomingMessage & { originalUrl?: string }): string =>
  readPageReturn(deps, req.method === 'GET' ? (req.originalUrl ?? req.url) : undefined)

/**
 * The session of the browser that asks. Throws SignInRequired, which becomes a redirect to the sign-in and back: let it pass to the
 * error handler of the pages.
 */
export const requireSession = async (
  deps: Deps,
  req: IncomingMessage & { originalUrl?: string },
  { fresh = false, returnTo = toReturn(deps, req) }: RequireOptions = {},
): Promise<BrowserSession> => {
  const session = await findSession(deps, req)
  if (session && (!fresh || isFresh(session, deps.clock.now()))) return session
  const query = new URLSearchParams({ return: returnTo, ...(session && { again: '1' }) })
  throw new SignInRequired(pagePath(deps, `/auth/sign-in?${query}`))
}
