import { ToolError } from '../../../kernel/error.ts'
import type { Ports, Tx } from '../../../ports/index.ts'
import { accountsIn } from './account.ts'

/** What one network address may open and leave behind. */
export const perAddress = { aDay: 20, neverFunded: 60 } as const

/** Days after which an account ends that never held a credit. */
export const unfundedDays = 30

const dayMs = 86_400_000

/** A digest of the network address of a client, under the pepper: it tells two apart and names nobody. */
export const originOf = (keys: Ports['keys'], client: string): string => keys.hash(`broker client ${client}`)

const refuse = (detail: string, reason: string, seconds: number): ToolError =>
  new ToolError('too_many_requests', detail, {
    reason,
    retryAfter: seconds,
    hint: 'Use an account that you have, or open one by paying at POST /v1/account/credits without a key.',
  })

/**
 * Throws 429 where an address has opened its accounts of the last 24 hours, or leaves too many behind that never held a
 * credit. Counted in the store, so that it holds over replicas and restarts.
 */
export const requireRoom = async (tx: Tx, origin: string, now: Date): Promise<void> => {
  const accounts = accountsIn(tx)
  const created_at = { gt: new Date(now.getTime() - dayMs).toISOString() }
  const of = (funded: boolean, more = {}) =>
    accounts.count({ index: 'origin', where: { origin, funded, ...more } })
  if ((await of(false, { created_at })) + (await of(true, { created_at })) >= perAddress.aDay)
    throw refuse(
      `This network address has opened ${perAddress.aDay} accounts within 24 hours.`,
      'registrations_of_the_day',
      3600,
    )
  if ((await of(false)) >= perAddress.neverFunded)
    throw refuse(
      `This network address has ${perAddress.neverFunded} accounts that never held a credit; each ends after ${unfundedDays} days.`,
      'unfunded_accounts',
      dayMs / 1000,
    )
}
