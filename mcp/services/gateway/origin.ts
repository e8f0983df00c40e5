import { ToolError } from '../../kernel/error.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Tx } from '../../ports/store/port.ts'

/** A digest of the network address of a client, under the pepper: it tells two apart and names nobody. */
export const hashOrigin = (keys: Ports['keys'], client: string): string =>
  keys.hash(`gateway client ${client}`)

type Countable = Pick<ReturnType<Tx['collection']>, 'count'>

type Room = {
  rows: Countable
  /** An index and what it is asked for; its rows are counted. */
  index: string
  where: NonNullable<NonNullable<Parameters<Countable['count']>[0]>['where']>
  max: number
  /** Text of the refusal, its reason, and the seconds until it is worth to ask again. */
  detail: string
  reason: string
  seconds: number
  hint: string
}

/** Throws 429 where as many rows are there as one address may have. Counted in the store, over all replicas. */
export const requireRoom = async ({ rows, max, detail, ...room }: Room): Promise<void> => {
  const { index, where, reason, seconds, hint } = room
  if ((await rows.count({ index, where })) < max) return
  throw new ToolError('too_many_requests', detail, { reason, retryAfter: seconds, hint })
}

/** A time so many milliseconds ago, as rows have it. */
export const ago = (now: Date, ms: number): string => new Date(now.getTime() - ms).toISOString()
