import { collection, deleteRows } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { dayMs } from '../../lib/time.ts'
import type { Clock } from '../../ports/clock/port.ts'
import type { Store, Tx } from '../../ports/store/port.ts'
import type { Charge } from '../charge.ts'
import { digest } from './digest.ts'
import { type PaymentRow, paymentRows } from './record.ts'

/** A second name for a payment: the `Idempotency-Key` that its payer sent with it, for a day. */
type KeyRow = { id: string; request: string; payment: string; until: string }

const indexes = [{ name: 'until', fields: ['until'] }]

const keysIn = collection<KeyRow>({
  name: 'payment.keys',
  indexes,
  archive: { afterHours: 1 },
  bounded: 'One for each payment under an Idempotency-Key, for 24 hours.',
})

/** The key of this call names an earlier payment of the same payer, so that nothing more must be paid. */
export class NamesPayment extends Error {
  override readonly name = 'NamesPayment'
  readonly row: PaymentRow

  constructor(row: PaymentRow) {
    super('the key names an earlier payment')
    this.row = row
  }
}

const toKeyId = ({ service, tool, caller, idempotencyKey }: Charge, payer: string): string =>
  digest('payment key', service.slug, tool.name, caller?.id ?? null, payer, idempotencyKey)

/** A payment that moved no money, or gave it back, holds no key. */
const holdsKey = ({ state }: PaymentRow): boolean =>
  state !== 'failed' && state !== 'lost' && state !== 'refunding' && state !== 'refunded'

/**
 * Binds the key of a call to its payment, within the transaction that reserves it. A key belongs to the payer that was
 * verified: another payer's is another key. Throws NamesPayment for the same call, `conflict` for another one.
 */
export const bindKey = async (
  tx: Tx,
  charge: Charge,
  { id: payment, request, payer }: Pick<PaymentRow, 'id' | 'request' | 'payer'>,
  now: Date,
): Promise<void> => {
  if (charge.idempotencyKey === undefined) return
  const id = toKeyId(charge, payer)
  const before = await keysIn(tx).get(id)
  if (before && before.payment !== payment && before.until > now.toISOString()) {
    const row = await paymentRows(tx).get(before.payment)
    if (row && holdsKey(row)) {
      if (row.request === request) throw new NamesPayment(row)
      throw new ToolError('conflict', 'This idempotency key belongs to a call with another input.', {
        hint: 'Nothing was charged. Use a new Idempotency-Key for a new call.',
        charged: false,
      })
    }
  }
  await keysIn(tx).put({ id, request, payment, until: new Date(now.getTime() + dayMs).toISOString() })
}

/** Drops keys whose day is over. */
export const pruneKeys = async (store: Store, clock: Clock, signal: AbortSignal): Promise<void> => {
  const where = { until: { lt: clock.now().toISOString() } }
  await deleteRows(keysIn(store), { index: 'until', where }, signal)
}
