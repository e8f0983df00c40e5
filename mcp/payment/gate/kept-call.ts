import { createHmac } from 'node:crypto'
import { collection, deleteRows } from '../../kernel/collection.ts'
import { dayMs } from '../../lib/time.ts'
import type { Clock } from '../../ports/clock/port.ts'
import type { Store } from '../../ports/store/port.ts'
import { digest } from './digest.ts'
import type { Encryption } from './encryption.ts'

/** A call whose payment is being confirmed, as it came. `record` names the payment; credentials are never part of it. */
export type KeptCall = {
  record: string
  service: string
  tool: string
  input: unknown
  resource: string
}

export type KeptCalls = {
  /** Resolves to the handle by which the client of the call collects its answer. */
  keep(call: KeptCall): Promise<string>
  find(handle: string): Promise<KeptCall | undefined>
}

/** `id` is the digest of the handle, which is nowhere here. */
type CallRow = { id: string; sealed: string; until: string }

const keptDays = 30

const callsIn = collection<CallRow>({
  name: 'payment.calls',
  indexes: [{ name: 'until', fields: ['until'] }],
  archive: { afterHours: 1 },
  bounded: 'One for each payment that was being confirmed when its call was answered, for 30 days.',
})

type Deps = { store: Store; clock: Clock; hmacKey: Buffer; encryption: Encryption }

/**
 * Keeps calls for whoever has their handles: 256 bits made from the payment's record, which only the client that brought the payment is
 * told. It is the same one each time, so that a payment has one row however often it is asked for.
 */
export const openKeptCalls = ({ store, clock, hmacKey, encryption }: Deps): KeptCalls => {
  const toHandle = (record: string): string =>
    createHmac('sha256', hmacKey).update(`payment call ${record}`).digest('base64url')
  return {
    async keep(call) {
      const handle = toHandle(call.record)
      const sealed = encryption.close(JSON.stringify(call))
      const until = new Date(clock.now().getTime() + keptDays * dayMs).toISOString()
      await callsIn(store).insert({ id: digest('payment call', handle), sealed, until })
      return handle
    },
    async find(handle) {
      const row = await callsIn(store).get(digest('payment call', handle))
      const text = row && encryption.open(row.sealed)
      return text === undefined ? undefined : (JSON.parse(text) as KeptCall)
    },
  }
}

/** Drops calls that nobody has collected in time. */
export const pruneCalls = async (store: Store, clock: Clock, signal: AbortSignal): Promise<void> => {
  const where = { until: { lt: clock.now().toISOString() } }
  await deleteRows(callsIn(store), { index: 'until', where }, signal)
}
