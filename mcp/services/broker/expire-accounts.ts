import { job } from '../../kernel/job.ts'
import { dayMs } from '../../lib/time.ts'
import type { Ports } from '../../ports/ports.ts'
import { type Account, accountsIn, keyPrefix, registrationsIn, unfundedDays } from './account.ts'
import { listingState, listingsIn } from './listing.ts'

/** Ends one account with its listings, unless it was funded meanwhile or one of them is live. */
const end = (
  { store, keys }: Pick<Ports, 'store' | 'keys'>,
  { id, registration }: Account,
  now: Date,
): Promise<void> =>
  store.transaction(async tx => {
    const account = await accountsIn(tx).get(id)
    if (!account || account.funded) return
    const { rows } = await listingsIn(tx).find({ index: 'owner', where: { account: id }, limit: 100 })
    if (rows.some(listing => listingState(listing, now) === 'live')) return
    for (const listing of rows) await listingsIn(tx).delete(listing.id)
    if (registration) await registrationsIn(tx).delete(registration)
    await accountsIn(tx).delete(id)
    await keys.revoke(tx, { prefix: keyPrefix, holder: id })
  })

/**
 * Ends accounts that never held a credit, 30 days after they were opened. Without credits an account has had no deal and no
 * negotiation of its own, so that nobody else's affairs go with it.
 */
export const expireAccounts = job({
  name: 'expire-accounts',
  every: 3600,
  needs: ['store', 'clock', 'keys'],
}).run(async ({ store, clock, keys, signal }) => {
  const now = clock.now()
  const lte = new Date(now.getTime() - unfundedDays * dayMs).toISOString()
  const query = { index: 'funded', where: { funded: false, created_at: { lte } }, limit: 100 }
  for (let after: string | undefined; !signal.aborted; ) {
    const { rows, next } = await accountsIn(store).find({ ...query, ...(after !== undefined && { after }) })
    for (const account of rows) await end({ store, keys }, account, now)
    if (next === undefined) return
    after = next
  }
})
