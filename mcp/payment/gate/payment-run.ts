import { PaymentPending, reportSettled, ToolError } from '../../kernel/error.ts'
import type { Caller } from '../../kernel/tool.ts'
import { inSpan } from '../../lib/trace/span.ts'
import type { Charge, Charged, Paid } from '../charge.ts'
import type { Dialect } from '../dialect.ts'
import type {
  Attempt,
  CatalogueListing,
  FindResult,
  Offer,
  PaymentMethod,
  Refusal,
  SentTransaction,
} from '../method.ts'
import type { People } from '../people.ts'
import type { Rate, Rates } from '../rates.ts'
import type { Alarm } from './alarm.ts'
import { digest } from './digest.ts'
import type { Encryption } from './encryption.ts'
import { writeJournal } from './journal.ts'
import { bindKey } from './keys.ts'
import { awaitAnswer, paysAnotherCall, type Unknown } from './outcome.ts'
import { LostHold, type PaymentRecords } from './payment-records.ts'
import type { Quotes } from './quote.ts'
import { type PaymentRow, type PaymentState, receiptFrom } from './record.ts'
import { type RefusalFacts, refuse as refusalFor } from './refuse.ts'
import { sealPayment } from './sealed.ts'
import { isSameSender, toSender } from './sender.ts'

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

/** A payment whose money has a name: `identity` names it, `id` its record. */
export type PaymentRun = Payment & {
  deps: PaymentDeps
  identity: string
  id: string
  /** When the money moves: before the work, with its commit, or after it. */
  time: 'before' | 'commit' | 'after'
}

export type Answered = Charged<object>

/** What a method says of the money; `unknown` where it did not answer. */
export type Found = FindResult | Unknown

/** What a method found, as an event. `detail` says in words what is wrong with money that came. */
export type FoundEvent = {
  [S in Found['state']]: { type: S; status: Extract<Found, { state: S }>; detail?: string | undefined }
}[Found['state']]

/** What happens to a payment. */
export type PaymentEvent =
  /** A call brings it. */
  | { type: 'sent' }
  /** It is good, and moves the money of this offer. */
  | { type: 'verified'; offer: Offer; payer: string }
  /** It is not good; `offer` is what somebody elsewhere was shown of it. */
  | { type: 'refused'; reason: Refusal; offer?: Offer }
  /** Its payer has moved the money already. */
  | { type: 'moved'; offer: Offer; status: Settled; isStray: boolean; detail?: string | undefined }
  /** This run holds its record. */
  | { type: 'held' }
  /** Another run holds its record. */
  | { type: 'busy' }
  /** Its money may be moved by this run; `isFirst` where nobody had it in hand before. */
  | { type: 'movable'; isFirst: boolean }
  /** Its money is here. */
  | { type: 'collected'; detail?: string | undefined }
  | FoundEvent

export type Settled = Extract<FindResult, { state: 'settled' }>

/** Where a payment stands: its record, if it has one, and the event that comes next; or its answer. */
export type Step = { row?: PaymentRow | undefined; event: PaymentEvent } | { answer: Answered }

/** The state of a payment: that of its record, and `new` where it has none. */
export type RunState = PaymentState | 'new'

export const toFoundEvent = (status: Found, detail?: string): FoundEvent =>
  ({ type: status.state, status, detail }) as FoundEvent

const spanOf = ({ method }: PaymentRun, name: string) =>
  [`payment ${name}`, 'client', { 'octagent.method': method.id, 'octagent.network': method.network }] as const

/** What became of the money, by the method. `sent` is an earlier try. */
export const find = (run: PaymentRun, offer: Offer, sent?: SentTransaction): Promise<Found> =>
  awaitAnswer(inSpan(run.charge.span, spanOf(run, 'find'), () => run.method.find(run.attempt, offer, sent)))

/** Checks the payment against an offer; `unknown` where the method does not answer. */
export const verify = (run: PaymentRun, offer: Offer) =>
  awaitAnswer(
    inSpan(run.charge.span, spanOf(run, 'verify'), () => run.method.verify(run.attempt, offer)).then(
      checked => ({ state: 'checked', checked }) as const,
    ),
  )

/** Moves the money. */
export const settle = (run: PaymentRun, offer: Offer) =>
  awaitAnswer(
    inSpan(run.charge.span, spanOf(run, 'settle'), () =>
      run.method.settle(run.attempt, offer, run.deps.list?.(run.charge)),
    ),
  )

export const refuse = ({ deps, charge }: PaymentRun, reason: Refusal, facts?: RefusalFacts) =>
  refusalFor(deps, charge, reason, facts)

export const cannotCheck = (
  { method }: PaymentRun,
  hint = 'Nothing was charged. Send the same payment again.',
): ToolError =>
  new ToolError('upstream', `Payments on ${method.name} cannot be checked right now.`, {
    retryAfter: 5,
    hint,
  })

/** What the dialect says of a settled payment. */
export const report = ({ dialect, attempt }: PaymentRun, row: PaymentRow) =>
  dialect.report(reportSettled(receiptFrom(row)), { attempt, at: row.created })

/** True when the payment may be somebody else's, read off the chain: then nothing of it is answered. */
export const isStranger = ({ attempt, record, charge, deps }: PaymentRun, row: PaymentRow): boolean =>
  attempt.isPublic === true && record === undefined && !isSameSender(row, charge, deps.now())

export const toClaim = ({ identity }: Pick<PaymentRun, 'identity'>): string =>
  digest('authorization', identity)

/** What is settled at its commit may be in other hands before an answer is kept, as what is settled before. */
export const settleOf = ({ time }: PaymentRun): PaymentRow['settle'] =>
  time === 'after' ? 'after' : 'before'

export const sealOffer = ({ deps, attempt }: PaymentRun, offer: Offer) =>
  sealPayment(deps.encryption, attempt, offer)

/** The account of a caller, by the name that inboxes know it under. */
const toHolder = ({ identify = {} }: Charge['service'], { id }: Caller) => ({
  prefix: Object.values(identify).find(({ prefix }) => prefix !== undefined)?.prefix ?? '',
  holder: id,
})

/** Initial facts of a record. */
export const toFacts = (run: PaymentRun, offer: Offer, payer: string) => {
  const { id, charge, request, method, dialect, attempt } = run
  return {
    id,
    claim: toClaim(run),
    request,
    service: charge.service.slug,
    tool: charge.tool.name,
    settle: settleOf(run),
    method: method.id,
    dialect: dialect.id,
    form: attempt.form ?? null,
    ...(charge.requestId !== undefined && { requestId: charge.requestId }),
    ...(charge.caller && { caller: toHolder(charge.service, charge.caller) }),
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
    sealed: sealOffer(run, offer),
    answer: null,
  }
}

/** Writes the record, and in the same transaction what goes with it: the journal, the key of the call, the hold in a book. */
export const reserve = (
  run: PaymentRun,
  offer: Offer,
  payer: string,
  { isRefused = false, isStray = false }: { isRefused?: boolean; isStray?: boolean } = {},
) => {
  const { id, identity, charge, request, method, attempt, runner, deps } = run
  return deps.records.reserve(
    {
      ...toFacts(run, offer, payer),
      ...(isRefused && { settle: 'before' as const }),
      ...(isStray && { isStray: true as const }),
    },
    runner,
    async (tx, row) => {
      await writeJournal(tx, charge, row, { identity, offer })
      // Money that has moved is here already: a key must not refuse it. Nor does one name what was refused.
      if (method.moves !== 'payer' && !isRefused && !isStray)
        await bindKey(tx, charge, { id, request, payer }, deps.records.now())
      await method.book?.hold(tx, row.receipt, attempt, offer)
    },
  )
}

/** Runs a step that holds a record: the lease is renewed while it lasts, and let go of when it fails. */
export const whileHolding = async <R>(
  { deps: { records }, runner, method }: PaymentRun,
  id: string,
  step: () => Promise<R>,
): Promise<R> => {
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

/** The record that is there now, where another run was faster. */
export const reload = async (run: PaymentRun): Promise<Step> => {
  const row = await run.deps.records.get(run.id)
  if (!row) throw paysAnotherCall()
  return { row, event: { type: 'sent' } }
}
