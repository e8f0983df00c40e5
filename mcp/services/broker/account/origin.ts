import { ToolError } from '../../../kernel/error.ts'
import { registrationsPerDay } from '../../../kernel/origin.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { accountsIn } from './account.ts'

/** Accounts without a credit that one network address may leave behind. */
export const maxNeverFunded = 60

/** Days after which an account ends that never held a credit. */
export const unfundedDays = 30

/** A digest of the network address of a client, under the pepper: it tells two apart and names nobody. */
export const hashOrigin = (keys: Ports['keys'], client: string): string =>
  keys.hash(`broker client ${client}`)

const countNeverFunded = (tx: Pick<Tx, 'collection'>, origin: string): Promise<number> =>
  accountsIn(tx).count({ index: 'origin', where: { origin, funded: false } })

/**
 * True where what an address may register while a transaction runs, in two days at most, cannot bring it to its bound. Asked outside of
 * the transaction: on PostgreSQL, who counts in an index is in the way of all who insert beside it.
 */
export const hasAmpleRoom = async (store: Pick<Tx, 'collection'>, origin: string): Promise<boolean> =>
  (await countNeverFunded(store, origin)) + 2 * registrationsPerDay < maxNeverFunded

/**
 * Throws 429 where an address leaves too many accounts behind that never held a credit. Counted in the store, so that it holds
 * over replicas and restarts.
 */
export const requireRoom = async (tx: Tx, origin: string): Promise<void> => {
  if ((await countNeverFunded(tx, origin)) < maxNeverFunded) return
  throw new ToolError(
    'too_many_requests',
    `This network address has ${maxNeverFunded} accounts that never held a credit; each ends after ${unfundedDays} days.`,
    {
      reason: 'unfunded_accounts',
      retryAfter: 86_400,
      hint: 'Use an account that you have, or open one by paying for credits without a key.',
      next: ['add_credits'],
    },
  )
}
