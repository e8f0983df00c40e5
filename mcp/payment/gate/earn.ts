import { ToolError } from '../../kernel/error.ts'
import { isSecret } from '../../kernel/tool.ts'
import type { Offer, Refusal, Settled } from '../rail.ts'
import { LostHold } from './books.ts'
import type { Bench, Flight, Landed } from './flight.ts'
import { type PaymentRow, receiptFrom } from './record.ts'
import { paymentRequired } from './required.ts'
import { asked, pendingOf, type Unknown, used } from './verdict.ts'

/** The steps that move money and run work, for a record that this flight holds. */
export const openEarning = ({ rails, books, quotes }: Bench, flight: Flight) => {
  const { charge, payload, rail, id, request, runner } = flight

  const refuse = (reason: Refusal) => paymentRequired(rails, quotes, charge, request, reason)

  const landed = (row: PaymentRow, replayed: boolean): Landed => {
    if (row.answer === null)
      throw new ToolError('conflict', 'This payment was answered once, with a secret that is not kept.')
    return { answer: JSON.parse(row.answer) as object, receipt: receiptFrom(row), replayed }
  }

  const textOf = (answer: object): string | null =>
    isSecret(charge.tool, answer) ? null : JSON.stringify(answer)

  /** Runs the work for money that is here. */
  const serve = async (row: PaymentRow): Promise<Landed> => {
    const receipt = receiptFrom(row)
    try {
      const answer = await flight.work({
        receipt,
        seal: (tx, output) => books.seal(tx, id, runner, textOf(output)),
      })
      return { answer, receipt, replayed: false }
    } catch (thrown) {
      await books.owed(id, runner).catch(() => undefined)
      if (thrown instanceof LostHold) throw pendingOf(row)
      throw thrown
    }
  }

  /** Goes on from what the chain says of a record that is held. */
  const follow = async (row: PaymentRow, settled: Settled | Unknown): Promise<Landed> => {
    if (settled.state === 'settled') {
      const paid = await books.paid(id, runner, settled)
      if (paid.spentElsewhere) throw used('payment_already_used: this transfer was spent on something else.')
      return paid.state === 'done' ? landed(paid, false) : serve(paid)
    }
    if (settled.state === 'failed') {
      await books.failed(id, runner)
      throw await refuse(settled.reason)
    }
    const transaction = (settled.state === 'pending' && settled.transaction) || row.transaction || ''
    throw pendingOf(await books.pending(id, runner, transaction))
  }

  /** Settles; before a failure is believed, the chain is asked whether the money moved all the same. */
  const collect = async (row: PaymentRow): Promise<Landed> => {
    const offer = JSON.parse(row.offer) as Offer
    const settled = await asked(rail.settle(payload, offer))
    if (settled.state !== 'failed') return follow(row, settled)
    const found = await asked(rail.find(payload, offer))
    return follow(row, found.state === 'unused' || found.state === 'failed' ? settled : found)
  }

  /** A reserved record whose payload is good: settle and run, or run and settle, as the tool has it. */
  const attempt = async (row: PaymentRow): Promise<Landed> => {
    if (row.settle === 'before' || row.answer !== null) return collect(row)
    let answer: object
    try {
      answer = await flight.work({
        receipt: undefined,
        seal: (tx, output) => books.seal(tx, id, runner, JSON.stringify(output)),
      })
    } catch (thrown) {
      if (thrown instanceof LostHold) throw pendingOf(row)
      await books.failed(id, runner).catch(() => undefined)
      throw thrown
    }
    return collect({ ...row, answer: JSON.stringify(answer) })
  }

  return { refuse, landed, serve, follow, attempt }
}
