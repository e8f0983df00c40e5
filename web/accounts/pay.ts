import { type Request, Router } from 'express'
import { requireUsd } from '../../mcp/accounts/amount.ts'
import { loadBook, toBook } from '../../mcp/accounts/books.ts'
import { changeLimits } from '../../mcp/accounts/change-limits.ts'
import type { AccountDeps } from '../../mcp/accounts/deps.ts'
import { limitsIn, type SpendingLimits } from '../../mcp/accounts/limits.ts'
import {
  coverByLimits,
  coverFromBalance,
  isOpen,
  type PaymentRequest,
  paymentRequestsIn,
  type RequestedCall,
} from '../../mcp/accounts/payment-requests.ts'
import { spentDaysIn, toDay, toDayId } from '../../mcp/accounts/spending.ts'
import { formatUsd } from '../../mcp/lib/usd.ts'
import { sendPage } from './answer.ts'
import { formFields, readFormFields, readLimits } from './balance.ts'
import { findSession, requireSession } from './browser-session.ts'
import { coveredPage, foreignPage, overPage, payPage } from './pay-page.ts'
import { pagePath } from './return-path.ts'

type CallRequest = PaymentRequest & { call: RequestedCall }

const idForm = /^[\w-]{22}$/

/** Limits that would cover a call, as little above those of now as they can be. */
const suggestLimits = (limits: SpendingLimits, price: bigint, spent: bigint, service: string) => {
  const atLeast = (now: string | null, value: bigint) =>
    now === null || requireUsd(now) >= value ? now : formatUsd(value)
  return {
    per_call: atLeast(limits.per_call, price),
    per_day: atLeast(limits.per_day, spent + price),
    services: limits.services === null ? null : [...new Set([...limits.services, service])],
  }
}

/**
 * `/auth/pay/{id}`: a call that waits for its person. Anybody who has the link reads what it costs and may pay it with a wallet; only
 * the account that asked sees its client, spends its balance and changes its limits.
 */
export const payRoutes = (deps: AccountDeps): Router => {
  const router = Router()
  const { store, ledger, clock, services = [] } = deps
  const path = (to: string) => pagePath(deps, to)

  const findRequest = async ({ params: { id } }: Request): Promise<CallRequest | undefined> => {
    const row = typeof id === 'string' && idForm.test(id) ? await paymentRequestsIn(store).get(id) : undefined
    return row?.call ? { ...row, call: row.call } : undefined
  }

  /** Facts only for the account that asked. */
  const readOwn = async ({ account, amount, call }: CallRequest) => {
    const limits = await limitsIn(store).get(call.grant)
    const day = toDayId(call.grant, toDay(clock.now()))
    const spent = BigInt((await spentDaysIn(store).get(day))?.spent ?? '0')
    const { available } = await loadBook(store, ledger, toBook(account))
    const isOwn = limits?.account === account
    return {
      client: call.client,
      reason: call.reason,
      available,
      suggested: isOwn ? suggestLimits(limits, BigInt(amount), spent, call.service) : undefined,
      services,
    }
  }

  router.get('/auth/pay/:id', async (req, res) => {
    const row = await findRequest(req)
    const session = await findSession(deps, req)
    const isOwner = row !== undefined && session?.account === row.account
    if (row && isOwner && row.state !== 'open')
      return sendPage(res, { title: 'You can go back', body: coveredPage(row, path('')) })
    if (!row || !isOpen(row, clock.now()))
      return sendPage(res, { status: 404, title: 'This page is over', body: overPage })
    if (session && !isOwner)
      return sendPage(res, {
        status: 403,
        title: 'This is not of your account',
        body: foreignPage(path(''), row.id),
      })
    const own = isOwner ? await readOwn(row) : undefined
    sendPage(res, {
      title: `${formatUsd(BigInt(row.amount))} USD for ${row.call.title}`,
      body: payPage({ base: path(''), request: row, own }),
    })
  })

  router.post('/auth/pay/:id/balance', formFields, async (req, res) => {
    const id = String(req.params.id)
    const { account } = await requireSession(deps, req, { returnTo: `/auth/pay/${id}` })
    await store.transaction(tx => coverFromBalance(tx, { ledger, clock }, account, id))
    res.redirect(303, path(`/auth/pay/${id}`))
  })

  router.post('/auth/pay/:id/limits', formFields, async (req, res) => {
    const id = String(req.params.id)
    const { account } = await requireSession(deps, req, { returnTo: `/auth/pay/${id}` })
    const limits = readLimits(readFormFields(req))
    const serviceSlugs = services.map(({ slug }) => slug)
    await store.transaction(async tx => {
      const { grant } = await coverByLimits(tx, clock, account, id)
      await changeLimits(tx, { account, grant, serviceSlugs, now: clock.now() }, limits)
    })
    res.redirect(303, path(`/auth/pay/${id}`))
  })
  return router
}
