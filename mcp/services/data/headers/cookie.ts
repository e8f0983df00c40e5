import { clean } from '../../../lib/text/clean.ts'

/** A Set-Cookie line (RFC 6265bis §5.6). The value is never kept: it may be somebody's session. */
export type Cookie = {
  name: string
  host: string
  secure: boolean
  http_only: boolean
  /** Null where none, or none that browsers know, is given. */
  same_site: 'Strict' | 'Lax' | 'None' | null
  /** It is gone when the browser is closed. */
  session: boolean
  /** Its name says that it carries a login or a session. */
  sensitive: boolean
  domain: string | null
  path: string | null
  partitioned: boolean
  problems: string[]
}

const sameSites = { strict: 'Strict', lax: 'Lax', none: 'None' } as const

const isSameSite = (value: string): value is keyof typeof sameSites => Object.hasOwn(sameSites, value)

const sensitive =
  /sess|(?:^|[_.-])(?:sid|auth|token|jwt|login|remember)(?:$|[_.-])|auth(?:token|orization)|accesstoken|refreshtoken|^(?:sid|phpsessid|jsessionid|connect\.sid|asp\.net_sessionid|aspsessionid\w*|laravel_session|_session_id|cfid|cftoken|wordpress_logged_in_\w*|identity|sso)$/i

const antiForgery = /csrf|xsrf/i

/** Names with the same words that carry no login: tokens against forgery, and load balancers that stick to a server. */
const notSessions = /csrf|xsrf|affinity|persistence/i

type Attributes = ReadonlyMap<string, string>

const parseAttributes = (parts: readonly string[]): Attributes =>
  new Map(
    parts.map(part => {
      const [name = '', ...value] = part.split('=')
      return [name.trim().toLowerCase(), value.join('=').trim()]
    }),
  )

/** A cookie that is being taken away: its life has ended already. */
const isDeletion = (attributes: Attributes): boolean => {
  const age = attributes.get('max-age')
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0
  const expires = Date.parse(attributes.get('expires') ?? '')
  return expires < Date.now()
}

const prefixProblems = (name: string, attributes: Attributes): string[] => {
  const lower = name.toLowerCase()
  const secure = attributes.has('secure')
  const issues: string[] = []
  if (lower.startsWith('__secure-') && !secure)
    issues.push('The __Secure- prefix needs Secure: browsers refuse it.')
  if (lower.startsWith('__host-') && (!secure || attributes.get('path') !== '/' || attributes.get('domain')))
    issues.push('The __Host- prefix needs Secure, Path=/ and no Domain: browsers refuse it.')
  return issues
}

/** Reads one line as a browser would. Undefined for a line without a cookie, and for one that only takes a cookie away. */
export const readCookie = (line: string, host: string): Cookie | undefined => {
  const [pair = '', ...rest] = line.split(';').slice(0, 30)
  const at = pair.indexOf('=')
  const name = clean(at < 0 ? '' : pair.slice(0, at), 200) ?? ''
  if (name === '' && (at < 0 || pair.slice(at + 1).trim() === '')) return undefined
  const attributes = parseAttributes(rest)
  if (isDeletion(attributes)) return undefined
  const sameSiteValue = attributes.get('samesite')?.toLowerCase()
  const sameSite = sameSiteValue !== undefined && isSameSite(sameSiteValue) ? sameSites[sameSiteValue] : null
  const secure = attributes.has('secure')
  const httpOnly = attributes.has('httponly')
  const isSensitive = sensitive.test(name) && !notSessions.test(name)
  const problems = prefixProblems(name, attributes)
  if (!secure) problems.push('Without Secure it is sent over http too.')
  if (isSensitive && !httpOnly) problems.push('Without HttpOnly scripts can read it.')
  if (sameSiteValue !== undefined && sameSite === null)
    problems.push('SameSite has a value that browsers do not know.')
  if (sameSite === 'None' && !secure) problems.push('SameSite=None needs Secure: browsers refuse it.')
  if (sameSiteValue === undefined) problems.push('Without SameSite browsers choose who sends it.')
  if (attributes.has('partitioned') && !secure) problems.push('Partitioned needs Secure: browsers refuse it.')
  return {
    name,
    host,
    secure,
    http_only: httpOnly,
    same_site: sameSite,
    session: !attributes.has('max-age') && !attributes.has('expires'),
    sensitive: isSensitive,
    domain: clean(attributes.get('domain'), 253),
    path: clean(attributes.get('path'), 500),
    partitioned: attributes.has('partitioned'),
    problems,
  }
}

export const isAntiForgery = ({ name }: Cookie): boolean => antiForgery.test(name)
