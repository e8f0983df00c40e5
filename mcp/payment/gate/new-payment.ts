import { PaymentPending } from '../../kernel/error.ts'
import { InsufficientBalance } from '../ledger/insufficient.ts'
import type { Offer, Refusal } from '../method.ts'
import { SpendingRefused } from '../spending.ts'
import { notItsSender } from './claim.ts'
import { NamesPayment } from './keys.ts'
import { NotCovered } from './not-covered.ts'
import { methodsFor, offerOn } from './offers.ts'
import { alreadyUsed, awaitAnswer, paysAnotherCall, pendingPayment, rejection } from './outcome.ts'
import {
  type Answered,
  cannotCheck,
  type Found,
  find,
  isStranger,
  type PaymentEvent,
  type PaymentRun,
  refuse,
  reload,
  reserve,
  type Step,
  sealOffer,
  toClaim,
  toFoundEvent,
  verify,
  whileHolding,
} from './payment-run.ts'
import { isSettled, type PaymentRow } from './record.ts'
import type { RefusalFacts } from './refuse.ts'
import { claimMoved } from './stray.ts'
import { issuedOffer, matchingOffer, namesAccount, quotedAt } from './terms.ts'
import { serve, storedAnswer } from './work.ts'

/** Refusals of an authorization whose money has moved already, depending on what a check looks at first. */
const movedReasons: ReadonlySet<Refusal> = new Set([
  'already_used',
  'insufficient_funds',
  'expired',
  'settlement_failed',
  'too_little',
])

/** Of these no money can have come, or it is not its payer who sends it; with any other reason it may have. */
const unmovedReasons: ReadonlySet<Refusal> = new Set([
  'unreadable',
  'not_yet_valid',
  'wrong_asset',
  'invalid_signature',
])

/** Checks a payment that is new here, or whose earlier try moved no money. */
export const checkPayment = async (run: PaymentRun): Promise<Step> => {
  const { charge, method, attempt, deps } = run
  if (run.record !== undefined) throw await refuse(run, 'settlement_failed')
  if (!methodsFor(deps.methods, charge).includes(method))
    return { event: { type: 'refused', reason: 'wrong_network' } }
  const match = await matchingOffer(run, await offerOn(method, charge, deps.rates, attempt.accepted))
  if ('reason' in match) return { event: { type: 'refused', reason: match.reason } }
  const { offer } = match
  const verified = await verify(run, offer)
  if (!('checked' in verified)) throw cannotCheck(run)
  const { checked } = verified
  if (!checked.ok) return { event: { type: 'refused', reason: checked.reason, offer } }
  return { event: { type: 'verified', offer, payer: checked.payer } }
}

const refuseUncovered = async (run: PaymentRun, reason: Refusal, amount: string, facts: RefusalFacts) =>
  new NotCovered(await refuse(run, reason, facts), amount)

/** The answer of an earlier payment that the key of this call names; the payment that came is not used. */
const answerByKey = async (run: PaymentRun, named: PaymentRow): Promise<Answered> => {
  const { records } = run.deps
  if (named.state === 'done') return storedAnswer(run, named, true)
  if (!isSettled(named)) throw pendingPayment(named)
  return whileHolding(run, named.id, async () => {
    const row = await records.hold(named.id, run.runner)
    if (!row || !isSettled(row) || row.state === 'refunding') throw pendingPayment(named)
    return serve(run, await records.again(row.id, run.runner))
  })
}

/** Writes the record of a payment that is good, before its money moves. */
export const recordPayment = async (
  run: PaymentRun,
  _: unknown,
  { offer, payer }: Extract<PaymentEvent, { type: 'verified' }>,
): Promise<Step> => {
  if (!namesAccount(run, offer, payer)) throw await refuse(run, 'other_account')
  await run.charge.admit?.({ address: payer, network: offer.network })
  const row = await reserve(run, offer, payer).catch((error: unknown) => {
    if (error instanceof NamesPayment || error instanceof InsufficientBalance) return error
    if (error instanceof SpendingRefused) return error
    throw error
  })
  if (row instanceof InsufficientBalance)
    throw await refuseUncovered(run, 'balance_too_low', offer.amount, {})
  if (row instanceof SpendingRefused) {
    const { reason, detail, params } = row.refusal
    throw await refuseUncovered(run, reason, offer.amount, { detail, params })
  }
  if (row instanceof NamesPayment) return { answer: await answerByKey(run, row.row) }
  if (row === 'taken') throw paysAnotherCall()
  if (row === 'there') return reload(run)
  return { row, event: { type: 'movable', isFirst: true } }
}

/** Writes the record of money that its payer has moved. */
export const recordMoved = async (
  run: PaymentRun,
  _: unknown,
  { offer, status, isStray, detail }: Extract<PaymentEvent, { type: 'moved' }>,
): Promise<Step> => {
  const row = await reserve(run, offer, status.payer, { isStray })
  if (row === 'taken') throw paysAnotherCall()
  if (row === 'there') return reload(run)
  return { row, event: toFoundEvent(status, detail) }
}

/** A failed record whose money came all the same, written anew; undefined where none came. */
const reviveFailed = async (run: PaymentRun, failed: PaymentRow): Promise<Step | undefined> => {
  const { records } = run.deps
  const offer = JSON.parse(failed.offer) as Offer
  const status: Found = await find(run, offer)
  const isTheirs = failed.request === run.request && !isStranger(run, failed)
  if (status.state === 'unknown' && !isTheirs) throw cannotCheck(run)
  if (status.state === 'settled' || status.state === 'pending' || status.state === 'unknown') {
    const facts = { ...failed, claim: toClaim(run), sealed: sealOffer(run, offer) }
    const row = await records.reserve(facts, run.runner)
    if (row === 'taken' || row === 'there') throw paysAnotherCall()
    if (isTheirs) return { row, event: toFoundEvent(status) }
    if (status.state !== 'settled') await records.pending(row.id, run.runner, row.transaction ?? '')
    else {
      await records.paid(row.id, run.runner, status)
      await records.owed(row.id, run.runner)
    }
    throw failed.request === run.request ? notItsSender(row) : paysAnotherCall()
  }
  if (isStranger(run, failed)) throw paysAnotherCall()
  return undefined
}

/**
 * A payment that somebody elsewhere was shown and that is good by our own look: who has seen it may carry it out. It is
 * refused and its record stays, so that money which arrives after all is owed.
 */
const watchRefused = async (run: PaymentRun, offer: Offer): Promise<void> => {
  const { method, attempt, deps } = run
  if (!method.inspect) return
  const look = await awaitAnswer(
    method.inspect(attempt, offer).then(checked => ({ state: 'checked', checked }) as const),
  )
  if (!('checked' in look) || !look.checked.ok) return
  const row = await reserve(run, offer, look.checked.payer, { isRefused: true })
  if (typeof row === 'object') await deps.records.release(row.id, run.runner)
}

/**
 * What a payment that does not verify comes to. A record is written before money moves, so if another replica moved it since
 * this one looked, the record is there now.
 */
export const lookForMoved = async (
  run: PaymentRun,
  _: unknown,
  { reason, offer }: Extract<PaymentEvent, { type: 'refused' }>,
): Promise<Step> => {
  const { records } = run.deps
  const row = await records.get(run.id)
  if (row && row.state !== 'failed') return { row, event: { type: 'sent' } }
  const revived = row && (await reviveFailed(run, row))
  if (revived) return revived
  if (!unmovedReasons.has(reason)) {
    const holder = await records.holderOf(toClaim(run))
    if (holder && !holder.isStray && movedReasons.has(reason)) throw paysAnotherCall()
    const claimed = row || (holder && !holder.isStray) ? undefined : await claimMoved(run)
    if (claimed) return claimed
  }
  // Its money has moved, for whatever: a new offer would have its payer sign again.
  if (reason === 'already_used')
    throw alreadyUsed('payment_already_used: this authorization was used, and not for this call.')
  if (offer) await watchRefused(run, offer)
  throw await refuse(run, reason)
}

/** Looks up money that its payer moved before the call: what it was moved for, and how much came. */
export const lookUpMoved = async (run: PaymentRun): Promise<Extract<PaymentEvent, { type: 'moved' }>> => {
  const { method, attempt, charge, deps } = run
  const { accepted, isIssued } = attempt
  const issued = isIssued && accepted ? issuedOffer(run, accepted) : undefined
  const offer = issued ?? (await offerOn(method, charge, deps.rates))
  const isOther = issued !== undefined && !quotedAt(run, issued)
  const status = await find(run, offer)
  if (status.state === 'unknown') throw cannotCheck(run, 'Nothing is lost. Send the same call again.')
  if (status.state === 'unused') throw await refuse(run, 'unreadable')
  if (status.state === 'pending') {
    const { transaction, params } = status
    throw new PaymentPending({ transaction, network: offer.network, payer: '' }, params)
  }
  if (status.state === 'settled') return { type: 'moved', offer, status, isStray: isOther }
  const { moved, detail, reason } = status
  if (!moved) throw rejection(detail ?? reason)
  return {
    type: 'moved',
    offer: { ...offer, amount: moved.amount },
    status: { state: 'settled', ...moved.transfer },
    isStray: true,
    detail,
  }
}
