import { StoreFailure } from '../index.ts'

/** The database asks to run the transaction again. It never leaves the store. */
export class Conflict extends Error {
  override readonly name = 'Conflict'
}

/** The code of what `pg` or a socket threw; empty when it has none. */
export const errorCode = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''

/** A relation that another replica has renamed, because it declared more indexes. See `catalog.ts`. */
export const isStale = (thrown: unknown): boolean => errorCode(thrown) === '42P01'

/** Equal values under a unique index. */
export const isDuplicate = (thrown: unknown): boolean => errorCode(thrown) === '23505'

/**
 * Serialisation failure, deadlock, a lock that was not to be had in time, or a unique value that another transaction
 * took after our snapshot: every statement of the store looks before it writes, so a 23505 is always such a race.
 */
const isConflict = (thrown: unknown): boolean =>
  ['40001', '40P01', '55P03', '23505', '42P01'].includes(errorCode(thrown))

/** A statement that the database understands and refuses: waiting does not help. All else may be over in a while. */
const isLasting = (thrown: unknown): boolean => /^(0A|21|22|23|26|42|44)...$/.test(errorCode(thrown))

/** What `pg` throws as `Conflict` or `StoreFailure`; the address and its password are never part of the message. */
export const toStoreError = (thrown: unknown): Conflict | StoreFailure => {
  if (thrown instanceof Conflict || thrown instanceof StoreFailure) return thrown
  const reason = thrown instanceof AggregateError ? thrown.errors[0] : thrown
  const message = reason instanceof Error ? reason.message : String(reason)
  if (isConflict(thrown)) return new Conflict(message, { cause: thrown })
  return new StoreFailure(`PostgreSQL: ${message || errorCode(thrown) || 'the connection failed'}`, {
    cause: thrown,
    lasting: isLasting(thrown),
  })
}
