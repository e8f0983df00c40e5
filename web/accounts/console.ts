import { type Request, Router } from 'express'
import { z } from 'zod'
import { loadBook, toBook } from '../../mcp/accounts/books.ts'
import type { AccountDeps } from '../../mcp/accounts/deps.ts'
import { findAccounts } from '../../mcp/accounts/freeze.ts'
import { findAccount, listKeys, listSessions } from '../../mcp/accounts/manage.ts'
import { isOperator, type OperatorDesk } from '../../mcp/accounts/operator.ts'
import type { BrowserSession } from '../../mcp/accounts/session.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { formatUsd } from '../../mcp/lib/usd.ts'
import { sendPage } from './answer.ts'
import { formFields } from './balance.ts'
import { findSession, requireSession } from './browser-session.ts'
import { accountsPage, oneAccountPage } from './console-accounts-page.ts'
import { auditPage, consolePage } from './console-page.ts'
import { pagePath } from './return-path.ts'

const dayMs = 86_400_000

const days = z.coerce.number().int().min(1).max(366)

const schema = z.object({
  id: z.string().min(1).max(300).optional(),
  to: z.string().max(4096).optional(),
  served: z.string().optional(),
  own: z.string().optional(),
  seconds: z.coerce.number().int().min(1).max(3600).optional(),
  out: z.enum(['1', '0']).optional(),
})

const readFields = ({ body }: Request): z.infer<typeof schema> => {
  const { data, error } = schema.safeParse(body ?? {})
  if (data) return data
  const path = error.issues[0]?.path.join('.') ?? 'form'
  const message = error.issues[0]?.message ?? 'cannot be read'
  throw new ToolError('invalid_input', `${path}: ${message}`, { issues: [{ path, message }] })
}

const requireId = ({ id }: z.infer<typeof schema>): string => {
  if (id !== undefined) return id
  throw new ToolError('invalid_input', 'id: the id of a receipt or a transfer is needed.', {
    issues: [{ path: 'id', message: 'is needed' }],
  })
}

/**
 * `/console`: what operators see and do. For anybody else there is no such page, whoever asks; what moves money or holds the server up
 * asks for a sign-in of the last five minutes.
 */
export const consoleRoutes = (deps: AccountDeps, desk: OperatorDesk): Router => {
  const router = Router()
  const { clock } = deps
  const path = (to: string) => pagePath(deps, `/console${to}`)

  router.use('/console', async (req, _res, next) => {
    const session = await findSession(deps, req)
    // `router`: on to whatever comes after these routes, which is nothing.
    next(session && (await isOperator(deps, desk, session.account)) ? undefined : 'router')
  })

  router.get('/console', async (req, res) => {
    const { data: period = 30 } = days.safeParse(req.query.days)
    const now = clock.now()
    const from = new Date(now.getTime() - period * dayMs).toISOString()
    const [book, owed, unexplained, networks, peers, accounts, alerts, capabilities] = await Promise.all([
      desk.sales(from, '9999'),
      desk.owed(),
      desk.unexplained(),
      desk.networks(),
      desk.peers(),
      desk.accounts(),
      desk.alerts(),
      desk.capabilities(),
    ])
    const { refunded, find } = req.query
    const id = typeof find === 'string' && find.trim() !== '' ? find.trim().slice(0, 200) : undefined
    const body = consolePage({
      base: pagePath(deps, ''),
      now,
      days: period,
      sales: book.sales,
      owed,
      unexplained,
      networks,
      peers,
      accounts,
      alerts,
      capabilities,
      calls: desk.calls,
      lookUp: { id, calls: desk.findCalls(id) },
      queues: desk.queues() ?? {},
      settings: desk.settings(),
      canFreeze: desk.freeze !== undefined,
      isOut: desk.isOut(),
      refunded: typeof refunded === 'string' && /^[0-9a-f]{32}$/.test(refunded) ? refunded : undefined,
    })
    sendPage(res, { title: 'Console', section: 'Console', width: undefined, body })
  })

  /** A form of the console, sent by an operator who signed in a moment ago. */
  const act = (
    to: string,
    work: (fields: z.infer<typeof schema>, session: BrowserSession) => Promise<string> | string,
  ) =>
    router.post(`/console/${to}`, formFields, async (req, res) => {
      const session = await requireSession(deps, req, { fresh: true, returnTo: '/console' })
      res.redirect(303, path(await work(readFields(req), session)))
    })

  const above = [{ title: 'Console', url: pagePath(deps, '/console') }]

  router.get('/console/audit', async (_req, res) => {
    const body = auditPage(await desk.audit(false))
    sendPage(res, { title: 'Audit', section: 'Console', width: undefined, above, body })
  })

  router.get('/console/accounts', async (req, res) => {
    const { find, after } = req.query
    const text = typeof find === 'string' && find.trim() !== '' ? find.trim().slice(0, 64) : undefined
    const from = typeof after === 'string' ? after.slice(0, 500) : undefined
    const { rows, next } = await findAccounts(deps, { text, after: from })
    const body = accountsPage({ base: pagePath(deps, ''), text, accounts: rows, next })
    sendPage(res, { title: 'Accounts', section: 'Console', width: undefined, above, body })
  })

  router.get('/console/accounts/:id', async (req, res) => {
    const { account: own } = await requireSession(deps, req)
    const account = await findAccount(deps, req.params.id)
    if (!account) throw new ToolError('not_found', 'There is no such account.')
    const { id } = account
    const { store, ledger, keys, clients } = deps
    const [book, signIns, { keys: apiKeys }, sessions, connected] = await Promise.all([
      loadBook(store, ledger, toBook(id)),
      listKeys(store, id),
      keys.listOf(store, id),
      listSessions(store, id),
      clients?.list(id),
    ])
    const body = oneAccountPage({
      base: pagePath(deps, ''),
      account,
      available: formatUsd(book.available),
      keys: signIns,
      apiKeys,
      browsers: sessions.length,
      clients: connected ?? [],
      isOwn: id === own,
    })
    const accounts = { title: 'Accounts', url: path('/accounts') }
    sendPage(res, {
      title: 'Account',
      section: 'Console',
      width: undefined,
      above: [...above, accounts],
      body,
    })
  })

  const setFrozen =
    (freeze: boolean) =>
    async (fields: z.infer<typeof schema>, { account }: BrowserSession) => {
      const id = requireId(fields)
      if (id === account)
        throw new ToolError('conflict', 'This is the account that you are signed in to.', {
          hint: 'Another operator can freeze it.',
        })
      await desk.setFrozen(id, freeze, account)
      return `/accounts/${encodeURIComponent(id)}`
    }
  act('freeze-account', setFrozen(true))
  act('thaw', setFrozen(false))

  act('refund', async fields => {
    const id = requireId(fields)
    const to = fields.to === '' ? undefined : fields.to
    await desk.refund(id, to, fields.served !== undefined)
    return `?refunded=${encodeURIComponent(id)}#owed`
  })
  act('owe', async fields => {
    await desk.owe(requireId(fields), fields.own !== undefined)
    return '#unexplained'
  })
  act('freeze', async ({ seconds = 0 }) => {
    if (!desk.freeze) throw new ToolError('conflict', 'This server has its store in PostgreSQL.')
    if (seconds < 1) throw new ToolError('invalid_input', 'seconds: a number of seconds is needed.')
    await desk.freeze(seconds)
    return '#server'
  })
  act('drain', ({ out }) => {
    desk.setOut(out === '1')
    return '#server'
  })
  return router
}
