import { randomBytes } from 'node:crypto'

/** An id such as `tsk_…` that rises with time, to the millisecond, and cannot be guessed. */
export const newId = (
  prefix: 'task' | 'app' | 'sub' | 'dsp' | 'wdr' | 'pay' | 'ses' | 'file' | 'que',
  now: Date,
): string => `${prefix}_${now.getTime().toString(36).padStart(9, '0')}${randomBytes(12).toString('hex')}`
