import { randomBytes } from 'node:crypto'
import { ToolError } from '../../kernel/error.ts'
import type { Store } from '../../ports/store/port.ts'
import type { PaymentMethod, RefundNotes, RefundResult } from '../method.ts'
import { isLocal } from './audit.ts'
import { leaseMs, renewMs } from './payment-records.ts'
import { type PaymentRow, paymentRows } from './record.ts'
import { spendLog } from './spent.ts'

/** A payment whose work was not done, as the operator sees it. `id` is that of the receipt, `words` the amount as people read it. */
export type Owed = Pick<
  PaymentRow,
  'service' | 'tool' | 'method' | 'network' | 'asset' | 'amount' | 'payer' | 'transaction' | 'state'
> & { id: string; since: string; words: string }

/** The method that took a payment; undefined where it is configured no more. */
export const methodFor = (methods: readonly PaymentMethod[], row: PaymentRow): PaymentMethod | undefined =>
  methods.find(({ id, network }) => id === row.method && network === row.network)

const toOwed = (row: PaymentRow, methods: readonly PaymentMethod[]): Owed => {
  const { receipt, service, tool, method, network, asset, amount, payer, transaction, state, updated } = row
  const owner = methodFor(methods, row)
  return {
    id: receipt,
    service,
    tool,
    method,
    network,
    asset,
    amount,
    words: owner?.toWords?.(amount) ?? `${amount} of ${asset} on ${network}`,
    payer,
    transaction,
    state,
    since: updated,
  }
}

/** True when nobody works on a payment. */
export const isLeft = ({ lease }: PaymentRow, now: Date): boolean =>
  lease === null || lease < now.toISOString()

/**
 * What is owed, oldest first: failed work, work that a dead process left, and refunds that did not finish. And what a chain
 * took back for good after it was answered (`lost`), which is owed to us.
 */
export const listOwed = async (
  store: Store,
  now = new Date(),
  methods: readonly PaymentMethod[] = [],
): Promise<Owed[]> => {
  const debts: Owed[] = []
  for (const state of ['owed', 'paid', 'refunding', 'lost'] as const) {
    let after: string | undefined
    do {
      const page = await paymentRows(store).find({
        index: 'state',
        where: { state },
        limit: 1000,
        ...(after !== undefined && { after }),
      })
      // What was spent on something else is owed for that, and not twice.
      const abandoned = page.rows.filter(row => isLeft(row, now) && !row.spentElsewhere)
      debts.push(...abandoned.map(row => toOwed(row, methods)))
      after = page.next
    } while (after !== undefined)
  }
  return debts.sort((a, b) => (a.since < b.since ? -1 : 1))
}

const byReceipt = async (
  store: Pick<Store, 'collection'>,
  receipt: string,
): Promise<PaymentRow | undefined> => {
  const { rows } = await paymentRows(store).find({ index: 'receipt', where: { receipt }, limit: 1 })
  return rows[0]
}

/** How long the transfer of a refund is looked at again, and when for the first time. */
const refundWatchMs = 300_000
const firstLookMs = 60_000

/** A refund that was sent on a chain is watched as a payment is: the chain may take it back. */
const watchRefund = (method: PaymentMethod | undefined, now: Date) => {
  const after = (ms: number) => new Date(now.getTime() + ms).toISOString()
  return method?.movements ? { watch: after(firstLookMs), watchEnd: after(refundWatchMs) } : {}
}

const notOwed = (detail: string) =>
  new ToolError('conflict', detail, { hint: 'octagent owed lists what is.' })

/** A refund that cannot be sent before somebody says where to. */
class NeedsAddress extends ToolError {
  override readonly name = 'NeedsAddress'

  constructor(what: string) {
    super('conflict', `This refund needs ${what} to go to.`, {
      reason: `needs_${what}`,
      hint: 'Ask the payer for it, and name it with --to.',
    })
  }
}

/** A refund of which nothing was sent, and nothing will be. */
class NotSent extends ToolError {
  override readonly name = 'NotSent'

  constructor(detail: string) {
    super('upstream', `The refund was not sent: ${detail}.`, { hint: 'Name another place for it.' })
  }
}

/** A refund of what the chain does not show now: it may have taken the transfer back. */
class NotHere extends ToolError {
  override readonly name = 'NotHere'

  constructor(row: PaymentRow) {
    super(
      'upstream',
      `${row.network} does not show the transfer ${row.transaction} that was to be given back.`,
      {
        hint: 'Ask again in a few minutes: it may be in another block by then.',
        retryAfter: 60,
      },
    )
  }
}

/** Throws where the chain has taken the transfer back that a refund is of. Its silence says nothing. */
const requireHere = async (row: PaymentRow, method: PaymentMethod): Promise<void> => {
  const { movements } = method
  if (!movements || row.transaction === null || row.refundNote || isLocal(row)) return
  const moved = await movements(row.transaction, row.payTo).catch(() => null)
  if (moved === undefined) throw new NotHere(row)
}

/** The transaction or entry of a refund; what waits for an address is refused with what is missing. */
const sentBack = (refunded: RefundResult): string => {
  if (refunded.state === 'sent') return refunded.transaction
  if (refunded.state === 'credited') return refunded.entry
  if (refunded.state === 'failed') throw new NotSent(refunded.detail)
  throw new NeedsAddress(refunded.what)
}

/** Renews the lease of a refund: an invoice may be held unpaid for as long as its payee likes. */
const keepLease = (store: Store, id: string, runner: string, now: () => Date): (() => void) => {
  const renew = () =>
    paymentRows(store)
      .update(id, row =>
        row.runner === runner && row.lease !== null
          ? { ...row, lease: new Date(now().getTime() + leaseMs).toISOString() }
          : row,
      )
      .catch(() => undefined)
  const timer = setInterval(renew, renewMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** The notes of a method on a refund. Only the process that holds the record may add to them. */
const openNotes = (
  store: Store,
  row: PaymentRow,
  runner: string,
  allow: () => Promise<void>,
): RefundNotes => {
  const notes: RefundNotes = {
    last: row.refundNote ?? undefined,
    async note(text) {
      await allow()
      await store.transaction(async tx => {
        const held = await paymentRows(tx).get(row.id)
        if (held?.runner !== runner) throw notOwed('Another process works on this refund.')
        await paymentRows(tx).put({ ...held, refundNote: text })
      })
      notes.last = text
    },
  }
  return notes
}

/** True when a refund may already be on its way to a place. */
const isSending = ({ state, refundTo }: PaymentRow): boolean => state === 'refunding' && Boolean(refundTo)

/** Name a destination spends once, checked against the amount; undefined where a refund goes on, or to no invoice. */
const readRefundTo = async (
  store: Store,
  methods: readonly PaymentMethod[],
  id: string,
  to: string,
): Promise<string | undefined> => {
  const row = await byReceipt(store, id)
  if (!row || row.state === 'refunded' || isSending(row)) return undefined
  return methodFor(methods, row)?.readRefundTo?.(row.amount, to)
}

/**
 * Gives an owed payment back to its payer and resolves to the transaction. Safe to repeat: what was given back is not
 * given twice, and a refund that broke off goes on under the same name. `served`: one that was answered may be given back
 * too, and one whose service follows the money elsewhere. `allow` is asked before each transfer that costs gas. Throws `not_found`, and `conflict` for what is not owed or being worked on.
 */
export const refund = async (
  store: Store,
  methods: readonly PaymentMethod[],
  id: string,
  now: () => Date = () => new Date(),
  to?: string,
  served = false,
  allow = async () => {},
): Promise<string> => {
  const runner = `refund:${randomBytes(6).toString('hex')}`
  let before: PaymentRow['state'] = 'owed'
  const log = to === undefined ? undefined : await readRefundTo(store, methods, id, to)
  const refunding = await store.transaction(async tx => {
    const row = await byReceipt(tx, id)
    if (!row) throw new ToolError('not_found', 'There is no payment with this receipt.')
    if (row.state === 'refunded') return row
    if (row.state === 'done' && !served)
      throw new ToolError('conflict', 'This payment is done, not owed: it was answered.', {
        hint: 'To give it back all the same: octagent refund <id> --served.',
      })
    if (row.isFollowed && !served)
      throw new ToolError(
        'conflict',
        `The money of this payment went to ${row.payTo}, and ${row.service} follows it there: a refund could pay it twice.`,
        {
          reason: 'money_elsewhere',
          hint: `Look first at what ${row.service} says of it. To pay it from the refund key all the same: octagent refund <id> --served.`,
        },
      )
    if (row.spentElsewhere && !served)
      throw new ToolError(
        'conflict',
        'The transfer of this payment was spent on something else: a refund would pay it twice.',
        { reason: 'money_elsewhere', hint: 'To pay it all the same: octagent refund <id> --served.' },
      )
    if (!['owed', 'paid', 'refunding', 'done'].includes(row.state))
      throw notOwed(`This payment is ${row.state}, not owed.`)
    before = row.state === 'done' ? 'done' : 'owed'
    if (!isLeft(row, now())) throw notOwed('This payment is being worked on; try again in a minute.')
    // A node pays an invoice once, so two debts that name the same one would end with one payment.
    if (log !== undefined && !isSending(row) && !(await spendLog(tx, log, `refund:${row.id}`)))
      throw new ToolError('conflict', 'This invoice was used before.', {
        reason: 'invoice_used',
        hint: 'Make a new invoice over the same amount.',
      })
    const lease = new Date(now().getTime() + leaseMs).toISOString()
    // Where it is being sent to stays, until it is sure that nothing went there: a second place would be paid, too.
    const refundTo = (isSending(row) ? row.refundTo : to) ?? null
    const updated = now().toISOString()
    const claimed: PaymentRow = { ...row, state: 'refunding', refundTo, runner, lease, updated }
    await paymentRows(tx).put(claimed)
    return claimed
  })
  if (refunding.state === 'refunded') return refunding.refund ?? ''
  const method = methodFor(methods, refunding)
  const letGo = { runner: null, lease: null }
  const stop = keepLease(store, refunding.id, runner, now)
  const notes = openNotes(store, refunding, runner, allow)
  try {
    if (!method)
      throw new ToolError('unavailable', `No payment method for ${refunding.network} is configured here.`)
    await requireHere(refunding, method)
    const transaction = sentBack(
      await method.refund(
        id,
        refunding.payer,
        refunding.amount,
        refunding.refundTo ?? undefined,
        refunding.asset,
        notes,
      ),
    )
    const time = now().toISOString()
    await paymentRows(store).update(refunding.id, row => ({
      ...row,
      ...letGo,
      state: 'refunded',
      refund: transaction,
      updated: time,
      ...watchRefund(method, now()),
    }))
    return transaction
  } catch (error) {
    // Where nothing was sent, the payer may still have the answer: the debt is what it was.
    const isRefused = error instanceof ToolError && error.code === 'invalid_input'
    const isNoted = method?.refundsFrom !== undefined
    const nothingSent =
      isRefused ||
      error instanceof NeedsAddress ||
      error instanceof NotSent ||
      error instanceof NotHere ||
      (isNoted && notes.last === undefined)
    const back = nothingSent ? { ...letGo, state: before, refundTo: null } : letGo
    await paymentRows(store).update(refunding.id, row => (row.runner === runner ? { ...row, ...back } : row))
    throw error
  } finally {
    stop()
  }
}
