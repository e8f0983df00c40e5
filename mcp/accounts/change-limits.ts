import { ToolError } from '../kernel/error.ts'
import { formatUsd } from '../lib/usd.ts'
import type { Tx } from '../ports/store/port.ts'
import { requireUsd } from './amount.ts'
import { limitsIn, type SpendingLimits } from './limits.ts'

/** Limits as a person writes them: dollars, or nothing for no limit of that kind. */
export type WrittenLimits = { per_call: string; per_day: string; services: readonly string[] | null }

/** Dollars as a person writes them down; null for no limit. */
export const readAmount = (text: string, field: string): string | null =>
  text.trim() === '' ? null : formatUsd(requireUsd(text, field))

/** Throws `invalid_input` for a service that is none of these. */
export const checkServices = (services: readonly string[] | null, known: readonly string[]): void => {
  const unknown = services?.find(slug => !known.includes(slug))
  if (unknown !== undefined)
    throw new ToolError('invalid_input', 'services: there is no such service.', {
      issues: [{ path: 'services', message: 'no such service' }],
    })
}

/** The limits of every client of an account, by the client's name. */
export const listLimits = async (tx: Pick<Tx, 'collection'>, account: string): Promise<SpendingLimits[]> => {
  const { rows } = await limitsIn(tx).find({ index: 'account', where: { account }, limit: 1000 })
  return rows.sort((a, b) => a.client.name.localeCompare(b.client.name))
}

/**
 * Changes what a client of this account may spend; calls that are held already stay. Throws `not_found` for a client of somebody
 * else, `invalid_input` for what is no amount or service.
 */
export const changeLimits = async (
  tx: Tx,
  {
    account,
    grant,
    serviceSlugs,
    now,
  }: { account: string; grant: string; serviceSlugs: readonly string[]; now: Date },
  { per_call, per_day, services }: WrittenLimits,
): Promise<SpendingLimits> => {
  const row = await limitsIn(tx).get(grant)
  if (row?.account !== account) throw new ToolError('not_found', 'Your account has no such client.')
  checkServices(services, serviceSlugs)
  const changed: SpendingLimits = {
    ...row,
    per_call: readAmount(per_call, 'per_call'),
    per_day: readAmount(per_day, 'per_day'),
    services,
    updated_at: now.toISOString(),
  }
  await limitsIn(tx).put(changed)
  return changed
}
