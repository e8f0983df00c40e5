import type { Offer } from '../method.ts'
import { notItsSender } from './claim.ts'
import { fail, takeMoney } from './collect.ts'
import { alreadyUsed, awaitAnswer, isDecided, paysAnotherCall, pendingPayment, sentFrom } from './outcome.ts'
import {
  type Found,
  type FoundEvent,
  find,
  isStranger,
  type PaymentEvent,
  type PaymentRun,
  refuse,
  type Step,
  toFoundEvent,
  verify,
} from './payment-run.ts'
import { isSettled, type PaymentRow } from './record.ts'
import { serve, serveHeld, settleAndRun, storedAnswer } from './work.ts'

/** Refuses a record that is of another call or that somebody else sends. */
const assertOwnCall = (run: PaymentRun, row: PaymentRow): void => {
  if (row.request !== run.request) throw paysAnotherCall()
  if (!isStranger(run, row)) return
  throw row.transaction === null || !isSettled(row) ? pendingPayment(row) : notItsSender(row)
}

export const assertUnspent = (row: PaymentRow): void => {
  if (row.spentElsewhere)
    throw alreadyUsed('payment_already_used: this transfer was spent on something else.')
}

export const refuseGivenBack = async (): Promise<Step> => {
  throw alreadyUsed('This payment was given back to its payer.')
}

export const refuseOwnGivenBack = async (run: PaymentRun, row: PaymentRow): Promise<Step> => {
  assertOwnCall(run, row)
  return refuseGivenBack()
}

export const refuseLost = async (run: PaymentRun, row: PaymentRow): Promise<Step> => {
  assertOwnCall(run, row)
  throw await refuse(run, 'expired')
}

/** Takes a record over for this run. */
export const holdRecord = async (run: PaymentRun, row: PaymentRow): Promise<Step> => {
  assertOwnCall(run, row)
  const held = await run.deps.records.hold(row.id, run.runner)
  return held ? { row: held, event: { type: 'held' } } : { row, event: { type: 'busy' } }
}

/** Another run has the record, or had it until now. */
export const awaitOther = async (run: PaymentRun, row: PaymentRow): Promise<Step> => {
  const now = await run.deps.records.get(row.id)
  if (now?.state === 'done' || now?.state === 'failed') return { row: now, event: { type: 'sent' } }
  throw pendingPayment(row)
}

/** Resends a payment that was reported pending but is nowhere to be seen, when somebody asks for it. */
const resendLost = async (
  { method, attempt }: PaymentRun,
  { state, offer }: PaymentRow,
  found: Found,
): Promise<Found> => {
  if (state !== 'pending' || method.moves !== 'us') return found
  if (found.state !== 'pending' || found.transaction !== '') return found
  const sent = await awaitAnswer(method.settle(attempt, JSON.parse(offer) as Offer))
  return sent.state === 'settled' || sent.state === 'pending' ? sent : found
}

/** Asks the method what became of the money of a held record. */
export const findMoney = async (run: PaymentRun, row: PaymentRow): Promise<Step> => {
  assertUnspent(row)
  const { book } = run.method
  if (book) return { answer: await serveHeld(run, row, book) }
  const status = await find(run, JSON.parse(row.offer) as Offer, sentFrom(row))
  return { row, event: toFoundEvent(await resendLost(run, row, status)) }
}

export const recordFound = async (run: PaymentRun, row: PaymentRow, event: FoundEvent): Promise<Step> => ({
  row: await takeMoney(run, row, event.status),
  event: { type: 'collected', detail: event.detail },
})

/** True when an earlier try may have handed the payment to somebody, who may carry it out at any time. */
const mayBeHandedOver = ({ method }: PaymentRun, { state, settle, answer }: PaymentRow): boolean =>
  method.moves !== 'book' && (state === 'pending' || settle === 'before' || answer !== null)

/** The money has not moved: is the payment still good? */
export const verifyAgain = async (run: PaymentRun, row: PaymentRow): Promise<Step> => {
  const offer = JSON.parse(row.offer) as Offer
  const verified = await verify(run, offer)
  if (!('checked' in verified))
    return { row: await takeMoney(run, row, verified), event: { type: 'collected' } }
  const wasHandedOver = mayBeHandedOver(run, row)
  if (verified.checked.ok) return { row, event: { type: 'movable', isFirst: !wasHandedOver } }
  const later = await find(run, offer, sentFrom(row))
  if (isDecided(later) || wasHandedOver)
    return { row: await takeMoney(run, row, later), event: { type: 'collected' } }
  return fail(run, row, verified.checked.reason)
}

export const moveMoney = (
  run: PaymentRun,
  row: PaymentRow,
  { isFirst }: Extract<PaymentEvent, { type: 'movable' }>,
): Promise<Step> => settleAndRun(run, row, isFirst)

/** Work that failed after its money came starts again, free of charge. */
export const workAgain = async (run: PaymentRun, row: PaymentRow): Promise<Step> => {
  assertUnspent(row)
  return { answer: await serve(run, await run.deps.records.again(row.id, run.runner)) }
}

export const runWork = async (run: PaymentRun, row: PaymentRow): Promise<Step> => ({
  answer: await serve(run, row),
})

/** The answer to a call that is sent again. */
export const repeatAnswer = async (run: PaymentRun, row: PaymentRow): Promise<Step> => {
  assertOwnCall(run, row)
  return { answer: await storedAnswer(run, row, true) }
}

/** The answer of work that ran before its money was collected. */
export const giveAnswer = async (run: PaymentRun, row: PaymentRow): Promise<Step> => ({
  answer: await storedAnswer(run, row, false),
})
