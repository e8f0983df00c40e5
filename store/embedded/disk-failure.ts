import { StoreFailure } from '../index.ts'

/** Whether the disk has no room left. */
export const isFull = (cause: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((cause as NodeJS.ErrnoException).code ?? '')

/** Why the store stops, in words for the operator. */
export const diskFailure = (cause: unknown): StoreFailure => {
  if (cause instanceof StoreFailure) return cause
  const { message } = cause as Error
  const full = isFull(cause)
  const what = full ? 'The disk is full' : 'The disk failed'
  const hint = full ? 'Free some space' : 'Check the disk'
  const text = `${what} (${message}). The store has stopped; no acknowledged write is lost. ${hint} and start again.`
  return new StoreFailure(text, { cause })
}
