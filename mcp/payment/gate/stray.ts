import { ToolError, withCharge } from '../../kernel/error.ts'
import type { Offer } from '../method.ts'
import { methodsFor, offerOn } from './offers.ts'
import { alreadyUsed, owedToPayer, paysAnotherCall, pendingPayment, sentFrom } from './outcome.ts'
import {
  cannotCheck,
  find,
  type PaymentEvent,
  type PaymentRun,
  reload,
  reserve,
  type Step,
  settleOf,
  toClaim,
  toFacts,
  toFoundEvent,
} from './payment-run.ts'
import { isSettled, type PaymentRow } from './record.ts'
import { assertUnspent } from './resume.ts'
import { pinnedExtra, quotedAt } from './terms.ts'
import { serve } from './work.ts'

/** How far the clock of a chain may be behind ours: a block that seems to be older than a quote by less is not. */
const maxSkewMs = 4_000

/** True when a payment was signed for this very call: by what it names, or since its quote is older than its transfer. */
const isForThisCall = async (run: PaymentRun, offer: Offer, transaction: string): Promise<boolean> => {
  const { method, attempt, charge, deps } = run
  const since = quotedAt(run, offer)
  if (!since) return false
  if (method.moves === 'payer' || attempt.isBound) return true
  if (!method.minedAt || !methodsFor(deps.methods, charge).includes(method)) return false
  const mined = await method.minedAt(transaction).catch(() => undefined)
  if (!mined) throw cannotCheck(run, 'Nothing is lost. Send the same payment again.')
  // The signature is public by then, so that a quote which is younger may be that of somebody who has read it.
  return Math.floor(since.getTime() / 1000) * 1000 <= mined.getTime() + maxSkewMs
}

/** A stray payment that is held and paid: served where it is for this call, else owed. */
const serveOrOwe = async (run: PaymentRun, paid: PaymentRow, detail?: string): Promise<Step> => {
  const { method, charge, runner, request, deps } = run
  const offer = JSON.parse(paid.offer) as Offer
  try {
    if (!(await isForThisCall(run, offer, paid.transaction ?? ''))) throw owedToPayer(paid, method, detail)
    // Where a contract has the money, its service decides what becomes of it.
    if (method.moves === 'us' && !paid.isFollowed)
      await charge.admit?.({ address: paid.payer, network: paid.network })
  } catch (error) {
    await deps.records.owed(paid.id, runner)
    throw error instanceof ToolError && error.code !== 'upstream' ? withCharge(error, true) : error
  }
  const call = { request, settle: settleOf(run), service: charge.service.slug, tool: charge.tool.name }
  return { answer: await serve(run, await deps.records.accept(paid.id, runner, call)) }
}

/** Takes money over that is owed since somebody showed its payment who had not signed it for his call. */
const claimFromStray = async (run: PaymentRun, offer: Offer): Promise<Step> => {
  const { records } = run.deps
  const holder = await records.holderOf(toClaim(run))
  if (!holder?.isStray || holder.transaction === null || !isSettled(holder)) throw paysAnotherCall()
  if (!(await isForThisCall(run, offer, holder.transaction))) throw owedToPayer(holder, run.method)
  const row = await records.takeStray(holder.id, toFacts(run, offer, holder.payer), run.runner)
  if (!row) throw paysAnotherCall()
  return serveOrOwe(run, row)
}

/**
 * A payment whose money came without us, such as by somebody who carried it out before it was sent here. It is never nobody's: where
 * it was signed for this call it is served like any other, and else it is owed to the address that paid. The transfer must be nobody
 * else's: not spent, and not under the nonce of an order. Undefined where no money has come.
 */
export const claimMoved = async (run: PaymentRun): Promise<Step | undefined> => {
  const { method, charge, attempt, deps } = run
  const { records, methods, rates } = deps
  if (method.moves !== 'us') return undefined
  const isPayable = methodsFor(methods, charge).includes(method)
  const now = await offerOn(method, charge, rates, attempt.accepted).catch((error: unknown) => {
    if (isPayable) throw error
    return undefined
  })
  if (!now) return undefined
  const since = quotedAt(run, now)
  const payTo = (since && attempt.accepted?.payTo) ?? now.payTo
  const amount = method.signedAmount?.(attempt) ?? attempt.accepted?.amount ?? now.amount
  const extra = { ...now.extra, ...(since && attempt.accepted && pinnedExtra(attempt.accepted)) }
  const offer = { ...now, payTo, amount, extra }
  const status = await find(run, offer, since && { transaction: '', since })
  if (status.state === 'unknown') throw cannotCheck(run)
  if (status.state !== 'settled' && status.state !== 'pending') return undefined
  if (
    status.state === 'settled' &&
    !(await records.holderOf(toClaim(run))) &&
    (await records.isSpoken(run.identity, status.log))
  )
    throw alreadyUsed('payment_already_used: the transfer of this authorization was made for something else.')
  const payer = status.state === 'settled' ? status.payer : ''
  const row = await reserve(run, offer, payer, { isStray: true })
  if (row === 'taken') return claimFromStray(run, offer)
  if (row === 'there') return reload(run)
  return { row, event: toFoundEvent(status) }
}

/** Takes the record of stray money over for this run. */
export const holdStray = async (run: PaymentRun, row: PaymentRow): Promise<Step> => {
  const held = await run.deps.records.hold(row.id, run.runner)
  if (!held) throw pendingPayment(row)
  return { row: held, event: { type: 'held' } }
}

export const findStray = async (run: PaymentRun, row: PaymentRow): Promise<Step> => {
  assertUnspent(row)
  return { row, event: toFoundEvent(await find(run, JSON.parse(row.offer) as Offer, sentFrom(row))) }
}

export const judgeAgain = async (run: PaymentRun, row: PaymentRow): Promise<Step> => {
  assertUnspent(row)
  return { row: await run.deps.records.again(row.id, run.runner), event: { type: 'collected' } }
}

export const judgeStray = (
  run: PaymentRun,
  row: PaymentRow,
  { detail }: Extract<PaymentEvent, { type: 'collected' }>,
): Promise<Step> => serveOrOwe(run, row, detail)
