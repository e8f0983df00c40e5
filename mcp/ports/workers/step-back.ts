import { setPriority } from 'node:os'

/** Enough that the server's thread wakes before a worker, and not so much that a worker starves on a busy machine. */
const nice = 5

/**
 * Lets the server's own thread go first where it and the calling worker want the same processor. Linux has a priority for each thread;
 * elsewhere it is that of the whole program, and stays.
 */
export const stepBack = (): void => {
  if (process.platform !== 'linux') return
  try {
    setPriority(nice)
  } catch {
    // Where a sandbox forbids it, work is done all the same.
  }
}
