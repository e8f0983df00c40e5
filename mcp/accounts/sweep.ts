import { deleteRows } from '../kernel/collection.ts'
import { accountKeysIn } from '../kernel/person.ts'
import type { Clock } from '../ports/clock/port.ts'
import type { Store } from '../ports/store/port.ts'
import { accountsIn } from './account.ts'
import { challengesIn } from './challenge.ts'
import { browserSessionsIn } from './session.ts'

type Sweep = { store: Store; clock: Clock; signal: AbortSignal }

/** Drops challenges that nobody answered in time, and sessions that are over. */
export const sweepSignIns = async ({ store, clock, signal }: Sweep): Promise<void> => {
  const query = { index: 'expires', where: { expires_at: { lt: clock.now().toISOString() } } }
  await deleteRows(challengesIn(store), query, signal)
  await deleteRows(browserSessionsIn(store), query, signal)
}

/** How many there are, for the operator. */
export const countAccounts = async ({ store }: Pick<Sweep, 'store'>) => ({
  accounts: await accountsIn(store).count(),
  keys: await accountKeysIn(store).count(),
  sessions: await browserSessionsIn(store).count(),
  sign_ins_under_way: await challengesIn(store).count(),
})
