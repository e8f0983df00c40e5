/** Whether this is the long run: `STRESS=1`. */
export const isStress = process.env.STRESS === '1'

/** Whether random walks take new seeds: `npm run test:full`. Everything else walks the same way each time. */
export const isRandom = process.env.SEEDS === 'random'

/**
 * How often a random walk is walked: `full` times with `STRESS=1`, else a twentieth of it, but never below `floor`, which is what
 * it needs to find the fault it was written for.
 */
export const runs = (full: number, floor = 1): number =>
  isStress ? full : Math.min(full, Math.max(floor, Math.ceil(full / 20)))

/** All rows of a long table with `STRESS=1`, else `count` of them, the last one always, the others spread evenly before it. */
export const sample = <Row>(rows: readonly Row[], count: number): Row[] =>
  rows.filter(
    (_, index) =>
      isStress || Math.floor(((index + 1) * count) / rows.length) > Math.floor((index * count) / rows.length),
  )
