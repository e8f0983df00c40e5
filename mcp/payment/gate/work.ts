import { reportSettled, type ToolError, withCharge, withPayment } from '../../kernel/error.ts'
import { isSecret } from '../../kernel/tool.ts'
import type { Paid } from '../charge.ts'
import type { BookEntries } from '../method.ts'
import { collectMoney } from './collect.ts'
import { pendingPayment } from './outcome.ts'
import { LostHold } from './payment-records.ts'
import { type Answered, type PaymentRun, report, type Step } from './payment-run.ts'
import { type PaymentRow, receiptFrom } from './record.ts'
import { fromStoredRefusal, keptNoMore, toStoredRefusal } from './refused.ts'

const answered = (run: PaymentRun, row: PaymentRow, answer: object, replayed: boolean): Answered => ({
  answer,
  receipt: receiptFrom(row),
  parts: report(run, row),
  replayed,
})

/** An answer as it is kept: a secret is kept nowhere. */
const toStored = ({ charge }: PaymentRun, answer: object): string | null =>
  isSecret(charge.tool, answer) ? null : JSON.stringify(answer)

/** Returns a payment's stored answer again. A secret of it is kept nowhere: the tool makes it anew. */
export const storedAnswer = async (
  run: PaymentRun,
  row: PaymentRow,
  replayed: boolean,
): Promise<Answered> => {
  if (row.answer !== null) return answered(run, row, JSON.parse(row.answer) as object, replayed)
  const refused = fromStoredRefusal(row)
  if (refused && !refused.secret) throw refused.refusal
  if (!run.charge.tool.reissue) throw keptNoMore(row)
  const isOver = async () => undefined
  const answer = await run.work({
    receipt: receiptFrom(row),
    parts: report(run, row),
    again: { refused: refused?.refusal },
    seal: isOver,
    decline: isOver,
  })
  return answered(run, row, answer, replayed)
}

/** Runs the work for money that is here. */
export const serve = async (run: PaymentRun, row: PaymentRow): Promise<Answered> => {
  const { records } = run.deps
  try {
    const answer = await run.work({
      receipt: receiptFrom(row),
      parts: report(run, row),
      seal: (tx, answer) => records.seal(tx, row.id, run.runner, toStored(run, answer)),
      decline: (tx, refusal, secret) =>
        records.decline(tx, row.id, run.runner, toStoredRefusal(refusal, secret)),
    })
    return answered(run, row, answer, false)
  } catch (error) {
    await records.owed(row.id, run.runner).catch(() => undefined)
    if (error instanceof LostHold) throw pendingPayment(row)
    throw error
  }
}

/** Runs the work for money that is held in a book. It is taken with the answer or not at all. */
export const serveHeld = async (run: PaymentRun, row: PaymentRow, book: BookEntries): Promise<Answered> => {
  const { records } = run.deps
  const booked = { ...row, transaction: book.entry(row.receipt) }
  const receipt = receiptFrom(booked)
  const parts = report(run, booked)
  let refused: ToolError | undefined
  try {
    const answer = await run.work({
      receipt,
      parts,
      isHeld: true,
      seal: (tx, answer, used) => records.seal(tx, row.id, run.runner, toStored(run, answer), book, used),
      decline: async (tx, refusal, secret) => {
        await records.decline(tx, row.id, run.runner, toStoredRefusal(refusal, secret), book)
        refused = refusal
      },
    })
    return answered(run, booked, answer, false)
  } catch (error) {
    if (error instanceof LostHold) throw pendingPayment(row)
    if (refused && error === refused)
      throw withCharge(withPayment(refused, reportSettled(receipt), parts), true)
    await records.failed(row.id, run.runner, book).catch(() => undefined)
    throw error
  }
}

/** Work that nothing has been paid for yet. Its answer is kept for the settlement that follows. */
const unpaid = ({ deps, runner }: PaymentRun, row: PaymentRow): Paid => ({
  receipt: undefined,
  parts: {},
  seal: (tx, output) => deps.records.seal(tx, row.id, runner, JSON.stringify(output)),
  decline: () => Promise.reject(new Error('nothing is paid yet')),
})

/** Ends a payment that was not settled. One that somebody elsewhere was shown stays watched: whoever has seen it may carry it out. */
const dropUnsettled = (
  { deps: { records }, method, runner }: PaymentRun,
  row: PaymentRow,
): Promise<unknown> =>
  method.inspect ? records.release(row.id, runner) : records.failed(row.id, runner, method.book)

/**
 * Runs the work for a payment that is good, and settles when the work has its answer and is about to write it: work that fails is
 * not charged, and money that does not come leaves nothing behind.
 */
const runToCommit = async (run: PaymentRun, row: PaymentRow): Promise<Answered> => {
  let step: 'working' | 'collecting' | 'paid' = 'working'
  let paid = row
  try {
    const answer = await run.work({
      ...unpaid(run, row),
      async collect() {
        if (step === 'paid') return
        step = 'collecting'
        paid = await collectMoney(run, row, true)
        step = 'paid'
      },
    })
    return answered(run, paid, answer, false)
  } catch (error) {
    // A settlement that did not come off has left its record as it stands.
    const state = step as 'working' | 'collecting' | 'paid'
    if (state === 'working' && !(error instanceof LostHold))
      await dropUnsettled(run, row).catch(() => undefined)
    if (state === 'paid') await run.deps.records.owed(row.id, run.runner).catch(() => undefined)
    if (error instanceof LostHold) throw pendingPayment(row)
    throw error
  }
}

/** A held record whose money may be moved: settle and run, or run and settle, as the tool has it. */
export const settleAndRun = async (run: PaymentRun, row: PaymentRow, isFirst: boolean): Promise<Step> => {
  const { book } = run.method
  if (book) return { answer: await serveHeld(run, row, book) }
  if (run.time === 'commit' && isFirst && row.answer === null) return { answer: await runToCommit(run, row) }
  let answer = row.answer
  if (row.settle === 'after' && answer === null) {
    try {
      answer = JSON.stringify(await run.work(unpaid(run, row)))
    } catch (error) {
      if (error instanceof LostHold) throw pendingPayment(row)
      await dropUnsettled(run, row).catch(() => undefined)
      throw error
    }
  }
  return { row: await collectMoney(run, { ...row, answer }, isFirst), event: { type: 'collected' } }
}
