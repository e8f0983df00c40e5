import { PaymentPending, reportSettled, ToolError, withCharge, withPayment } from '../../kernel/error.ts'
import { isSecret } from '../../kernel/tool.ts'
import { inSpan } from '../../lib/trace/span.ts'
import type { Charge, Charged, Paid } from '../charge.ts'
import type { Dialect } from '../dialect.ts'
import { InsufficientBalance } from '../ledger/insufficient.ts'
import type {
  AcceptedTerms,
  Attempt,
  BookEntries,
  CatalogueListing,
  FindResult,
  Offer,
  PaymentMethod,
  Refusal,
} from '../method.ts'
import type { People } from '../people.ts'
import type { Rate, Rates } from '../rates.ts'
import { SpendingRefused } from '../spending.ts'
import { type Alarm, toAlarm } from './alarm.ts'
import { notItsSender } from './claim.ts'
import { digest } from './digest.ts'
import type { Encryption } from './encryption.ts'
import { writeJournal } from './journal.ts'
import { bindKey, NamesPayment } from './keys.ts'
import { NotCovered } from './not-covered.ts'
import { methodsFor, offerOn } from './offers.ts'
import {
  alreadyUsed,
  awaitAnswer,
  inDialect,
  isDecided,
  owedToPayer,
  paysAnotherCall,
  pendingPayment,
  rejection,
  sentFrom,
  type Unknown,
} from './outcome.ts'
import { LostHold, type PaymentRecords } from './payment-records.ts'
import type { Quotes } from './quote.ts'
import { isSettled, type PaymentRow, receiptFrom } from './record.ts'
import { type RefusalFacts, refuse as refusalFor } from './refuse.ts'
import { fromStoredRefusal, keptNoMore, toStoredRefusal } from './refused.ts'
import { sealPayment } from './sealed.ts'
import { isSameSender, toSender } from './sender.ts'
import { settleTime } from './settlement.ts'

/** Shared parts of a gate's payments. */
export type PaymentDeps = {
  methods: readonly PaymentMethod[]
  dialects: readonly Dialect[]
  records: PaymentRecords
  quotes: Quotes
  encryption: Encryption
  rates: Rates
  /** The people whom signed-in clients act for; undefined where nobody signs in. */
  people?: People | undefined
  list?: ((charge: Charge) => CatalogueListing | undefined) | undefined
  onAlarm(alarm: Alarm): void
  /** Told of each settlement: what it came to, and in how many seconds. */
  onSettlement?: ((network: string, outcome: string, seconds: number) => void) | undefined
  now: () => Date
}

/** One payment for one call on its way to an answer. */
export type Payment = {
  charge: Charge
  attempt: Attempt
  dialect: Dialect
  method: PaymentMethod
  /** Digest of the call that is paid. */
  request: string
  runner: string
  /** The record that is gone on with, where the call itself brings no payment. */
  record?: string
  work(paid: Paid): Promise<object>
}

/** A payment whose money has a name; `id` is that of its record. */
type Identified = { identity: string; id: string }

type Answered = Charged<object>

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

/** How far the clock of a chain may be behind ours: a block that seems to be older than a quote by less is not. */
const maxSkewMs = 4_000

const sameText = (one: string, other: string): boolean =>
  one === other || (/^0x/i.test(one) && one.toLowerCase() === other.toLowerCase())

/** Extra of an offer beside its price that a quote of ours holds, as its payer sends it back. */
const pinnedExtra = ({ extra: { rate, collector } }: AcceptedTerms) => ({
  ...(rate !== undefined && { rate }),
  ...(collector !== undefined && { collector }),
})

/**
 * The offer that a payment takes: ours as it stands now, or with the price that a quote of ours still holds for this call.
 * What the payment says of itself is only compared; the method checks what was signed.
 */
const matchingOffer = (
  { quotes }: PaymentDeps,
  { attempt: { accepted }, method, request }: Payment,
  offer: Offer,
): { offer: Offer } | { reason: Refusal } => {
  if (!accepted) return { offer }
  // What was set aside for a call pays it at the price that it was set aside for.
  if (method.book) return { offer: { ...offer, amount: accepted.amount } }
  if (!sameText(accepted.asset, offer.asset)) return { reason: 'wrong_asset' }
  if (!sameText(accepted.payTo, offer.payTo)) return { reason: 'wrong_recipient' }
  const { method: id, network, asset, payTo } = offer
  if (quotes.holds({ ...accepted, method: id, network, asset, payTo }, request)) {
    const extra = { ...offer.extra, ...pinnedExtra(accepted) }
    return { offer: { ...offer, amount: accepted.amount, extra } }
  }
  if (BigInt(accepted.amount) < BigInt(offer.amount)) return { reason: 'too_little' }
  if (BigInt(accepted.amount) > BigInt(offer.amount)) return { reason: 'too_much' }
  return { offer }
}

/** Brings one payment to its answer: at most one debit and one sealed run for it, whenever and wherever it comes again. */
export const processPayment = async (deps: PaymentDeps, payment: Payment): Promise<Answered> => {
  const { records, encryption, quotes } = deps
  const { charge, attempt, dialect, method, request, runner } = payment
  const { book } = method
  // Money that the payer has moved is here before the work: there is nothing to settle afterwards.
  const time = method.moves === 'payer' ? 'before' : settleTime(charge.tool)
  // What is settled at its commit may be in other hands before an answer is kept, as what is settled before.
  const settle: PaymentRow['settle'] = time === 'after' ? 'after' : 'before'

  const step = (name: string) =>
    [
      `payment ${name}`,
      'client',
      { 'octagent.method': method.id, 'octagent.network': method.network },
    ] as const

  const find = (...asked: Parameters<PaymentMethod['find']>) =>
    inSpan(charge.span, step('find'), () => method.find(...asked))

  const refuse = (reason: Refusal, facts?: RefusalFacts) => refusalFor(deps, charge, reason, facts)

  const refuseUncovered = async (reason: Refusal, amount: string, facts: RefusalFacts): Promise<NotCovered> =>
    new NotCovered(await refuse(reason, facts), amount)

  const report = (row: PaymentRow) =>
    dialect.report(reportSettled(receiptFrom(row)), { attempt, at: row.created })

  const answered = (row: PaymentRow, answer: object, replayed: boolean): Answered => {
    const receipt = receiptFrom(row)
    return { answer, receipt, parts: report(row), replayed }
  }

  /** Returns a payment's stored answer again. A secret of it is kept nowhere: the tool makes it anew. */
  const storedAnswer = async (row: PaymentRow, replayed: boolean): Promise<Answered> => {
    if (row.answer !== null) return answered(row, JSON.parse(row.answer) as object, replayed)
    const refused = fromStoredRefusal(row)
    if (refused && !refused.secret) throw refused.refusal
    if (!charge.tool.reissue) throw keptNoMore(row)
    const receipt = receiptFrom(row)
    const parts = report(row)
    const again = { refused: refused?.refusal }
    const isOver = async () => undefined
    const answer = await payment.work({ receipt, parts, again, seal: isOver, decline: isOver })
    return answered(row, answer, replayed)
  }

  /** Runs the work for money that is here. */
  const serve = async (row: PaymentRow): Promise<Answered> => {
    const receipt = receiptFrom(row)
    const parts = report(row)
    const text = (answer: object) => (isSecret(charge.tool, answer) ? null : JSON.stringify(answer))
    try {
      const seal: Paid['seal'] = (tx, answer) => records.seal(tx, row.id, runner, text(answer))
      const decline: Paid['decline'] = (tx, refusal, secret) =>
        records.decline(tx, row.id, runner, toStoredRefusal(refusal, secret))
      return answered(row, await payment.work({ receipt, parts, seal, decline }), false)
    } catch (error) {
      await records.owed(row.id, runner).catch(() => undefined)
      if (error instanceof LostHold) throw pendingPayment(row)
      throw error
    }
  }

  /** Runs the work for money that is held in a book. It is taken with the answer or not at all. */
  const serveHeld = async (row: PaymentRow, book: BookEntries): Promise<Answered> => {
    const booked = { ...row, transaction: book.entry(row.receipt) }
    const receipt = receiptFrom(booked)
    const parts = report(booked)
    const text = (answer: object) => (isSecret(charge.tool, answer) ? null : JSON.stringify(answer))
    let refused: ToolError | undefined
    try {
      const answer = await payment.work({
        receipt,
        parts,
        isHeld: true,
        seal: (tx, answer, used) => records.seal(tx, row.id, runner, text(answer), book, used),
        decline: async (tx, refusal, secret) => {
          await records.decline(tx, row.id, runner, toStoredRefusal(refusal, secret), book)
          refused = refusal
        },
      })
      return answered(booked, answer, false)
    } catch (error) {
      if (error instanceof LostHold) throw pendingPayment(row)
      if (refused && error === refused)
        throw withCharge(withPayment(refused, reportSettled(receipt), parts), true)
      await records.failed(row.id, runner, book).catch(() => undefined)
      throw error
    }
  }

  /** The money can never move: the payment is free for another try. */
  const fail = async (row: PaymentRow, reason: Refusal): Promise<never> => {
    const failed = await records.failed(row.id, runner, book)
    if (failed.state === 'lost') deps.onAlarm(toAlarm('lost', failed))
    throw await refuse(reason)
  }

  /** Ends a payment that was not settled. One that somebody elsewhere was shown stays watched: whoever has seen it may carry it out. */
  const dropUnsettled = (row: PaymentRow): Promise<unknown> =>
    method.inspect ? records.release(row.id, runner) : records.failed(row.id, runner, book)

  /** The record once its money is here, by what the method says of it. While the money may still move, it is pending. */
  const take = async (row: PaymentRow, status: FindResult | Unknown): Promise<PaymentRow> => {
    if (status.state === 'settled') {
      const paid = await records.paid(row.id, runner, status)
      if (row.reverted) deps.onAlarm(toAlarm('restored', paid))
      if (paid.spentElsewhere)
        throw alreadyUsed('payment_already_used: this transfer was spent on something else.')
      return paid
    }
    if (status.state === 'failed') return fail(row, status.reason)
    const transaction = (status.state === 'pending' && status.transaction) || row.transaction || ''
    const facilitator = status.state === 'pending' ? status.facilitator : undefined
    throw pendingPayment(await records.pending(row.id, runner, transaction, facilitator))
  }

  const answerPaid = (paid: PaymentRow): Promise<Answered> =>
    paid.state === 'done' ? storedAnswer(paid, false) : serve(paid)

  /** Goes on from what the method says of a record that is held. */
  const follow = async (row: PaymentRow, status: FindResult | Unknown): Promise<Answered> =>
    answerPaid(await take(row, status))

  /** True when an earlier try may have handed the payment to somebody, who may carry it out at any time. */
  const mayBeHandedOver = ({ state, settle, answer }: PaymentRow): boolean =>
    method.moves !== 'book' && (state === 'pending' || settle === 'before' || answer !== null)

  /**
   * Settles; before a failure is believed, the chain is asked whether the money moved all the same. What a facilitator had in
   * its hands fails only once it can no longer land. `isFirst`: nobody had it before.
   */
  const collectMoney = async (row: PaymentRow, isFirst: boolean): Promise<PaymentRow> => {
    const offer = JSON.parse(row.offer) as Offer
    const began = performance.now()
    const settled = await awaitAnswer(
      inSpan(charge.span, step('settle'), () => method.settle(attempt, offer, deps.list?.(charge))),
    )
    deps.onSettlement?.(method.network, settled.state, (performance.now() - began) / 1000)
    if (settled.state !== 'failed' && settled.state !== 'refused') return take(row, settled)
    const status = await awaitAnswer(find(attempt, offer, sentFrom(row)))
    const isFree = method.moves === 'book' || (settled.state === 'refused' && isFirst)
    if (status.state === 'failed' || (status.state === 'unused' && isFree)) return fail(row, settled.reason)
    return take(row, status)
  }

  const collect = async (row: PaymentRow, isFirst: boolean): Promise<Answered> =>
    answerPaid(await collectMoney(row, isFirst))

  /**
   * Runs the work for a payment that is good, and settles when the work has its answer and is about to write it: work that fails is
   * not charged, and money that does not come leaves nothing behind.
   */
  const runToCommit = async (row: PaymentRow): Promise<Answered> => {
    let step: 'working' | 'collecting' | 'paid' = 'working'
    let paid = row
    try {
      const answer = await payment.work({
        receipt: undefined,
        parts: {},
        async collect() {
          if (step === 'paid') return
          step = 'collecting'
          paid = await collectMoney(row, true)
          step = 'paid'
        },
        seal: (tx, output) => records.seal(tx, row.id, runner, JSON.stringify(output)),
        decline: () => Promise.reject(new Error('nothing is paid yet')),
      })
      return answered(paid, answer, false)
    } catch (error) {
      // A settlement that did not come off has left its record as it stands.
      const state = step as 'working' | 'collecting' | 'paid'
      if (state === 'working' && !(error instanceof LostHold)) await dropUnsettled(row).catch(() => undefined)
      if (state === 'paid') await records.owed(row.id, runner).catch(() => undefined)
      if (error instanceof LostHold) throw pendingPayment(row)
      throw error
    }
  }

  /** A reserved record whose payment is good: settle and run, or run and settle, as the tool has it. */
  const settleAndRun = async (row: PaymentRow, isFirst: boolean): Promise<Answered> => {
    if (book) return serveHeld(row, book)
    if (time === 'commit' && isFirst && row.answer === null) return runToCommit(row)
    if (row.settle === 'before' || row.answer !== null) return collect(row, isFirst)
    let answer: object
    try {
      answer = await payment.work({
        receipt: undefined,
        parts: {},
        seal: (tx, output) => records.seal(tx, row.id, runner, JSON.stringify(output)),
        decline: () => Promise.reject(new Error('nothing is paid yet')),
      })
    } catch (error) {
      if (error instanceof LostHold) throw pendingPayment(row)
      await dropUnsettled(row).catch(() => undefined)
      throw error
    }
    return collect({ ...row, answer: JSON.stringify(answer) }, isFirst)
  }

  const cannotCheck = (hint = 'Nothing was charged. Send the same payment again.') =>
    new ToolError('upstream', `Payments on ${method.name} cannot be checked right now.`, {
      retryAfter: 5,
      hint,
    })

  const verify = (offer: Offer) =>
    awaitAnswer(
      inSpan(charge.span, step('verify'), () => method.verify(attempt, offer)).then(
        checked => ({ state: 'checked', checked }) as const,
      ),
    )

  /** True when the payment may be somebody else's, read off the chain: then nothing of it is answered. */
  const isStranger = (row: PaymentRow): boolean =>
    attempt.isPublic === true && payment.record === undefined && !isSameSender(row, charge, deps.now())

  /** Resends a payment that was reported pending but is nowhere to be seen, when somebody asks for it. */
  const resendLost = async (
    { state, offer }: PaymentRow,
    found: FindResult | Unknown,
  ): Promise<FindResult | Unknown> => {
    if (state !== 'pending' || method.moves !== 'us') return found
    if (found.state !== 'pending' || found.transaction !== '') return found
    const sent = await awaitAnswer(method.settle(attempt, JSON.parse(offer) as Offer))
    return sent.state === 'settled' || sent.state === 'pending' ? sent : found
  }

  /** Goes on with a record that exists and has not failed. */
  const resume = async (row: PaymentRow, identified: Identified): Promise<Answered> => {
    if (row.isStray) return resumeStray(row)
    if (row.request !== request) throw paysAnotherCall()
    if (isStranger(row))
      throw row.transaction === null || !isSettled(row) ? pendingPayment(row) : notItsSender(row)
    if (row.state === 'done') return storedAnswer(row, true)
    if (row.state === 'refunding' || row.state === 'refunded')
      throw alreadyUsed('This payment was given back to its payer.')
    if (row.state === 'lost') throw await refuse('expired')
    const holding = await records.hold(row.id, runner)
    if (!holding) {
      const now = await records.get(row.id)
      if (now?.state === 'done') return storedAnswer(now, true)
      if (now?.state === 'failed') return begin(identified)
      throw pendingPayment(row)
    }
    if (holding.spentElsewhere)
      throw alreadyUsed('payment_already_used: this transfer was spent on something else.')
    if (holding.state === 'refunding') throw alreadyUsed('This payment was given back to its payer.')
    if (isSettled(holding)) return serve(await records.again(row.id, runner))
    if (book) return serveHeld(holding, book)
    const offer = JSON.parse(holding.offer) as Offer
    const found = await awaitAnswer(find(attempt, offer, sentFrom(holding)))
    const status = await resendLost(holding, found)
    if (isDecided(status)) return follow(holding, status)
    const verified = await verify(offer)
    if (!('checked' in verified)) return follow(holding, verified)
    const wasHandedOver = mayBeHandedOver(holding)
    if (verified.checked.ok) return settleAndRun(holding, !wasHandedOver)
    const later = await awaitAnswer(find(attempt, offer, sentFrom(holding)))
    if (isDecided(later) || wasHandedOver) return follow(holding, later)
    return fail(holding, verified.checked.reason)
  }

  /**
   * What a payment that does not verify comes to. A record is written before money moves, so if another replica moved it since
   * this one looked, the record is there now.
   */
  const recheck = async (reason: Refusal, identified: Identified, shown?: Offer): Promise<Answered> => {
    const before = await records.get(identified.id)
    if (before && before.state !== 'failed') return resume(before, identified)
    if (before) {
      const offer = JSON.parse(before.offer) as Offer
      const status = await awaitAnswer(find(attempt, offer))
      const isTheirs = before.request === request && !isStranger(before)
      if (status.state === 'unknown' && !isTheirs) throw cannotCheck()
      if (status.state === 'settled' || status.state === 'pending' || status.state === 'unknown') {
        const facts = { ...before, claim: toClaim(identified), sealed: sealed(offer) }
        const row = await records.reserve(facts, runner)
        if (row === 'taken' || row === 'there') throw paysAnotherCall()
        if (isTheirs) return follow(row, status)
        await recordQuietly(row, status)
        throw before.request === request ? notItsSender(row) : paysAnotherCall()
      }
      if (isStranger(before)) throw paysAnotherCall()
    }
    if (!unmovedReasons.has(reason)) {
      const holder = await records.holderOf(toClaim(identified))
      if (holder && !holder.isStray && movedReasons.has(reason)) throw paysAnotherCall()
      const claimed = before || (holder && !holder.isStray) ? undefined : await claimMoved(identified)
      if (claimed) return claimed
    }
    // Its money has moved, for whatever: a new offer would have its payer sign again.
    if (reason === 'already_used')
      throw alreadyUsed('payment_already_used: this authorization was used, and not for this call.')
    if (shown) await watchRefused(identified, shown)
    throw await refuse(reason)
  }

  /**
   * A payment that somebody elsewhere was shown and that is good by our own look: who has seen it may carry it out. It is
   * refused and its record stays, so that money which arrives after all is owed.
   */
  const watchRefused = async (identified: Identified, offer: Offer): Promise<void> => {
    if (!method.inspect) return
    const look = await awaitAnswer(
      method.inspect(attempt, offer).then(checked => ({ state: 'checked', checked }) as const),
    )
    if (!('checked' in look) || !look.checked.ok) return
    const row = await reserve(identified, offer, look.checked.payer, { isRefused: true })
    if (typeof row === 'object') await records.release(row.id, runner)
  }

  /** The terms of a payment as a quote of ours has them. */
  const quotedTerms = ({ network, asset }: Pick<Offer, 'network' | 'asset'>) =>
    attempt.accepted && { ...attempt.accepted, method: method.id, network, asset }

  /** When a quote of ours for this very call was made, which the payment brings; undefined for any other payment. */
  const quotedAt = (offer: Offer): Date | undefined => {
    const terms = quotedTerms(offer)
    return terms && quotes.madeAt(terms, request, offer.maxTimeoutSeconds)
  }

  /**
   * A payment whose money came without us, such as by somebody who carried it out before it was sent here. It is never nobody's: where
   * it was signed for this call it is served like any other, and else it is owed to the address that paid. The transfer must be nobody
   * else's: not spent, and not under the nonce of an order. Undefined where no money has come.
   */
  const claimMoved = async (identified: Identified): Promise<Answered | undefined> => {
    if (method.moves !== 'us') return undefined
    const isPayable = methodsFor(deps.methods, charge).includes(method)
    const now = await offerOn(method, charge, deps.rates, attempt.accepted).catch((error: unknown) => {
      if (isPayable) throw error
      return undefined
    })
    if (!now) return undefined
    const since = quotedAt(now)
    const payTo = (since && attempt.accepted?.payTo) ?? now.payTo
    const amount = method.signedAmount?.(attempt) ?? attempt.accepted?.amount ?? now.amount
    const extra = { ...now.extra, ...(since && attempt.accepted && pinnedExtra(attempt.accepted)) }
    const offer = { ...now, payTo, amount, extra }
    const status = await awaitAnswer(find(attempt, offer, since && { transaction: '', since }))
    if (status.state === 'unknown') throw cannotCheck()
    if (status.state !== 'settled' && status.state !== 'pending') return undefined
    if (
      status.state === 'settled' &&
      !(await records.holderOf(toClaim(identified))) &&
      (await records.isSpoken(identified.identity, status.log))
    )
      throw alreadyUsed(
        'payment_already_used: the transfer of this authorization was made for something else.',
      )
    const payer = status.state === 'settled' ? status.payer : ''
    const row = await reserve(identified, offer, payer, { isStray: true })
    if (row === 'taken') return claimFromStray(identified, offer)
    if (row !== 'there') return settleStray(row, status)
    const there = await records.get(identified.id)
    if (!there) throw paysAnotherCall()
    return resume(there, identified)
  }

  /** True when a payment was signed for this very call: by what it names, or since its quote is older than its transfer. */
  const isForThisCall = async (offer: Offer, transaction: string): Promise<boolean> => {
    const since = quotedAt(offer)
    if (!since) return false
    if (method.moves === 'payer' || attempt.isBound) return true
    if (!method.minedAt || !methodsFor(deps.methods, charge).includes(method)) return false
    const mined = await method.minedAt(transaction).catch(() => undefined)
    if (!mined) throw cannotCheck('Nothing is lost. Send the same payment again.')
    // The signature is public by then, so that a quote which is younger may be that of somebody who has read it.
    return Math.floor(since.getTime() / 1000) * 1000 <= mined.getTime() + maxSkewMs
  }

  /** A stray payment that is held and paid: served where it is for this call, else owed. */
  const answerStray = async (paid: PaymentRow, detail?: string): Promise<Answered> => {
    const offer = JSON.parse(paid.offer) as Offer
    try {
      if (!(await isForThisCall(offer, paid.transaction ?? ''))) throw owedToPayer(paid, method, detail)
      // Where a contract has the money, its service decides what becomes of it.
      if (method.moves === 'us' && !paid.isFollowed)
        await charge.admit?.({ address: paid.payer, network: paid.network })
    } catch (error) {
      await records.owed(paid.id, runner)
      throw error instanceof ToolError && error.code !== 'upstream' ? withCharge(error, true) : error
    }
    const { service, tool } = charge
    const call = { request, settle, service: service.slug, tool: tool.name }
    return serve(await records.accept(paid.id, runner, call))
  }

  const settleStray = async (
    row: PaymentRow,
    status: FindResult | Unknown,
    detail?: string,
  ): Promise<Answered> => answerStray(await take(row, status), detail)

  const resumeStray = async (row: PaymentRow): Promise<Answered> => {
    if (row.state === 'refunding' || row.state === 'refunded')
      throw alreadyUsed('This payment was given back to its payer.')
    const holding = await records.hold(row.id, runner)
    if (!holding) throw pendingPayment(row)
    if (holding.spentElsewhere)
      throw alreadyUsed('payment_already_used: this transfer was spent on something else.')
    if (isSettled(holding)) return answerStray(await records.again(row.id, runner))
    const status = await awaitAnswer(
      method.find(attempt, JSON.parse(holding.offer) as Offer, sentFrom(holding)),
    )
    return settleStray(holding, status)
  }

  /** Takes money over that is owed since somebody showed its payment who had not signed it for his call. */
  const claimFromStray = async (identified: Identified, offer: Offer): Promise<Answered> => {
    const holder = await records.holderOf(toClaim(identified))
    if (!holder?.isStray || holder.transaction === null || !isSettled(holder)) throw paysAnotherCall()
    if (!(await isForThisCall(offer, holder.transaction))) throw owedToPayer(holder, method)
    const row = await records.takeStray(holder.id, toFacts(identified, offer, holder.payer), runner)
    if (!row) throw paysAnotherCall()
    return answerStray(row)
  }

  const recordQuietly = async (row: PaymentRow, status: FindResult | Unknown) => {
    if (status.state !== 'settled') return records.pending(row.id, runner, row.transaction ?? '')
    await records.paid(row.id, runner, status)
    return records.owed(row.id, runner)
  }

  const toClaim = ({ identity }: Identified) => digest('authorization', identity)

  const sealed = (offer: Offer) => sealPayment(encryption, attempt, offer)

  /** Initial facts of a record. */
  const toFacts = ({ id, identity }: Identified, offer: Offer, payer: string) => ({
    id,
    claim: toClaim({ id, identity }),
    request,
    service: charge.service.slug,
    tool: charge.tool.name,
    settle,
    method: method.id,
    dialect: dialect.id,
    form: attempt.form ?? null,
    ...(charge.requestId !== undefined && { requestId: charge.requestId }),
    sender: attempt.isPublic ? toSender(id, charge) : null,
    network: offer.network,
    asset: offer.asset,
    payTo: offer.payTo,
    ...(charge.price.terms?.journal && { isFollowed: true as const }),
    amount: offer.amount,
    rate: (offer.extra.rate as Rate | undefined) ?? null,
    payer,
    transaction: null,
    log: null,
    offer: JSON.stringify(offer),
    sealed: sealed(offer),
    answer: null,
  })

  const reserve = (
    { id, identity }: Identified,
    offer: Offer,
    payer: string,
    { isRefused = false, isStray = false }: { isRefused?: boolean; isStray?: boolean } = {},
  ) =>
    records.reserve(
      {
        ...toFacts({ id, identity }, offer, payer),
        ...(isRefused && { settle: 'before' as const }),
        ...(isStray && { isStray: true as const }),
      },
      runner,
      async (tx, row) => {
        await writeJournal(tx, charge, row, { identity, offer })
        // Money that has moved is here already: a key must not refuse it. Nor does one name what was refused.
        if (method.moves !== 'payer' && !isRefused && !isStray)
          await bindKey(tx, charge, { id, request, payer }, records.now())
        await book?.hold(tx, row.receipt, attempt, offer)
      },
    )

  /** The answer of an earlier payment that the key of this call names; the payment that came is not used. */
  const answerByKey = async (named: PaymentRow): Promise<Answered> => {
    if (named.state === 'done') return storedAnswer(named, true)
    if (!isSettled(named)) throw pendingPayment(named)
    return keeping(named.id, async () => {
      const holding = await records.hold(named.id, runner)
      if (!holding || !isSettled(holding) || holding.state === 'refunding') throw pendingPayment(named)
      return serve(await records.again(holding.id, runner))
    })
  }

  /** True when a payment that adds to an account was signed by the wallet that the account is, or for a quote to this very call. */
  const namesAccount = (offer: Offer, payer: string): boolean => {
    const { accepted, isIssued } = attempt
    if (!charge.tool.credits || isIssued || method.book) return true
    if (charge.caller?.id.toLowerCase() === `${offer.network}:${payer}`.toLowerCase()) return true
    const { network, asset, payTo } = offer
    const terms = accepted && { ...accepted, method: method.id, network, asset, payTo }
    return terms !== undefined && quotes.madeAt(terms, request, 0) !== undefined
  }

  /** A payment that is new here, or whose earlier try moved no money. */
  const begin = async (identified: Identified): Promise<Answered> => {
    if (payment.record !== undefined) throw await refuse('settlement_failed')
    if (!methodsFor(deps.methods, charge).includes(method)) return recheck('wrong_network', identified)
    const match = matchingOffer(deps, payment, await offerOn(method, charge, deps.rates, attempt.accepted))
    if ('reason' in match) return recheck(match.reason, identified)
    const { offer } = match
    const verified = await verify(offer)
    if (!('checked' in verified)) throw cannotCheck()
    if (!verified.checked.ok) return recheck(verified.checked.reason, identified, offer)
    if (!namesAccount(offer, verified.checked.payer)) throw await refuse('other_account')
    await charge.admit?.({ address: verified.checked.payer, network: offer.network })
    const row = await reserve(identified, offer, verified.checked.payer).catch((error: unknown) => {
      if (error instanceof NamesPayment || error instanceof InsufficientBalance) return error
      if (error instanceof SpendingRefused) return error
      throw error
    })
    if (row instanceof InsufficientBalance) throw await refuseUncovered('balance_too_low', offer.amount, {})
    if (row instanceof SpendingRefused) {
      const { reason, detail, params } = row.refusal
      throw await refuseUncovered(reason, offer.amount, { detail, params })
    }
    if (row instanceof NamesPayment) return answerByKey(row.row)
    if (row === 'taken') throw paysAnotherCall()
    if (row !== 'there') return settleAndRun(row, true)
    const there = await records.get(identified.id)
    if (!there) throw paysAnotherCall()
    return resume(there, identified)
  }

  /** The terms of a payment that are ours, whichever call they are for. */
  const issuedOffer = ({ asset, payTo, amount, extra }: AcceptedTerms): Offer => ({
    method: method.id,
    kind: method.kind,
    network: method.network,
    asset,
    payTo,
    amount,
    extra,
    words: method.toWords?.(amount) ?? amount,
    maxTimeoutSeconds: 0,
  })

  /** Money that its payer moved before the call: it is looked up, and a record begins where it is there, whatever it pays. */
  const beginMoved = async (): Promise<Answered> => {
    const { accepted, isIssued } = attempt
    const issued = isIssued && accepted ? issuedOffer(accepted) : undefined
    const offer = issued ?? (await offerOn(method, charge, deps.rates))
    const isOther = issued !== undefined && !quotedAt(issued)
    const status = await awaitAnswer(find(attempt, offer))
    if (status.state === 'unknown') throw cannotCheck('Nothing is lost. Send the same call again.')
    if (status.state === 'unused') throw await refuse('unreadable')
    const moved = status.state === 'failed' ? status.moved : undefined
    if (status.state === 'failed' && !moved) throw rejection(status.detail ?? status.reason)
    if (status.state === 'pending')
      throw new PaymentPending(
        { transaction: status.transaction, network: offer.network, payer: '' },
        status.params,
      )
    const settled =
      status.state === 'settled' ? status : moved && { state: 'settled' as const, ...moved.transfer }
    if (!settled) throw rejection('it moved nothing')
    const identity = method.identify(attempt, settled)
    if (identity === undefined) throw rejection('it does not name its payer')
    const identified = { identity, id: toRecordId(attempt, identity) }
    return keeping(identified.id, async () => {
      const row = await records.get(identified.id)
      if (row && row.state !== 'failed') return resume(row, identified)
      const isStray = isOther || moved !== undefined
      const detail = status.state === 'failed' ? status.detail : undefined
      const paid = moved ? { ...offer, amount: moved.amount } : offer
      const reserved = await reserve(identified, paid, settled.payer, { isStray })
      if (reserved === 'taken') throw paysAnotherCall()
      if (reserved !== 'there')
        return isStray ? settleStray(reserved, settled, detail) : follow(reserved, settled)
      const there = await records.get(identified.id)
      if (!there) throw paysAnotherCall()
      return resume(there, identified)
    })
  }

  /** Runs a step that holds a record: the lease is renewed while it lasts, and let go of when it fails. */
  const keeping = async (id: string, step: () => Promise<Answered>): Promise<Answered> => {
    const stop = records.keep(id, runner)
    try {
      return await step()
    } catch (error) {
      await records.release(id, runner).catch(() => undefined)
      if (error instanceof LostHold) throw new PaymentPending({ network: method.network, transaction: '' })
      throw error
    } finally {
      stop()
    }
  }

  /** Goes on with a payment that was told to be pending, for a call that does not bring it again. */
  const resumeRecord = (id: string): Promise<Answered> =>
    keeping(id, async () => {
      const row = await records.get(id)
      if (!row) throw paysAnotherCall()
      const identified = { id, identity: '' }
      return row.state === 'failed' ? begin(identified) : resume(row, identified)
    })

  const start = async (): Promise<Answered> => {
    if (payment.record !== undefined) return resumeRecord(payment.record)
    if (method.moves === 'payer') return beginMoved()
    const identity = method.identify(attempt)
    if (identity === undefined) throw await refuse('unreadable')
    const identified = { identity, id: toRecordId(attempt, identity) }
    return keeping(identified.id, async () => {
      const row = await records.get(identified.id)
      return row && row.state !== 'failed' ? resume(row, identified) : begin(identified)
    })
  }

  try {
    return await start()
  } catch (error) {
    throw inDialect(error, outcome =>
      dialect.report({ ...outcome, network: outcome.network || method.network }, { attempt }),
    )
  }
}

/**
 * The record's id: the money and all that came with it. A signature can be read off the chain once it is used; the quote
 * within the proof cannot, so nobody but the payer can repeat the payment.
 */
export const toRecordId = ({ proof }: Attempt, identity: string): string =>
  digest('payload', identity, ...proof)
