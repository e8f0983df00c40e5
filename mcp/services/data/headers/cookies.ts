import { type CspFinding, headerLines, type Test, test } from '../../../lib/csp/finding.ts'
import type { Hop } from '../../../ports/fetch/port.ts'
import { type Cookie, isAntiForgery, readCookie } from './cookie.ts'

const maxCookies = 50

/** The cookies that a way sets, the last of each name, host and path. */
export const collectCookies = (hops: readonly Hop[]): Cookie[] => {
  const cookies = new Map<string, Cookie>()
  for (const { url, headers } of hops) {
    const { hostname } = new URL(url)
    for (const line of headerLines(headers, 'set-cookie')) {
      const cookie = readCookie(line, hostname)
      if (cookie) cookies.set(`${hostname} ${cookie.name} ${cookie.path}`, cookie)
    }
  }
  return [...cookies.values()].slice(0, maxCookies)
}

const name = 'cookies'

const isOdd = (cookie: Cookie) =>
  cookie.problems.some(text => text.startsWith('SameSite')) ||
  (isAntiForgery(cookie) && cookie.same_site === null)

/** Set by a router before the site, which cannot change it: the observatory does not look at it. */
const leftOut = new Set(['heroku-session-affinity'])

/** True for the observatory's session cookies; the findings know more names. */
const isScoredSession = ({ name }: Cookie) => /login|sess/i.test(name)

/**
 * The worst of the cookies decides, by the rules of the MDN observatory; HSTS of half a year keeps those without Secure from
 * going over http.
 */
export const scoreCookies = (all: readonly Cookie[], hsts: boolean): Test => {
  const cookies = all.filter(cookie => !leftOut.has(cookie.name))
  if (cookies.length === 0) return test(name, 'none', 0, 'No cookies are set.')
  const sessions = cookies.filter(isScoredSession)
  if (!hsts && sessions.some(({ secure }) => !secure))
    return test(name, 'session_without_secure', -40, 'A session cookie is sent over http too.')
  if (sessions.some(({ http_only: httpOnly }) => !httpOnly))
    return test(name, 'session_without_httponly', -30, 'Scripts can read a session cookie.')
  if (cookies.some(isOdd))
    return test(name, 'samesite', -20, 'A cookie has no usable SameSite where it needs one.')
  if (cookies.some(({ secure }) => !secure)) {
    if (!hsts) return test(name, 'without_secure', -20, 'A cookie is sent over http too.')
    return sessions.some(({ secure }) => !secure)
      ? test(
          name,
          'session_without_secure_hsts',
          -10,
          'Only HSTS keeps a session cookie from going over http.',
        )
      : test(name, 'without_secure_hsts', -5, 'Only HSTS keeps a cookie from going over http.')
  }
  if (cookies.every(({ same_site: sameSite }) => sameSite !== null))
    return test(name, 'good', 5, 'All cookies have Secure and SameSite, session cookies HttpOnly.')
  return test(name, 'secure', 0, 'All cookies have Secure, session cookies HttpOnly.')
}

const fixLine = ({ name, sensitive, path, same_site: sameSite, http_only: httpOnly }: Cookie): string =>
  `Set-Cookie: ${name}=…; Path=${path ?? '/'}; Secure${sensitive || httpOnly ? '; HttpOnly' : ''}; SameSite=${sameSite ?? 'Lax'}`

/** One finding for each cookie that has something wrong with it. */
export const aboutCookies = (cookies: readonly Cookie[]): CspFinding[] =>
  cookies
    .filter(({ problems }) => problems.length > 0)
    .map(cookie => ({
      code: 'cookie',
      severity: cookie.sensitive && (!cookie.secure || !cookie.http_only) ? 'high' : 'low',
      message: `${cookie.name}: ${cookie.problems.join(' ')}`,
      fix: fixLine(cookie),
    }))
