import { job } from '../../../kernel/job.ts'
import { channels } from '../channel/port.ts'
import { tasksSettings } from '../config.ts'
import { loadTask } from '../task/load.ts'
import { advanceSession } from './advance.ts'
import type { SessionDeps } from './deps.ts'
import { type Session, sessionsIn } from './session.ts'
import { drainSession, tickSession } from './tick.ts'

/** Brings the meter of an open session up to now, and closes it where nothing more is to come. */
const tickDue = (deps: SessionDeps, { id }: Session): Promise<Session | undefined> =>
  deps.store.transaction(async tx => {
    const current = await sessionsIn(tx).get(id)
    const now = deps.clock.now()
    if (current?.state !== 'open') return current
    const ticked = await tickSession(tx, current, { now, idleMs: deps.sessionIdle * 1000 })
    const { status } = await loadTask(tx, ticked.task)
    if (status !== 'in_progress')
      return drainSession(tx, ticked, { now, reason: 'work on the task has ended' })
    if (ticked.running_since === null && ticked.idle_at <= now.toISOString())
      return drainSession(tx, ticked, { now, reason: 'no voucher came' })
    return ticked
  })

/** True when a session needs the chain. */
const needsChain = (session: Session, now: Date): boolean =>
  session.state !== 'open' || session.pending !== null || session.watch_at <= now.toISOString()

/** Runs what is due of one session. */
export const runSession = async (deps: SessionDeps, session: Session): Promise<void> => {
  const ticked = await tickDue(deps, session)
  if (ticked && !ticked.ended && needsChain(ticked, deps.clock.now())) await advanceSession(deps, ticked.id)
}

/** Stops clocks that nobody pays for, settles and closes sessions that are over, and goes on with what was interrupted. */
export const runSessions = job({
  name: 'run-sessions',
  every: 5,
  timeout: 120,
  needs: ['store', 'clock', 'ledger', channels, tasksSettings.sessionIdle],
}).run(async ({ signal, ...deps }) => {
  const where = { ended: false, due: { lte: deps.clock.now().toISOString() } }
  const { rows } = await sessionsIn(deps.store).find({ index: 'due', where, limit: 100 })
  for (const row of rows) {
    if (signal.aborted) return
    await runSession(deps, row)
  }
})
