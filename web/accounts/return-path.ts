import type { AccountDeps } from '../../mcp/accounts/deps.ts'

const account = '/auth/account'

const pageForm =
  /^(?:\/auth\/|\/console(?=[?]|$)|(?:\/[a-z][a-z\d-]*)?\/(?:work|publish|tools)(?=[/?]|$))[\x21-\x7e]*$/

/**
 * Where a sign-in leads on to: a path of the pages, from `/auth/` on, the console of the operator, a service's desk, `/<service>/work` and
 * `/<service>/publish`, or a tool, `/<service>/tools/…`, since nothing else has a use for a session. Anything else becomes the account:
 * another site, `//host`, `/\host`, a path that climbs out, and the sign-in itself.
 */
export const readReturn = (asked?: unknown): string => {
  if (typeof asked !== 'string' || asked.length > 2000) return account
  if (!pageForm.test(asked) || asked.includes('\\')) return account
  const base = 'http://own.invalid'
  const url = new URL(asked, base)
  if (url.origin !== base || !pageForm.test(url.pathname) || url.pathname.includes('//')) return account
  if (/^\/auth\/sign-(in|out)(\/|$)/.test(url.pathname)) return account
  return url.pathname + url.search
}

/** A path of ours as browsers ask for it: below the path at which the installation is mounted, where it is. */
export const pagePath = ({ url }: Pick<AccountDeps, 'url'>, path: string): string =>
  new URL(url()).pathname.replace(/\/+$/, '') + path

/** The same for a path that a browser asked for, or that names the mount path too. */
export const readPageReturn = (deps: Pick<AccountDeps, 'url'>, asked?: unknown): string => {
  const mount = pagePath(deps, '')
  const isMounted = typeof asked === 'string' && mount !== '' && asked.startsWith(`${mount}/auth/`)
  return readReturn(isMounted ? asked.slice(mount.length) : asked)
}
