import { pipeline } from 'node:stream/promises'
import express, { type Request, type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { loadBook } from '../../mcp/accounts/books.ts'
import { changeLimits, listLimits } from '../../mcp/accounts/change-limits.ts'
import type { AccountDeps } from '../../mcp/accounts/deps.ts'
import {
  findBookWallet,
  listOwnBooks,
  listPayoutWallets,
  type OwnBook,
} from '../../mcp/accounts/own-books.ts'
import { spentDaysIn, toDay, toDayId } from '../../mcp/accounts/spending.ts'
import { listStatementLines, writeStatement } from '../../mcp/accounts/statement.ts'
import { openCardPage, openTopUp } from '../../mcp/accounts/top-up.ts'
import { transferBetween } from '../../mcp/accounts/transfer.ts'
import { askWithdrawal } from '../../mcp/accounts/withdrawal/ask.ts'
import { openWithdrawals, payable } from '../../mcp/accounts/withdrawal/withdrawal.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { sendPage } from './answer.ts'
import { balancePage } from './balance-page.ts'
import { requireSession } from './browser-session.ts'
import { pagePath } from './return-path.ts'

const text = z.string().max(200)

const schema = z.object({
  usd: text.optional(),
  by: z.enum(['wallet', 'card', 'lightning']).optional(),
  grant: text.optional(),
  book: text.optional(),
  to: text.optional(),
  invoice: z.string().max(2000).optional(),
  amount: text.optional(),
  once: text.optional(),
  per_call: text.optional(),
  per_day: text.optional(),
  services: z.union([text, z.array(text).max(100)]).optional(),
  all_services: text.optional(),
})

/** The fields of a form of ours. Throws `invalid_input` for any other. */
export const readFormFields = ({ body }: Request): z.infer<typeof schema> => {
  const { data } = schema.safeParse(body ?? {})
  if (data) return data
  throw new ToolError('invalid_input', 'The form cannot be read. Open the page again.')
}

const querySchema = z.object({
  after: z.string().min(1).max(8000).optional(),
  service: text.optional(),
  book: text.optional(),
  tool: text.optional(),
})

/** What a statement is asked for by the address: an empty field of the form is none. */
const readQuery = ({ query }: Request): z.infer<typeof querySchema> => {
  const set = Object.entries(query).filter(([, value]) => value !== '')
  const { data, error } = querySchema.safeParse(Object.fromEntries(set))
  if (data) return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined))
  const path = error.issues[0]?.path.join('.') ?? 'query'
  throw new ToolError('invalid_input', `${path}: one text is needed.`, {
    issues: [{ path, message: 'one text is needed' }],
  })
}

/** The books that a statement is of. Throws `invalid_input` for one that the person does not have. */
const chooseBooks = (
  books: readonly OwnBook[],
  { book }: { book?: string | undefined },
): OwnBook['book'][] => {
  const chosen = books.filter(({ name }) => book === undefined || name === book)
  if (chosen.length > 0) return chosen.map(own => own.book)
  throw new ToolError('invalid_input', 'book: you have no such book.', {
    issues: [{ path: 'book', message: 'you have no such book' }],
  })
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
const withdrawalLines = 20

/** `/auth/balance`: what a person has to spend, how to add to it, what clients may spend of it, and what became of it. */
export const balanceRoutes = (deps: AccountDeps): Router => {
  const router = Router()
  const { store, ledger, clock, services = [], ways = [] } = deps
  const { listWithdrawals } = openWithdrawals(deps)
  const path = (to: string) => pagePath(deps, to)

  router.get('/auth/balance', async (req, res) => {
    const { account } = await requireSession(deps, req)
    const query = readQuery(req)
    const limits = await listLimits(store, account)
    const day = toDay(clock.now())
    const spent = await Promise.all(
      limits.map(async ({ id }) => BigInt((await spentDaysIn(store).get(toDayId(id, day)))?.spent ?? '0')),
    )
    const books = await listOwnBooks(deps, account)
    const wallets = await listPayoutWallets(deps, account)
    const withdrawals = await Promise.all(
      books.map(({ book }) => listWithdrawals(store, book, { limit: withdrawalLines })),
    )
    const { service = '', book = '', tool = '' } = query
    const body = balancePage({
      base: path(''),
      books: await Promise.all(
        books.map(async own => {
          const balance = await loadBook(store, ledger, own.book)
          const wallet = findBookWallet(own.book)
          return {
            ...own,
            ...balance,
            payable: payable(balance),
            wallets: wallet === undefined ? wallets : [wallet],
          }
        }),
      ),
      withdrawals: withdrawals
        .flatMap(({ rows }) => rows)
        .sort((one, other) => other.created_at.localeCompare(one.created_at))
        .slice(0, withdrawalLines)
        .map(row => ({ ...row, unit: row.book.unit })),
      clients: limits.map((row, at) => ({ limits: row, spent: spent[at] ?? 0n })),
      services,
      ways: [...ways, ...(deps.card ? (['card'] as const) : [])],
      out: [...(deps.payouts ? (['USDC'] as const) : []), ...(deps.lightning ? (['msat'] as const) : [])],
      statement: {
        ...(await listStatementLines(store, ledger, chooseBooks(books, query), {
          limit: pageLines,
          ...query,
        })),
        filter: { service, book, tool },
        books,
        services,
      },
    })
    sendPage(res, { title: 'Your balance', section: 'Balance', tab: 'balance', body })
  })

  router.post('/auth/balance/withdraw', formFields, async (req, res) => {
    const { account } = await requireSession(deps, req, { fresh: true, returnTo: '/auth/balance' })
    await deps.takeLimit('withdrawal', req.ip, topUpsPerMinute)
    const { book = '', to = '', usd = '', invoice = '' } = readFormFields(req)
    await askWithdrawal(deps, account, { book, to, usd, invoice })
    res.redirect(303, path('/auth/balance'))
  })

  router.post('/auth/balance/transfer', formFields, async (req, res) => {
    const { account } = await requireSession(deps, req, { returnTo: '/auth/balance' })
    const { book = '', to = '', amount = '', once = '' } = readFormFields(req)
    await transferBetween(deps, account, { from: book, to, amount, once })
    res.redirect(303, path('/auth/balance'))
  })

  router.post('/auth/balance/top-up', formFields, async (req, res) => {
    const { account } = await requireSession(deps, req, { returnTo: '/auth/balance' })
    await deps.takeLimit('top-up', req.ip, topUpsPerMinute)
    const { usd = '', by = 'wallet' } = readFormFields(req)
    if (by === 'card')
      return res.redirect(
        303,
        await openCardPage(deps, account, usd, `${deps.origin()}${path('/auth/balance')}`),
      )
    if (!ways.includes(by)) throw new ToolError('unavailable', `Nothing can be added by ${by} here.`)
    const { id } = await openTopUp(deps, account, usd, by)
    // A browser opens the section that the invoice is folded into.
    res.redirect(303, path(`/account/pay/${id}/wallet${by === 'lightning' ? '#invoice' : ''}`))
  })

  router.post('/auth/balance/limits', formFields, async (req, res) => {
    const { account } = await requireSession(deps, req, { returnTo: '/auth/balance' })
    const fields = readFormFields(req)
    const serviceSlugs = services.map(({ slug }) => slug)
    const of = { account, grant: fields.grant ?? '', serviceSlugs, now: clock.now() }
    await store.transaction(tx => changeLimits(tx, of, readLimits(fields)))
    res.redirect(303, path('/auth/balance'))
  })

  router.get('/auth/balance/statement.csv', async (req, res) => {
    const { account } = await requireSession(deps, req, { returnTo: '/auth/balance' })
    await deps.takeLimit('statement', req.ip, exportsPerMinute)
    const query = readQuery(req)
    const books = chooseBooks(await listOwnBooks(deps, account), query)
    res.set({
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="statement.csv"',
      'Cache-Control': 'no-store',
    })
    await pipeline(writeStatement(store, ledger, books, query), res)
  })

  router.get('/auth/balance/statement.json', async (req, res) => {
    const { account } = await requireSession(deps, req, { returnTo: '/auth/balance' })
    const query = readQuery(req)
    const books = chooseBooks(await listOwnBooks(deps, account), query)
    const { lines, next } = await listStatementLines(store, ledger, books, { limit: pageLines, ...query })
    res.set('Cache-Control', 'no-store').json({ lines, count: lines.length, next })
  })
  return router
}
