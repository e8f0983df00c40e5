import { randomBytes } from 'node:crypto'
import { Taken } from '../../../store/index.ts'
import type { Clock } from '../../ports/clock/port.ts'
import type { Store, Tx } from '../../ports/store/port.ts'
import type { Used } from '../charge.ts'
import type { BookEntries, Fee } from '../method.ts'
import { isOrdered } from '../orders.ts'
import { type PaymentRow, paymentRows, toOwed } from './record.ts'
import { isSpent, respendLog, spendLog, spentIn } from './spent.ts'

/** Further writes in the transaction of a record: the entries of a book. */
type Together = (tx: Tx, row: PaymentRow) => Promise<void>

const alone: Together = async () => {}

/** Rounded up: what was used is paid for. */
const toPart = (amount: string, { part, of }: Used): string => String((BigInt(amount) * part + of - 1n) / of)

/** How long work on a payment holds before another process may take it over; it is renewed while it lasts. */
export const leaseMs = 45_000

export const renewMs = 15_000

/** Names this process in the records that it holds; gates of one process that share a store must have the same. */
export const thisProcess = randomBytes(6).toString('hex')

type Facts = Omit<
  PaymentRow,
  | 'receipt'
  | 'state'
  | 'runner'
  | 'lease'
  | 'refund'
  | 'created'
  | 'updated'
  | 'spentElsewhere'
  | 'reverted'
  | 'watch'
  | 'watchEnd'
>

/** Somebody else has the record, or it has moved on: what was begun here must not be finished. */
export class LostHold extends Error {
  override readonly name = 'LostHold'
}

export type Settlement = { transaction: string; payer: string; log: string; facilitator?: string; fee?: Fee }

/** A record keeps the facilitator that took it, whoever finds out later what became of it. */
const withFacilitator = (facilitator: string | undefined) => facilitator !== undefined && { facilitator }

/** Milliseconds after which a settled transfer is looked at for the first time. */
const firstLookMs = 60_000

export type PaymentRecords = ReturnType<typeof openPaymentRecords>

/**
 * The records of payments, written before anything is acted upon. Whoever holds a record is named in it, and every
 * change but the first asks for that name, so that a process which was taken for dead cannot finish its work twice.
 * `watchMs` is how long a settled transfer is watched.
 */
export const openPaymentRecords = (
  store: Store,
  clock: Clock,
  watchMs: number,
  boot = randomBytes(6).toString('hex'),
  onSettled: (row: PaymentRow) => void = () => {},
) => {
  const rows = paymentRows(store)
  const time = () => clock.now().toISOString()
  const after = (ms: number) => new Date(clock.now().getTime() + ms).toISOString()
  const until = () => after(leaseMs)
  let single: boolean | undefined

  /** The embedded store belongs to one process, so what another process held there, it holds no more. */
  const isAlone = async (): Promise<boolean> => {
    single ??= (await store.health()).engine === 'embedded'
    return single
  }

  const isHeld = ({ runner, lease }: PaymentRow, single: boolean): boolean =>
    runner !== null && lease !== null && lease > time() && !(single && !runner.startsWith(boot))

  const change = (
    id: string,
    runner: string,
    next: (row: PaymentRow, tx: Tx) => PaymentRow | Promise<PaymentRow>,
  ) =>
    store.transaction(async tx => {
      const inside = paymentRows(tx)
      const row = await inside.get(id)
      if (row?.runner !== runner) throw new LostHold('another process works on this payment')
      const after = { ...(await next(row, tx)), updated: time() }
      await inside.put(after)
      return after
    })

  const ended = { runner: null, lease: null }
  const unwatched = { watch: null, watchEnd: null, sealed: null }

  /** Takes held money of a book, or the part of it that was used. Nothing can take it back, so that it is watched no more. */
  const capture = async (tx: Tx, row: PaymentRow, book: BookEntries, used: Used | undefined) => {
    const { id, receipt, service, tool } = row
    const amount = used ? toPart(row.amount, used) : row.amount
    const rest = String(BigInt(row.amount) - BigInt(amount))
    await book.capture(tx, receipt, `${service}.${tool}`, rest === '0' ? undefined : { amount, rest })
    const transaction = book.entry(receipt)
    const log = `ledger:${transaction}`
    await spendLog(tx, log, `payment:${id}`)
    return { ...unwatched, amount, transaction, log }
  }

  return {
    get: (id: string) => rows.get(id),
    now: () => clock.now(),
    runner: () => `${boot}:${randomBytes(6).toString('hex')}`,

    /** The record that holds an authorization. */
    async holderOf(claim: string): Promise<PaymentRow | undefined> {
      const { rows: found } = await rows.find({ index: 'claim', where: { claim }, limit: 1 })
      return found[0]
    },

    /** True when money moved for something else: under the nonce of an order, or as a transfer that was spent. */
    async isSpoken(identity: string, log: string): Promise<boolean> {
      return (await isOrdered(store, identity)) || (await isSpent(store, log))
    },

    /** Claims the authorization for a call. `taken` when another record has it, `there` when this one is in use. */
    async reserve(facts: Facts, runner: string, together = alone): Promise<PaymentRow | 'taken' | 'there'> {
      const now = time()
      const fresh: PaymentRow = {
        ...facts,
        receipt: randomBytes(16).toString('hex'),
        state: 'reserved',
        spentElsewhere: false,
        reverted: null,
        watch: null,
        watchEnd: null,
        refund: null,
        runner,
        lease: until(),
        created: now,
        updated: now,
      }
      try {
        return await store.transaction(async tx => {
          const inside = paymentRows(tx)
          const before = await inside.get(facts.id)
          if (before && before.state !== 'failed') return 'there' as const
          await inside.put(fresh)
          await together(tx, fresh)
          return fresh
        })
      } catch (error) {
        if (error instanceof Taken) return 'taken'
        throw error
      }
    },

    /** Takes a record over, unless somebody works on it. */
    async hold(id: string, runner: string): Promise<PaymentRow | undefined> {
      const single = await isAlone()
      return store.transaction(async tx => {
        const inside = paymentRows(tx)
        const row = await inside.get(id)
        if (!row || isHeld(row, single)) return undefined
        if (['done', 'refunded', 'failed', 'lost'].includes(row.state)) return undefined
        const leased = { ...row, runner, lease: until() }
        await inside.put(leased)
        return leased
      })
    },

    /** Renews the lease until the returned function is called. */
    keep(id: string, runner: string): () => void {
      const renew = () =>
        rows
          .update(id, row => (row.runner === runner ? { ...row, lease: until() } : row))
          .catch(() => undefined)
      const timer = setInterval(renew, renewMs)
      timer.unref()
      return () => clearInterval(timer)
    },

    /** Lets go without a change; does nothing when it is held no more. */
    release: (id: string, runner: string) =>
      rows.update(id, row => (row.runner === runner ? { ...row, ...ended } : row)),

    pending: (id: string, runner: string, transaction: string, facilitator?: string) =>
      change(id, runner, row => ({
        ...row,
        ...ended,
        state: 'pending',
        transaction,
        ...withFacilitator(facilitator),
      })),

    /** No money moved, and none can: the authorization is free. What was answered before a chain took it back is lost. */
    failed: (id: string, runner: string, book?: BookEntries) =>
      change(id, runner, async (row, tx) => {
        await book?.release(tx, row.receipt)
        if (row.reverted === 'done') return { ...row, ...ended, ...unwatched, state: 'lost' }
        return { ...row, ...ended, state: 'failed', claim: null, sealed: null, answer: null }
      }),

    /** The money is here. It is spent at once for all methods; a transfer that something else spent pays for nothing. */
    async paid(id: string, runner: string, { transaction, payer, log, facilitator, fee }: Settlement) {
      let isNew = false
      const paid = await change(id, runner, async (row, tx) => {
        isNew = !row.reverted
        const isSpentHere = await respendLog(tx, row.log, log, `payment:${id}`)
        const isFinal = watchMs === 0
        const look = { watch: after(Math.min(firstLookMs, watchMs)), watchEnd: after(watchMs) }
        const watch = isFinal ? unwatched : look
        const facts = {
          transaction,
          payer,
          log,
          ...withFacilitator(facilitator),
          ...(fee !== undefined && { fee }),
        }
        const settled = { ...row, ...watch, ...facts, spentElsewhere: !isSpentHere, reverted: null }
        if (!isSpentHere) return { ...(await toOwed(tx, settled)), ...ended }
        if (row.answer !== null || row.reverted === 'done') return { ...settled, ...ended, state: 'done' }
        return { ...settled, state: 'paid' }
      })
      if (isNew && !paid.spentElsewhere) onSettled(paid)
      return paid
    },

    /** Takes the turn to look whether a transfer is still there; undefined when somebody else has it, or it is too early. */
    watchTurn: (id: string): Promise<PaymentRow | undefined> =>
      store.transaction(async tx => {
        const inside = paymentRows(tx)
        const row = await inside.get(id)
        if (!row?.watch || row.watch > time()) return undefined
        await inside.put({ ...row, watch: until() })
        return row
      }),

    /** The transfer is there, if under another name than before; after the last look nothing is kept to settle it again. */
    stands: (id: string, { transaction, log }: Settlement) =>
      store.transaction(async tx => {
        const inside = paymentRows(tx)
        const row = await inside.get(id)
        if (!row?.watchEnd) return
        const isOther = row.log !== log
        const spentElsewhere = isOther
          ? !(await respendLog(tx, row.log, log, `payment:${id}`))
          : row.spentElsewhere
        const watch = row.watchEnd <= time() ? unwatched : { watch: row.watchEnd }
        await inside.put({ ...row, ...watch, transaction, log, spentElsewhere })
      }),

    /**
     * The chain has taken the transfer back: the record is pending again, and one that was given back already stays so. Undefined
     * while somebody works on it.
     */
    revert: (id: string): Promise<PaymentRow | undefined> =>
      store.transaction(async tx => {
        const inside = paymentRows(tx)
        const row = await inside.get(id)
        if (!row?.watchEnd || isHeld(row, false)) return undefined
        const { state } = row
        if (state === 'refunded') {
          // What is left to watch is the refund.
          await inside.put({ ...row, sealed: null })
          return row
        }
        if (state !== 'paid' && state !== 'done' && state !== 'owed') return undefined
        const watch = { watch: null, watchEnd: null }
        const reverted: PaymentRow = {
          ...row,
          ...ended,
          ...watch,
          state: 'pending',
          reverted: state,
          updated: time(),
        }
        await inside.put(reverted)
        return reverted
      }),

    /** The transfer of a refund is there; after the last look it is watched no more. */
    refundStands: (id: string) =>
      rows.update(id, row => {
        if (row.state !== 'refunded' || !row.watchEnd) return row
        return row.watchEnd <= time() ? { ...row, ...unwatched } : { ...row, watch: row.watchEnd }
      }),

    /** The chain has taken the transfer of a refund back: it is not refunded, and sent again. Undefined where somebody was faster. */
    revertRefund: (id: string, refund: string): Promise<PaymentRow | undefined> =>
      store.transaction(async tx => {
        const inside = paymentRows(tx)
        const row = await inside.get(id)
        if (row?.state !== 'refunded' || row.refund !== refund) return undefined
        const reverted: PaymentRow = { ...row, ...ended, state: 'refunding', refund: null, updated: time() }
        await inside.put({ ...reverted, watch: null })
        return reverted
      }),

    /** A held record of stray money whose own call has come. */
    accept: (id: string, runner: string, call: Pick<PaymentRow, 'request' | 'service' | 'tool' | 'settle'>) =>
      change(id, runner, ({ isStray: _, ...row }) => ({ ...row, ...call, state: 'paid' })),

    /** Gives stray money to the payment that was signed for its call; undefined where somebody works on it, or it was given back. */
    takeStray: (strayId: string, facts: Facts, runner: string): Promise<PaymentRow | undefined> =>
      store.transaction(async tx => {
        const inside = paymentRows(tx)
        const stray = await inside.get(strayId)
        if (!stray?.isStray || stray.log === null || isHeld(stray, false)) return undefined
        if (stray.state !== 'owed' && stray.state !== 'paid') return undefined
        const { receipt, transaction, payer, log, watch, watchEnd, created } = stray
        const { isStray: _, ...rest } = stray
        const row: PaymentRow = {
          ...rest,
          ...facts,
          receipt,
          transaction,
          payer,
          log,
          watch,
          watchEnd,
          created,
          state: 'paid',
          runner,
          lease: until(),
          updated: time(),
        }
        await inside.delete(strayId)
        await inside.put(row)
        await spentIn(tx).put({ id: log, by: `payment:${row.id}` })
        return row
      }),

    /** A held record of settled money whose work starts again. */
    again: (id: string, runner: string) => change(id, runner, row => ({ ...row, state: 'paid' })),

    /** The work failed after the money came; a record that has moved on stays as it is. */
    owed: (id: string, runner: string) =>
      store.transaction(async tx => {
        const row = await paymentRows(tx).get(id)
        if (row?.runner === runner && row.state === 'paid')
          await paymentRows(tx).put({ ...(await toOwed(tx, row)), ...ended, updated: time() })
      }),

    /** Ends the record of settled money with a refusal, in the transaction that turns the money into something else. */
    async decline(tx: Tx, id: string, runner: string, refusal: string, book?: BookEntries): Promise<void> {
      const inside = paymentRows(tx)
      const row = await inside.get(id)
      if (row?.runner !== runner || row.state !== (book ? 'reserved' : 'paid'))
        throw new LostHold('another process works on this payment')
      const entry = book && (await capture(tx, row, book, undefined))
      await inside.put({ ...row, ...ended, ...entry, state: 'done', refusal, updated: time() })
    },

    /** Keeps the answer within the handler's own transaction: with money here, or taken from a book now, that ends the record. */
    async seal(
      tx: Tx,
      id: string,
      runner: string,
      answer: string | null,
      book?: BookEntries,
      used?: Used,
    ): Promise<void> {
      const inside = paymentRows(tx)
      const row = await inside.get(id)
      if (row?.runner !== runner || (row.state !== 'paid' && row.state !== 'reserved'))
        throw new LostHold('another process works on this payment')
      const entry = book && (await capture(tx, row, book, used))
      const over = (entry || row.state === 'paid') && { ...ended, ...entry, state: 'done' as const }
      await inside.put({ ...row, answer, updated: time(), ...over })
    },
  }
}
