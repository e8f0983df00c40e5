import { ToolError } from '../../kernel/error.ts'

/** How many may wait for a slot. */
const maxWaiting = 64

/** Lets so many work at once, each under a number of its own; refuses who would wait behind too many. */
export const openSlots = (size: number) => {
  const idle = Array.from({ length: size }, (_, slot) => slot)
  const waiting: ((slot: number) => void)[] = []
  const take = (): Promise<number> => {
    const slot = idle.pop()
    if (slot !== undefined) return Promise.resolve(slot)
    if (waiting.length >= maxWaiting)
      throw new ToolError('unavailable', 'Too many runs are waiting.', { hint: 'Repeat in some seconds.' })
    return new Promise(resolve => waiting.push(resolve))
  }
  const give = (slot: number) => {
    const next = waiting.shift()
    if (next) next(slot)
    else idle.push(slot)
  }
  return {
    /** Runs something under a slot's number. */
    async within<T>(work: (slot: number) => Promise<T>): Promise<T> {
      const slot = await take()
      try {
        return await work(slot)
      } finally {
        give(slot)
      }
    },
  }
}
