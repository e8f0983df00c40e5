import express, { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import { challengeSeconds, newBrowserToken } from '../../mcp/accounts/challenge.ts'
import { type AccountDeps, forVisitor } from '../../mcp/accounts/deps.ts'
import { findAccount, readName } from '../../mcp/accounts/manage.ts'
import { finishPasskey, hasPasskeys, startPasskey } from '../../mcp/accounts/passkey.ts'
import { type BrowserSession, closeSession } from '../../mcp/accounts/session.ts'
import { finishWallet, startWallet } from '../../mcp/accounts/wallet.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { sendPage } from './answer.ts'
import {
  clearSessionCookie,
  findSession,
  readSessionToken,
  requireSession,
  setBrowserCookie,
  setSessionCookie,
} from './browser-session.ts'
import { pagePath, readPageReturn } from './return-path.ts'
import { keysScript } from './script.ts'
import { messagePage, signInPage } from './sign-in-page.ts'

/** Starts and ends one network address may make in a minute: each stores something, or has a signature checked. */
const perMinute = { start: 20, finish: 20 } as const

const text = (max: number) => z.string().max(max)
const purposes = z.enum(['sign-in', 'prove', 'create', 'add'])
const bodies = {
  passkeyStart: z.object({ purpose: purposes, name: text(400).optional() }),
  walletStart: z.object({
    purpose: purposes.exclude(['create']),
    address: text(100),
    chain_id: z.union([z.number(), text(20)]),
    return: text(2000).optional(),
  }),
  passkeyFinish: z.object({ id: text(64), response: z.unknown(), return: text(2000).optional() }),
  walletFinish: z.object({ id: text(64), signature: text(20_000), return: text(2000).optional() }),
} as const

/** The fields of a form or of a script of ours. Throws `invalid_input` that names what does not fit. */
const readBody = <T>(schema: z.ZodType<T>, body: unknown): T => {
  const { data, error } = schema.safeParse(body ?? {})
  if (data !== undefined) return data
  const issues = error?.issues.map(({ path, message }) => ({ path: path.join('.'), message })) ?? []
  throw new ToolError('invalid_input', issues.map(({ path, message }) => `${path}: ${message}`).join('; '), {
    issues,
  })
}

/** `/auth/sign-in` and what its script and forms ask; `/auth/sign-out`. */
export const signInRoutes = (deps: AccountDeps): Router => {
  const router = Router()
  const json = express.json({ limit: '64kb' })
  const fields = express.urlencoded({ extended: false, limit: '32kb' })

  /** The token of this browser, made where it has none. */
  const browserToken = (req: Request, res: Response): string => {
    const token = readSessionToken(deps, req, 'octagent_browser') ?? newBrowserToken()
    setBrowserCookie(deps, res, token, challengeSeconds)
    return token
  }

  /** Session that proves again, or adds a key: the latter has just signed in. */
  const actingFor = async (
    req: Request,
    purpose: z.infer<typeof purposes>,
  ): Promise<BrowserSession | undefined> =>
    purpose === 'add' || purpose === 'prove'
      ? requireSession(deps, req, { fresh: purpose === 'add' })
      : undefined

  const browserOf = async (req: Request) => ({
    browser: readSessionToken(deps, req, 'octagent_browser'),
    session: await findSession(deps, req),
    address: req.ip,
    previousToken: readSessionToken(deps, req, 'octagent_session'),
  })

  /** Next page of the person: signed in under a new token, or back at the account with one more key. */
  const enter = (res: Response, token: string | undefined, back: string | undefined): string => {
    if (token !== undefined) setSessionCookie(deps, res, token)
    return pagePath(deps, readPageReturn(deps, back))
  }

  const beginWallet = async (req: Request, res: Response) => {
    await deps.takeLimit('Signing in', req.ip, perMinute.start)
    const body = readBody(bodies.walletStart, req.body)
    const session = await actingFor(req, body.purpose)
    const browser = browserToken(req, res)
    const { purpose, address, chain_id: chainId } = body
    return {
      ...(await startWallet(forVisitor(deps, req.ip), { purpose, address, chainId, browser, session })),
      body,
    }
  }

  const endWallet = async (req: Request, res: Response): Promise<string> => {
    await deps.takeLimit('Proving a key', req.ip, perMinute.finish)
    const { id, signature, return: back } = readBody(bodies.walletFinish, req.body)
    return enter(
      res,
      await finishWallet(forVisitor(deps, req.ip), { id, signature, ...(await browserOf(req)) }),
      back,
    )
  }

  router.get('/auth/sign-in', async (req, res) => {
    const session = await findSession(deps, req)
    const account = session && (await findAccount(deps, session.account))
    const back = readPageReturn(deps, req.query.return)
    sendPage(res, {
      title: 'Sign in',
      script: keysScript(),
      body: signInPage({
        host: new URL(deps.origin()).host,
        base: pagePath(deps, '/auth'),
        back,
        goOn: pagePath(deps, back),
        passkeys: hasPasskeys(deps),
        signedIn: account && (account.name ?? account.id),
        again: session !== undefined && req.query.again === '1',
      }),
    })
  })

  router.post('/auth/passkey/start', json, async (req, res) => {
    await deps.takeLimit('Signing in', req.ip, perMinute.start)
    const { purpose, name } = readBody(bodies.passkeyStart, req.body)
    const session = await actingFor(req, purpose)
    const browser = browserToken(req, res)
    res.json(
      await startPasskey(forVisitor(deps, req.ip), { purpose, browser, name: readName(name), session }),
    )
  })

  router.post('/auth/passkey/finish', json, async (req, res) => {
    await deps.takeLimit('Proving a key', req.ip, perMinute.finish)
    const { id, response, return: back } = readBody(bodies.passkeyFinish, req.body)
    const token = await finishPasskey(forVisitor(deps, req.ip), { id, response, ...(await browserOf(req)) })
    res.json({ location: enter(res, token, back) })
  })

  router.post('/auth/wallet/start', json, async (req, res) => {
    const { id, message } = await beginWallet(req, res)
    res.json({ id, message })
  })

  router.post('/auth/wallet/finish', json, async (req, res) => {
    res.json({ location: await endWallet(req, res) })
  })

  router.post('/auth/wallet/message', fields, async (req, res) => {
    const { id, message, body } = await beginWallet(req, res)
    const hidden = { id, return: readPageReturn(deps, body.return) }
    sendPage(res, {
      title: 'Sign this message',
      body: messagePage(pagePath(deps, '/auth/wallet/signature'), hidden, message),
    })
  })

  router.post('/auth/wallet/signature', fields, async (req, res) => {
    res.redirect(303, await endWallet(req, res))
  })

  router.post('/auth/sign-out', fields, async (req, res) => {
    const token = readSessionToken(deps, req, 'octagent_session')
    if (token !== undefined) await closeSession(deps.store, token)
    clearSessionCookie(deps, res)
    res.redirect(303, pagePath(deps, '/auth/sign-in'))
  })
  return router
}
