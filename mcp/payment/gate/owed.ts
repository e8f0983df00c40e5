import { randomBytes } from 'node:crypto'
import { ToolError } from '../../kernel/error.ts'
import type { Store } from '../../ports/index.ts'
import type { PaymentMethod, RefundResult } from '../method.ts'
import { leaseMs } from './payment-records.ts'
import { type PaymentRow, paymentRows } from './record.ts'

/** A payment whose work was not done, as the operator sees it. `id` is that of the receipt, `words` the amount as people read it. */
export type Owed = Pick<
  PaymentRow,
  'service' | 'tool' | 'method' | 'network' | 'asset' | 'amount' | 'payer' | 'transaction' | 'state'
> & { id: string; since: string; words: string }

const toOwed = (row: PaymentRow, methods: readonly PaymentMethod[]): Owed => {
  const { receipt, service, tool, method, network, asset, amount, payer, transaction, state, updated } = row
  const owner = methods.find(({ id, network: own }) => id === method && own === network)
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

const isLeft = ({ lease }: PaymentRow, now: Date): boolean => lease === null || lease < now.toISOString()

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
      const abandoned = page.rows.filter(row => isLeft(row, now))
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
    super('upstream', `The refund was not sent: ${detail}.`, { hint: 'Name another place with --to.' })
  }
}

/** The transaction or entry of a refund; what waits for an address is refused with what is missing. */
const sentBack = (refunded: RefundResult): string => {
  if (refunded.state === 'sent') return refunded.transaction
  if (refunded.state === 'credited') return refunded.entry
  if (refunded.state === 'failed') throw new NotSent(refunded.detail)
  throw new NeedsAddress(refunded.what)
}

/**
 * Gives an owed payment back to its payer and resolves to the transaction. Safe to repeat: what was given back is not
 * given twice, and a refund that broke off goes on under the same name. `served`: one that was answered may be given back
 * too. Throws `not_found`, and `conflict` for what is not owed or being worked on.
 */
export const refund = async (
  store: Store,
  methods: readonly PaymentMethod[],
  id: string,
  now: () => Date = () => new Date(),
  to?: string,
  served = false,
): Promise<string> => {
  const runner = `refund:${randomBytes(6).toString('hex')}`
  let before: PaymentRow['state'] = 'owed'
  const refunding = await store.transaction(async tx => {
    const row = await byReceipt(tx, id)
    if (!row) throw new ToolError('not_found', 'There is no payment with this receipt.')
    if (row.state === 'refunded') return row
    if (row.state === 'done' && !served)
      throw new ToolError('conflict', 'This payment is done, not owed: it was answered.', {
        hint: 'To give it back all the same: octagent refund <id> --served.',
      })
    if (!['owed', 'paid', 'refunding', 'done'].includes(row.state))
      throw notOwed(`This payment is ${row.state}, not owed.`)
    before = row.state === 'done' ? 'done' : 'owed'
    if (!isLeft(row, now())) throw notOwed('This payment is being worked on; try again in a minute.')
    const lease = new Date(now().getTime() + leaseMs).toISOString()
    // Where it is being sent to stays, until it is sure that nothing went there: a second place would be paid, too.
    const refundTo = (row.state === 'refunding' && row.refundTo) || to || null
    const updated = now().toISOString()
    const claimed: PaymentRow = { ...row, state: 'refunding', refundTo, runner, lease, updated }
    await paymentRows(tx).put(claimed)
    return claimed
  })
  if (refunding.state === 'refunded') return refunding.refund ?? ''
  const method = methods.find(({ id, network }) => id === refunding.method && network === refunding.network)
  const letGo = { runner: null, lease: null }
  try {
    if (!method)
      throw new ToolError('unavailable', `No payment method for ${refunding.network} is configured here.`)
    const transaction = sentBack(
      await method.refund(
        id,
        refunding.payer,
        refunding.amount,
        refunding.refundTo ?? undefined,
        refunding.asset,
      ),
    )
    const time = now().toISOString()
    await paymentRows(store).update(refunding.id, row => ({
      ...row,
      ...letGo,
      state: 'refunded',
      refund: transaction,
      updated: time,
    }))
    return transaction
  } catch (error) {
    // Where nothing was sent, the payer may still have the answer: the debt is what it was.
    const isRefused = error instanceof ToolError && error.code === 'invalid_input'
    const nothingSent = isRefused || error instanceof NeedsAddress || error instanceof NotSent
    const back = nothingSent ? { ...letGo, state: before, refundTo: null } : letGo
    await paymentRows(store).update(refunding.id, row => (row.runner === runner ? { ...row, ...back } : row))
    throw error
  }
}
