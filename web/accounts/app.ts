import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import type { AccountDeps } from '../../mcp/accounts/deps.ts'
import type { Interactions } from '../../mcp/accounts/oauth/interactions.ts'
import { ToolError, toToolError } from '../../mcp/kernel/error.ts'
import type { Shell } from '../../mcp/kernel/page.ts'
import { html } from '../../mcp/lib/text/html.ts'
import { accountRoutes } from './account.ts'
import { activityRoutes } from './activity.ts'
import { sendPage } from './answer.ts'
import { balanceRoutes } from './balance.ts'
import { SignInRequired } from './browser-session.ts'
import { consentPages } from './consent.ts'
import { consoleRoutes } from './console.ts'
import { inboxRoutes } from './inbox.ts'
import { payRoutes } from './pay.ts'
import { pagePath } from './return-path.ts'
import { signInRoutes } from './sign-in.ts'

/** Posts of a browser come from a page of ours: what another site sends is refused before its body is read (Fetch Metadata, RFC 6454). */
const sameOrigin =
  ({ origin }: Pick<AccountDeps, 'origin'>): RequestHandler =>
  (req, res, next) => {
    if (req.method === 'GET' || req.method === 'HEAD') return next()
    const { origin: from, 'sec-fetch-site': site } = req.headers
    const isOurs = from === origin() && (site === undefined || site === 'same-origin')
    if (isOurs) return next()
    res.status(403).type('text').send('This form belongs to a page of this server. Open the page again.')
  }

/** Puts a body parser's refusal of a body in our words; returns anything else as it is. */
const readBodyFault = (cause: unknown): unknown => {
  const type = cause instanceof Error && 'type' in cause ? cause.type : undefined
  if (type === 'entity.too.large' || type === 'parameters.too.many')
    return new ToolError('too_large', 'This is more than a form of ours holds.', { cause })
  if (type === 'entity.parse.failed' || type === 'request.size.invalid')
    return new ToolError('malformed', 'The body cannot be read.', { cause })
  if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    return new ToolError('unsupported_media', 'The body is in an encoding that is not taken.', { cause })
  return cause
}

/**
 * Leads people to the one host that keys and cookies are bound to: passkeys refuse addresses such as 127.0.0.1, and a service at a host of
 * its own has no accounts of its own.
 */
const onOwnHost =
  ({ origin, url }: Pick<AccountDeps, 'origin' | 'url'>): RequestHandler =>
  (req, res, next) => {
    const host = URL.canParse(`http://${req.headers.host}`)
      ? new URL(`http://${req.headers.host}`)
      : undefined
    const isOwn = host === undefined || host.hostname === new URL(origin()).hostname
    if (isOwn || (req.method !== 'GET' && req.method !== 'HEAD')) return next()
    // Another server in front may have taken the path off at which the installation is mounted.
    const isWhole = req.originalUrl.startsWith(pagePath({ url }, '/'))
    res.redirect(307, origin() + (isWhole ? req.originalUrl : pagePath({ url }, req.originalUrl)))
  }

const onFault =
  ({ report, url }: Pick<AccountDeps, 'report' | 'url'>): ErrorRequestHandler =>
  (cause, req, res, next) => {
    if (res.headersSent) return next(cause)
    if (cause instanceof SignInRequired && !req.is('json')) return res.redirect(303, cause.location)
    if (cause instanceof SignInRequired)
      return res.status(401).json({ detail: cause.message, location: cause.location })
    const error = toToolError(readBodyFault(cause))
    if (error.code === 'internal') report(`page ${req.path}`, cause)
    res.set(error.headers)
    if (req.is('json')) {
      const { detail, hint, reason } = error.toProblem()
      return res.status(error.status).json({ detail, hint, reason })
    }
    sendPage(res, {
      title: 'This did not work',
      status: error.status,
      body: html`<h1>This did not work</h1>
<p>${error.message}</p>
<p>${error.extra.hint}</p>
<p><a href="${pagePath({ url }, '/auth/account')}">Your account</a></p>`,
    })
  }

/** The pages of accounts, below `/auth`: sign-in, consent, the account, its balance and what is to be paid. */
export const openAccountPages = (deps: AccountDeps, shell: Shell, interactions?: Interactions): Express => {
  const app = express()
  app.locals.shell = shell
  app.locals.path = (to: string) => pagePath(deps, to)
  app.disable('x-powered-by')
  app.disable('etag')
  app.use(sameOrigin(deps))
  app.use(
    [
      '/auth/sign-in',
      '/auth/account',
      '/auth/balance',
      '/auth/activity',
      '/auth/inbox',
      '/auth/pay',
      '/console',
    ],
    onOwnHost(deps),
  )
  app.use(signInRoutes(deps))
  app.use(accountRoutes(deps))
  app.use(balanceRoutes(deps))
  app.use(activityRoutes(deps))
  app.use(inboxRoutes(deps))
  app.use(payRoutes(deps))
  if (deps.desk) app.use(consoleRoutes(deps, deps.desk))
  if (interactions) app.use(consentPages(deps, interactions))
  app.use(onFault(deps))
  return app
}
