/** Whether this is the long run: `STRESS=1`, as CI has it. */
export const isStress = process.env.STRESS === '1'

/**
 * How often a random walk is walked: `full` times with `STRESS=1`, else a tenth of it, but never below `floor`, which is what
 * it needs to find the fault it was written for.
 */
export const runs = (full: number, floor = 1): number =>
  isStress ? full : Math.min(full, Math.max(floor, Math.ceil(full / 10)))
