import type { Attempt } from '../method.ts'
import { digest } from './digest.ts'
import { lookUpMoved } from './new-payment.ts'
import { inDialect, paysAnotherCall, rejection } from './outcome.ts'
import {
  type Answered,
  type Payment,
  type PaymentDeps,
  type PaymentEvent,
  type PaymentRun,
  refuse,
  type Step,
  whileHolding,
} from './payment-run.ts'
import { settleTime } from './settlement.ts'
import { strayTransitions, type Transition, transitions } from './transitions.ts'

/**
 * The record's id: the money and all that came with it. A signature can be read off the chain once it is used; the quote
 * within the proof cannot, so nobody but the payer can repeat the payment.
 */
export const toRecordId = ({ proof }: Attempt, identity: string): string =>
  digest('payload', identity, ...proof)

/** Takes a payment from transition to transition until it has its answer. */
const advance = async (run: PaymentRun, first: Step): Promise<Answered> => {
  let step = first
  while (!('answer' in step)) {
    const { row, event } = step
    const state = row?.state ?? 'new'
    const table = row?.isStray ? strayTransitions : transitions
    const transition = table[state][event.type] as Transition<PaymentEvent['type']> | undefined
    if (!transition) throw new Error(`a payment that is ${state} cannot be ${event.type}`)
    step = await transition(run, row as NonNullable<typeof row>, event)
  }
  return step.answer
}

/** Goes on with the record of a payment, or begins one by this event. */
const advanceRecord = (run: PaymentRun, first: PaymentEvent): Promise<Answered> =>
  whileHolding(run, run.id, async () => {
    const row = await run.deps.records.get(run.id)
    if (!row && run.record !== undefined) throw paysAnotherCall()
    return advance(
      run,
      row && row.state !== 'failed' ? { row, event: { type: 'sent' } } : { row, event: first },
    )
  })

const start = async (run: PaymentRun): Promise<Answered> => {
  const { method, attempt, record } = run
  // A payment that was said to be pending, for a call that does not bring it again.
  if (record !== undefined) return advanceRecord({ ...run, id: record }, { type: 'sent' })
  const moved = method.moves === 'payer' ? await lookUpMoved(run) : undefined
  const identity = method.identify(attempt, moved?.status)
  if (identity === undefined)
    throw moved ? rejection('it does not name its payer') : await refuse(run, 'unreadable')
  return advanceRecord({ ...run, identity, id: toRecordId(attempt, identity) }, moved ?? { type: 'sent' })
}

/** Brings one payment to its answer: at most one debit and one sealed run for it, whenever and wherever it comes again. */
export const processPayment = async (deps: PaymentDeps, payment: Payment): Promise<Answered> => {
  const { charge, attempt, dialect, method } = payment
  // Money that the payer has moved is here before the work: there is nothing to settle afterwards.
  const time = method.moves === 'payer' ? 'before' : settleTime(charge.tool)
  try {
    return await start({ ...payment, deps, time, identity: '', id: '' })
  } catch (error) {
    throw inDialect(error, outcome =>
      dialect.report({ ...outcome, network: outcome.network || method.network }, { attempt }),
    )
  }
}
