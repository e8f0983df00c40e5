import { type Conflict, Diverted } from './failure.ts'
import { openHotKeys } from './hot-keys.ts'
import { type LaneTurn, openLanes } from './lanes.ts'
import { retry } from './retry.ts'
import { attemptAll, attemptTransaction, type Transactor, type Work } from './transaction.ts'

type Run<R> = Work<R>['run']
type WaitingTurn = LaneTurn & { work: Work<unknown> }

/** Conflicts after which a transaction goes through the lanes of all that it writes, hot or not. */
const patience = 2
/** More rows than that are not worth a lane each: all such transactions share one. */
const maxLanes = 50
const wideLane = '*'

/**
 * Runs transactions until they are through. Those that write a row which many write take turns before they begin, and share their
 * commits; all others run at once, and again after a conflict.
 */
export const openTransact = (transactor: Transactor, onConflict: (conflict: Conflict) => void) => {
  const hot = openHotKeys()
  const lanes = openLanes<WaitingTurn>(transactor.connections, transactor.schema, hot, turns =>
    attemptAll(
      transactor,
      turns.map(({ work }) => work),
    ),
  )

  const runIn = <R>(keys: readonly string[], work: Work<R>): Promise<R> => {
    const [key] = keys
    const alone = () => attemptTransaction(transactor, work)
    if (key === undefined) return alone()
    if (keys.length > 1) return lanes.through(keys, alone)
    return new Promise<R>((resolve, reject) =>
      lanes.pass(key, { work, alone, resolve: resolve as LaneTurn['resolve'], reject }),
    )
  }

  /** One try, begun again for each lane that it turns out to need; there are no more of those than rows that it touches. */
  const tryIn = async <R>(held: readonly string[], run: Run<R>, written: Set<string>): Promise<R> => {
    const keys = new Set(held)
    for (;;) {
      const touch: Work<R>['touch'] = (key, verb) => {
        if (verb === 'write') written.add(key)
        if (keys.size < maxLanes && !keys.has(key) && !keys.has(wideLane) && hot.isHot(key))
          throw new Diverted(key)
      }
      try {
        return await runIn([...keys], { run, touch })
      } catch (error) {
        if (!(error instanceof Diverted)) throw error
        keys.add(error.key)
      }
    }
  }

  return <R>(run: Run<R>): Promise<R> => {
    const by = Symbol('transaction')
    let written = new Set<string>()
    return retry(
      async conflicts => {
        const lanesNeeded = conflicts < patience ? [] : written.size > maxLanes ? [wideLane] : [...written]
        const before = written
        written = new Set()
        try {
          return await tryIn(lanesNeeded, run, written)
        } finally {
          if (written.size === 0) written = before
        }
      },
      conflict => {
        hot.fought(by, written)
        onConflict(conflict)
      },
    )
  }
}

export type Transact = ReturnType<typeof openTransact>
