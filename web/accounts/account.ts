import { pipeline } from 'node:stream/promises'
import express, { type Request, Router } from 'express'
import { z } from 'zod'
import { claimAccountKey } from '../../mcp/accounts/claim.ts'
import type { AccountDeps } from '../../mcp/accounts/deps.ts'
import { exportAccount } from '../../mcp/accounts/export.ts'
import {
  deleteAccount,
  endSessions,
  findAccount,
  listKeys,
  listObstacles,
  listSessions,
  nameAccount,
  nameKey,
  readName,
  removeKey,
} from '../../mcp/accounts/manage.ts'
import { isOperator } from '../../mcp/accounts/operator.ts'
import { hasPasskeys } from '../../mcp/accounts/passkey.ts'
import {
  listPersonalKeys,
  makePersonalKey,
  removePersonalKey,
  rotatePersonalKey,
} from '../../mcp/accounts/personal-keys.ts'
import { isFresh } from '../../mcp/accounts/session.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { accountPage, deletedPage, deletePage, newKeyPage } from './account-page.ts'
import { sendPage } from './answer.ts'
import { readFormFields as readLimitFields, readLimits } from './balance.ts'
import { clearSessionCookie, requireSession } from './browser-session.ts'
import { pagePath } from './return-path.ts'
import { keysScript } from './script.ts'

const schema = z.object({
  name: z.string().max(400).optional(),
  key: z.string().max(1500).optional(),
  api_key: z.string().max(200).optional(),
  access: z.enum(['read', 'write']).optional(),
  session: z.string().max(64).optional(),
  client: z.string().max(200).optional(),
})

const readFields = ({ body }: Request): z.infer<typeof schema> => {
  const { data, error } = schema.safeParse(body ?? {})
  if (data) return data
  const texts = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new ToolError('invalid_input', texts.join('; '))
}

/** Exports that one network address may ask for in a minute: each reads all that there is. */
const exportsPerMinute = 6

/** Minutes that a key works on beside the one that replaced it. */
const overlapMinutes = 60

/** Keys that one network address may try to claim in a minute. */
const claimsPerMinute = 10

/** `/auth/account`: what a person has here, and may change, take along and delete. */
export const accountRoutes = (deps: AccountDeps): Router => {
  const router = Router()
  const fields = express.urlencoded({ extended: false, limit: '16kb' })
  const path = (to: string) => pagePath(deps, `/auth/${to}`)

  router.get('/auth/account', async (req, res) => {
    const session = await requireSession(deps, req)
    const account = await findAccount(deps, session.account)
    if (!account) {
      clearSessionCookie(deps, res)
      return res.redirect(303, path('sign-in'))
    }
    const fresh = isFresh(session, deps.clock.now())
    sendPage(res, {
      title: account.name ?? 'Your account',
      tab: 'account',
      ...(fresh && { script: keysScript() }),
      body: accountPage({
        base: path('').slice(0, -1),
        account,
        keys: await listKeys(deps.store, account.id),
        sessions: await listSessions(deps.store, account.id),
        session,
        clients: await deps.clients?.list(account.id),
        apiKeys: await deps.keys.listOf(deps.store, account.id),
        personalKeys: await listPersonalKeys(deps, deps.store, account.id),
        services: deps.services ?? [],
        fresh,
        passkeys: hasPasskeys(deps),
        console: deps.desk && (await isOperator(deps, deps.desk, account.id)) && pagePath(deps, '/console'),
      }),
    })
  })

  router.post('/auth/account/name', fields, async (req, res) => {
    const { account } = await requireSession(deps, req)
    await nameAccount(deps, account, readName(readFields(req).name))
    res.redirect(303, path('account'))
  })

  router.post('/auth/account/keys/name', fields, async (req, res) => {
    const { account } = await requireSession(deps, req)
    const { key = '', name } = readFields(req)
    await nameKey(deps, account, key, readName(name))
    res.redirect(303, path('account'))
  })

  router.post('/auth/account/keys/remove', fields, async (req, res) => {
    const { account } = await requireSession(deps, req, { fresh: true })
    await removeKey(deps, account, readFields(req).key ?? '')
    res.redirect(303, path('account'))
  })

  router.post('/auth/account/api-keys', fields, async (req, res) => {
    const { account } = await requireSession(deps, req, { fresh: true, returnTo: '/auth/account' })
    const { name, access = 'read' } = readFields(req)
    const limits = readLimits(readLimitFields(req))
    const { api_key } = await makePersonalKey(deps, account, {
      ...limits,
      access,
      name: readName(name) ?? 'A key',
    })
    sendPage(res, { title: 'Your new key', body: newKeyPage(path('').slice(0, -1), api_key) })
  })

  router.post('/auth/account/api-keys/rotate', fields, async (req, res) => {
    const { account } = await requireSession(deps, req, { fresh: true, returnTo: '/auth/account' })
    const { api_key } = await rotatePersonalKey(deps, account, readFields(req).key ?? '', overlapMinutes)
    sendPage(res, { title: 'Your new key', body: newKeyPage(path('').slice(0, -1), api_key) })
  })

  router.post('/auth/account/api-keys/remove', fields, async (req, res) => {
    const { account } = await requireSession(deps, req, { returnTo: '/auth/account' })
    await removePersonalKey(deps, account, readFields(req).key ?? '')
    res.redirect(303, path('account'))
  })

  router.post('/auth/account/claims', fields, async (req, res) => {
    const { account } = await requireSession(deps, req)
    await deps.takeLimit('claim', req.ip, claimsPerMinute)
    await claimAccountKey(deps, account, readFields(req).api_key ?? '')
    res.redirect(303, path('account'))
  })

  router.post('/auth/account/sessions/end', fields, async (req, res) => {
    const { account } = await requireSession(deps, req)
    await endSessions(deps, account, readFields(req).session)
    res.redirect(303, path('account'))
  })

  router.post('/auth/account/clients/disconnect', fields, async (req, res) => {
    const { account } = await requireSession(deps, req)
    const isGone = await deps.clients?.disconnect(account, readFields(req).client ?? '')
    if (!isGone) throw new ToolError('not_found', 'Your account has no such client.')
    res.redirect(303, path('account'))
  })

  router.get('/auth/account/export', async (req, res) => {
    const { account } = await requireSession(deps, req, { returnTo: '/auth/account' })
    await deps.takeLimit('Exporting the account', req.ip, exportsPerMinute)
    const pieces = exportAccount(deps, account)
    // What is wrong shows with the first piece, while the answer can still be a refusal.
    const first = await pieces.next()
    res.set({
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': `attachment; filename="${account}.json"`,
      'Cache-Control': 'no-store',
    })
    await pipeline(async function* () {
      if (!first.done) yield first.value
      yield* pieces
    }, res)
  })

  router.get('/auth/account/delete', async (req, res) => {
    const session = await requireSession(deps, req, { fresh: true })
    const account = await findAccount(deps, session.account)
    if (!account) throw new ToolError('not_found', 'There is no such account.')
    const obstacles = await deps.store.transaction(tx => listObstacles(deps, tx, account.id))
    sendPage(res, {
      title: 'Delete the account',
      body: deletePage(path('').slice(0, -1), account, obstacles),
    })
  })

  router.post('/auth/account/delete', fields, async (req, res) => {
    const { account } = await requireSession(deps, req, {
      fresh: true,
      returnTo: '/auth/account/delete',
    })
    await deleteAccount(deps, account)
    clearSessionCookie(deps, res)
    sendPage(res, { title: 'The account is deleted', body: deletedPage })
  })
  return router
}
