import { randomBytes } from 'node:crypto'

/** An id such as `task_…` that rises with time, to the millisecond, and cannot be guessed. */
export const newId = (prefix: string, now: Date): string =>
  `${prefix}_${now.getTime().toString(36).padStart(9, '0')}${randomBytes(12).toString('hex')}`
