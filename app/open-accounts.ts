import { lookup } from 'node:dns/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { balanceUnit, toWallet } from '../mcp/accounts/account.ts'
import { loadBook, toBook } from '../mcp/accounts/books.ts'
import { accountSettings } from '../mcp/accounts/config.ts'
import type { AccountDeps, ExternalIssuer } from '../mcp/accounts/deps.ts'
import { openAuthorizationServer } from '../mcp/accounts/oauth/server.ts'
import { sweepOauth } from '../mcp/accounts/oauth/sweep.ts'
import { withPersonalKeys } from '../mcp/accounts/personal-keys.ts'
import { cardEventsPath } from '../mcp/accounts/service.ts'
import { type Request, toClient } from '../mcp/kernel/http.ts'
import { type AnyJob, job } from '../mcp/kernel/job.ts'
import type { Shell } from '../mcp/kernel/page.ts'
import { listWallets } from '../mcp/kernel/person.ts'
import type { SignIn, Visitor } from '../mcp/kernel/sign-in.ts'
import { formatUsd } from '../mcp/lib/usd.ts'
import { openFetch } from '../mcp/ports/fetch/fetch.ts'
import type { HostAddress } from '../mcp/ports/fetch/guard.ts'
import { type Config, readSettings } from './config.ts'

/** Accounts of people, opened: what HTTP of theirs there is. */
export type OpenAccounts = {
  /** True when a path is one of theirs. */
  owns(path: string): boolean
  /** Answers a request; `missing` answers where there is no such page. */
  handle(req: IncomingMessage, res: ServerResponse, missing: () => void): void
  /** How callers show that they are signed in. */
  signIn: SignIn
  /** A browser's signed-in person. */
  visitor(req: IncomingMessage): Promise<Visitor | undefined>
  jobs: readonly AnyJob[]
}

/** The authorization server that a configuration names, with a way out to it alone, wherever it is; undefined without one. */
export const openIssuer = (config: Config): (ExternalIssuer & { close(): Promise<void> }) | undefined => {
  const { oidcIssuer, oidcAudience = [], oidcScope = [] } = readSettings(config, accountSettings)
  if (oidcIssuer === undefined) return undefined
  const fetch = openFetch({
    resolve: async host => (await lookup(host, { all: true })) as HostAddress[],
    allow: () => true,
    userAgent: 'Octagent/0.1',
    maxSockets: 4,
  })
  return { issuer: oidcIssuer, audience: oidcAudience, scopes: oidcScope, fetch, close: fetch.close }
}

/** Opens accounts over one store. Pages and their framework are loaded with the first request, as is the authorization server. */
export const openAccounts = (deps: AccountDeps, shell: Shell): OpenAccounts => {
  const server = openAuthorizationServer(deps, {
    errorPage: async problem => (await import('../web/accounts/consent.ts')).renderProblem(shell, problem),
  })
  let loading: Promise<(req: IncomingMessage, res: ServerResponse, missing: () => void) => void> | undefined
  const load = async () => {
    const { openAccountPages } = await import('../web/accounts/app.ts')
    return openAccountPages(deps, shell, server.interactions)
  }
  return {
    owns: path =>
      (deps.desk !== undefined && /^\/console(\/|$)/.test(path)) ||
      path === '/auth' ||
      (path.startsWith('/auth/') && path !== `/auth${cardEventsPath}`) ||
      server.owns(path),
    handle(req, res, missing) {
      const fail = (cause: unknown) => {
        deps.report('accounts', cause)
        if (res.headersSent) res.destroy()
        else res.writeHead(500).end()
      }
      const [path = ''] = (req.url ?? '').split('?')
      if (server.owns(path)) {
        const client = toClient((req as Request).ip ?? req.socket.remoteAddress)
        server.handle(req, res, { client }).catch(fail)
        return
      }
      loading ??= load()
      loading.then(
        handle => handle(req, res, missing),
        cause => {
          loading = undefined
          fail(cause)
        },
      )
    },
    signIn: { ...withPersonalKeys(server.signIn, deps), origin: deps.origin },
    async visitor(req) {
      if (!req.headers.cookie?.includes('octagent_session')) return undefined
      const { findSession } = await import('../web/accounts/browser-session.ts')
      const session = await findSession(deps, req)
      if (!session) return undefined
      const { account } = session
      return {
        account,
        client: { id: 'browser', name: 'This browser' },
        grant: 'browser',
        wallets: () => listWallets(deps.store, account),
        purse: {
          balance: { account: toWallet(account), unit: balanceUnit },
          async available() {
            return formatUsd((await loadBook(deps.store, deps.ledger, toBook(account))).available)
          },
        },
      }
    },
    jobs: [
      job({ name: 'sign-in-sweep', every: 600, needs: [] }).run(({ signal }) => sweepOauth(deps, signal)),
    ],
  }
}
