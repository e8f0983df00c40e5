import { PaymentPending, ToolError } from '../../kernel/error.ts'
import type { Receipt } from '../../kernel/tool.ts'
import type { Charge, Paid } from '../index.ts'
import type { Found, Offer, Payload, Rail, Refusal } from '../rail.ts'
import { type Books, LostHold } from './books.ts'
import { openEarning } from './earn.ts'
import { matching } from './match.ts'
import { digest } from './payload.ts'
import type { Quotes } from './quote.ts'
import { isSettled, type PaymentRow } from './record.ts'
import { settleOf } from './settlement.ts'
import type { Vault } from './vault.ts'
import { asked, elsewhere, isTold, pendingOf, type Unknown, used } from './verdict.ts'

/** What all payments of a gate share. */
export type Bench = { rails: readonly Rail[]; books: Books; quotes: Quotes; vault: Vault }

/** One payload on its way to an answer. */
export type Flight = {
  charge: Charge
  payload: Payload
  rail: Rail
  identity: string
  /** Digest of the payload: the record's id. */
  id: string
  request: string
  runner: string
  work(paid: Paid): Promise<object>
}

export type Landed = { answer: object; receipt: Receipt; replayed: boolean }

/** Brings one payload to its answer: at most one debit and one sealed run for it, whenever and wherever it comes again. */
export const fly = (bench: Bench, flight: Flight) => {
  const { books, vault } = bench
  const { charge, payload, rail, identity, id, request, runner } = flight
  const { refuse, landed, serve, follow, attempt } = openEarning(bench, flight)
  const settle = settleOf(charge.tool)

  /** Goes on with a record that exists and has not failed. */
  const resume = async (row: PaymentRow): Promise<Landed> => {
    if (row.request !== request) throw elsewhere()
    if (row.state === 'done') return landed(row, true)
    if (row.state === 'refunding' || row.state === 'refunded')
      throw used('This payment was given back to its payer.')
    const held = await books.hold(id, runner)
    if (!held) {
      const now = await books.get(id)
      if (now?.state === 'done') return landed(now, true)
      if (now?.state === 'failed') return begin()
      throw pendingOf(row)
    }
    if (held.spentElsewhere) throw used('payment_already_used: this transfer was spent on something else.')
    if (held.state === 'refunding') throw used('This payment was given back to its payer.')
    if (isSettled(held)) return serve(await books.again(id, runner))
    const offer = JSON.parse(held.offer) as Offer
    const found = await asked(rail.find(payload, offer))
    if (isTold(found)) return follow(held, found)
    const verified = await asked(rail.verify(payload, offer).then(checked => ({ state: 'checked', checked })))
    if (!('checked' in verified)) return follow(held, verified)
    if (verified.checked.ok) return attempt(held)
    const later = await asked(rail.find(payload, offer))
    if (isTold(later)) return follow(held, later)
    return follow(held, { state: 'failed', reason: verified.checked.reason })
  }

  /**
   * What a payload that does not verify comes to. A record is written before money moves, so if another replica moved it
   * since this flight looked, the record is there now.
   */
  const doubt = async (reason: Refusal): Promise<Landed> => {
    const before = await books.get(id)
    if (before && before.state !== 'failed') return resume(before)
    if (before) {
      const known = JSON.parse(before.offer) as Offer
      const found = await asked(rail.find(payload, known))
      if (found.state === 'settled' || found.state === 'pending' || found.state === 'unknown') {
        const row = await books.reserve({ ...before, claim: claim(), sealed: sealed(known) }, runner)
        if (row === 'taken' || row === 'there') throw elsewhere()
        if (row.request === request) return follow(row, found)
        await settleQuietly(row, found)
        throw elsewhere()
      }
    }
    if (reason === 'already_used' && (await books.holderOf(claim()))) throw elsewhere()
    throw await refuse(reason)
  }

  const settleQuietly = async (row: PaymentRow, found: Found | Unknown) => {
    if (found.state !== 'settled') return books.pending(row.id, runner, row.transaction ?? '')
    await books.paid(row.id, runner, found)
    return books.owed(row.id, runner)
  }

  const claim = () => digest('authorization', identity)
  const sealed = (offer: Offer) =>
    vault.close(
      JSON.stringify({ payload: { ...payload, resource: undefined, extensions: undefined }, offer }),
    )

  /** A payload that is new here, or whose earlier try moved no money. */
  const begin = async (): Promise<Landed> => {
    const match = await matching(bench, flight)
    if ('reason' in match) return doubt(match.reason)
    const { offer } = match
    const verified = await asked(rail.verify(payload, offer).then(checked => ({ state: 'checked', checked })))
    if (!('checked' in verified))
      throw new ToolError('upstream', `Payments on ${rail.name} cannot be checked right now.`, {
        retryAfter: 5,
        hint: 'Nothing was charged. Send the same payment again.',
      })
    if (!verified.checked.ok) return doubt(verified.checked.reason)
    const row = await books.reserve(
      {
        id,
        claim: claim(),
        request,
        service: charge.service.slug,
        tool: charge.tool.name,
        settle,
        network: offer.network,
        asset: offer.asset,
        payTo: offer.payTo,
        amount: offer.amount,
        payer: verified.checked.payer,
        transaction: null,
        log: null,
        offer: JSON.stringify(offer),
        sealed: sealed(offer),
        answer: null,
      },
      runner,
    )
    if (row === 'taken') throw elsewhere()
    if (row !== 'there') return attempt(row)
    const there = await books.get(id)
    if (!there) throw elsewhere()
    return resume(there)
  }

  return async (): Promise<Landed> => {
    const stop = books.keep(id, runner)
    try {
      const row = await books.get(id)
      return row && row.state !== 'failed' ? await resume(row) : await begin()
    } catch (thrown) {
      await books.release(id, runner).catch(() => undefined)
      if (thrown instanceof LostHold) throw new PaymentPending({ network: rail.network, transaction: '' })
      throw thrown
    } finally {
      stop()
    }
  }
}
