import { StoreFailure } from '../index.ts'

/** True when the disk has no room left. */
export const isFull = (cause: unknown): boolean => {
  const { code = '', cause: deeper } = cause as NodeJS.ErrnoException
  return (
    ['ENOSPC', 'EDQUOT'].includes(code) ||
    (cause instanceof StoreFailure && deeper !== undefined && isFull(deeper))
  )
}

/** Why the store stops, or waits for room on the disk, in words for the operator. */
export const diskFailure = (cause: unknown): StoreFailure => {
  if (cause instanceof StoreFailure) return cause
  const { message } = cause as Error
  if (!isFull(cause))
    return new StoreFailure(
      `The disk failed (${message}). The store has stopped; no acknowledged write is lost. Check the disk and start again.`,
      { cause },
    )
  return new StoreFailure(
    `The disk is full (${message}). Writes are refused until there is room; no acknowledged write is lost. Free some space.`,
    { cause, away: { detail: 'The disk of the store is full. Nothing was written.', retryAfter: 10 } },
  )
}
