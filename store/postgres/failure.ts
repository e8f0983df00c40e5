import { movingFailure, StoreFailure } from '../index.ts'

/** The database asks to run the transaction again. It never leaves the store. */
export class Conflict extends Error {
  override readonly name = 'Conflict'
}

/** A transaction came to a row that many write: it is to begin again in the lane of that row. It never leaves the store. */
export class Diverted extends Error {
  override readonly name = 'Diverted'
  readonly key: string

  constructor(key: string) {
    super(`"${key}" is written by many`)
    this.key = key
  }
}

/** The code of what `pg` or a socket threw; empty when it has none. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** A relation that another replica has renamed, because it declared more indexes. See `catalog.ts`. */
export const isMissingRelation = (error: unknown): boolean => errorCode(error) === '42P01'

/** Equal values under a unique index. */
export const isDuplicate = (error: unknown): boolean => errorCode(error) === '23505'

/**
 * Serialisation failure, deadlock, a lock that was not to be had in time, or a unique value that another transaction
 * took after our snapshot: every statement of the store looks before it writes, so a 23505 is always such a race.
 */
const isConflict = (error: unknown): boolean =>
  ['40001', '40P01', '55P03', '23505', '42P01'].includes(errorCode(error))

/** Code the triggers of `moving.ts` raise. */
export const movingCode = 'OCTMV'

/** A statement that the database understands and refuses: waiting does not help. All else may be over in a while. */
const isLasting = (error: unknown): boolean => /^(0A|21|22|23|26|42|44)...$/.test(errorCode(error))

/** Maps errors of `pg` to `Conflict` or `StoreFailure`; the address and its password are never part of the message. */
export const toStoreError = (error: unknown): Conflict | StoreFailure => {
  if (error instanceof Conflict || error instanceof StoreFailure) return error
  if (errorCode(error) === movingCode) return movingFailure(error)
  const reason = error instanceof AggregateError ? error.errors[0] : error
  const message = reason instanceof Error ? reason.message : String(reason)
  if (isConflict(error)) return new Conflict(message, { cause: error })
  return new StoreFailure(`PostgreSQL: ${message || errorCode(error) || 'the connection failed'}`, {
    cause: error,
    lasting: isLasting(error),
  })
}
