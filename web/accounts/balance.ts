import { pipeline } from 'node:stream/promises'
import express, { type Request, type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { loadBook, toBook } from '../../mcp/accounts/books.ts'
import { changeLimits, listLimits } from '../../mcp/accounts/change-limits.ts'
import type { AccountDeps } from '../../mcp/accounts/deps.ts'
import { spentDaysIn, toDay, toDayId } from '../../mcp/accounts/spending.ts'
import { readStatement, writeStatement } from '../../mcp/accounts/statement.ts'
import { openCardPage, openTopUp } from '../../mcp/accounts/top-up.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { sendPage } from './answer.ts'
import { balancePage } from './balance-page.ts'
import { requireSession } from './browser-session.ts'
import { invoicePage } from './invoice-page.ts'
import { invoiceScript } from './invoice-script.ts'
import { pagePath } from './return-path.ts'

const text = z.string().max(200)

const schema = z.object({
  usd: text.optional(),
  by: z.enum(['wallet', 'card', 'lightning']).optional(),
  grant: text.optional(),
  per_call: text.optional(),
  per_day: text.optional(),
  services: z.union([text, z.array(text).max(100)]).optional(),
  all_services: text.optional(),
})

/** The fields of a form of ours. Throws `invalid_input` for any other. */
export const readFields = ({ body }: Request): z.infer<typeof schema> => {
  const { data } = schema.safeParse(body ?? {})
  if (data) return data
  throw new ToolError('invalid_input', 'The form cannot be read. Open the page again.')
}

/** The limits that a form of ours names. */
export const readLimits = ({
  per_call = '',
  per_day = '',
  services,
  all_services,
}: z.infer<typeof schema>) => ({
  per_call,
  per_day,
  services: all_services === undefined ? [services ?? []].flat() : null,
})

export const formFields: RequestHandler = express.urlencoded({ extended: false, limit: '16kb' })

/** Top-ups that one network address may begin in a minute, and statements it may take along. */
const topUpsPerMinute = 20
const exportsPerMinute = 6

const pageLines = 50

/** `/auth/balance`: what a person has to spend, how to add to it, what clients may spend of it, and what became of it. */
export const balanceRoutes = (deps: AccountDeps): Router => {
  const router = Router()
  const { store, ledger, clock, services = [], ways = [] } = deps
  const path = (to: string) => pagePath(deps, to)

  router.get('/auth/balance', async (req, res) => {
    const { account } = await requireSession(deps, req)
    const { after } = req.query
    const limits = await listLimits(store, account)
    const day = toDay(clock.now())
    const spent = await Promise.all(
      limits.map(async ({ id }) => BigInt((await spentDaysIn(store).get(toDayId(id, day)))?.spent ?? '0')),
    )
    const page = { limit: pageLines, ...(typeof after === 'string' && after !== '' && { after }) }
    const body = balancePage({
      base: path(''),
      balance: await loadBook(store, ledger, toBook(account)),
      clients: limits.map((row, at) => ({ limits: row, spent: spent[at] ?? 0n })),
      services,
      ways: [...ways, ...(deps.card ? (['card'] as const) : [])],
      statement: await readStatement(store, ledger, account, page),
    })
    sendPage(res, { title: 'Your balance', section: 'Balance', body })
  })

  router.post('/auth/balance/top-up', formFields, async (req, res) => {
    const { account } = await requireSession(deps, req, { returnTo: '/auth/balance' })
    await deps.takeLimit('top-up', req.ip, topUpsPerMinute)
    const { usd = '', by = 'wallet' } = readFields(req)
    if (by === 'card')
      return res.redirect(
        303,
        await openCardPage(deps, account, usd, `${deps.origin()}${path('/auth/balance')}`),
      )
    if (!ways.includes(by)) throw new ToolError('unavailable', `Nothing can be added by ${by} here.`)
    const { id } = await openTopUp(deps, account, usd, by)
    res.redirect(303, path(by === 'wallet' ? `/account/pay/${id}/wallet` : `/auth/balance/invoice/${id}`))
  })

  router.get('/auth/balance/invoice/:id', async (req, res) => {
    await requireSession(deps, req)
    const id = /^[\w-]{22}$/.exec(req.params.id)?.[0] ?? ''
    sendPage(res, {
      title: 'Pay over Lightning',
      section: 'Balance',
      script: invoiceScript,
      body: invoicePage({ pay: path(`/account/pay/${id}`), back: path('/auth/balance') }),
    })
  })

  router.post('/auth/balance/limits', formFields, async (req, res) => {
    const { account } = await requireSession(deps, req, { returnTo: '/auth/balance' })
    const fields = readFields(req)
    const serviceSlugs = services.map(({ slug }) => slug)
    const of = { account, grant: fields.grant ?? '', serviceSlugs, now: clock.now() }
    await store.transaction(tx => changeLimits(tx, of, readLimits(fields)))
    res.redirect(303, path('/auth/balance'))
  })

  router.get('/auth/balance/statement.csv', async (req, res) => {
    const { account } = await requireSession(deps, req, { returnTo: '/auth/balance' })
    await deps.takeLimit('statement', req.ip, exportsPerMinute)
    res.set({
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="statement.csv"',
      'Cache-Control': 'no-store',
    })
    await pipeline(writeStatement(store, ledger, account), res)
  })
  return router
}
