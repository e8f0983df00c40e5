import type { Tx } from '../../../ports/store/port.ts'
import type { Role, Status } from '../task/status.ts'
import type { Task } from '../task/task.ts'
import {
  abandonmentWeight,
  loadScore,
  type ReputationScore,
  scoresIn,
  valueWeight,
  withOutcome,
} from './score.ts'

type Ending = { to: Status; role: Role; workerPercent: number; now: Date }

type Outcome = { kind: 'approved' | 'decided' | 'rejected' | 'abandoned'; success: number; factor: number }

/** Outcome of an end for the worker; undefined where there is none, as when the publisher gave up. */
const outcomeFor = ({ status }: Task, { to, role, workerPercent }: Ending): Outcome | undefined => {
  if (status === 'disputed') return { kind: 'decided', success: workerPercent / 100, factor: 1 }
  if (to === 'completed') return { kind: 'approved', success: 1, factor: 1 }
  if (to === 'expired' && status === 'verifying') return { kind: 'rejected', success: 0, factor: 1 }
  const isLeft = to === 'expired' && (status === 'accepted' || status === 'in_progress')
  if (isLeft || (to === 'cancelled' && role === 'assigned'))
    return { kind: 'abandoned', success: 0, factor: abandonmentWeight }
  return undefined
}

const secondsSince = (from: string | undefined, now: Date): number[] =>
  from === undefined ? [] : [Math.round((now.getTime() - Date.parse(from)) / 1000)]

const withEnd = (
  score: ReputationScore,
  before: Task,
  after: Task,
  end: Ending,
  outcome: Outcome,
): ReputationScore => {
  const { kind, success, factor } = outcome
  const weight = valueWeight(BigInt(before.funds.bounty)) * factor
  const counted = withOutcome(score, { weight, success, at: end.now.toISOString() })
  const paid = BigInt(after.funds.released) - BigInt(before.funds.released)
  const isCompleted = end.to === 'completed'
  return {
    ...counted,
    completed: counted.completed + (isCompleted ? 1 : 0),
    approved: counted.approved + (kind === 'approved' ? 1 : 0),
    rejected: counted.rejected + (kind === 'rejected' ? 1 : 0),
    abandoned: counted.abandoned + (kind === 'abandoned' ? 1 : 0),
    expired: (counted.expired ?? 0) + (end.to === 'expired' && !before.reached.submitted ? 1 : 0),
    disputes_lost: counted.disputes_lost + (kind === 'decided' && success < 0.5 ? 1 : 0),
    durations: isCompleted
      ? [...counted.durations, ...secondsSince(before.reached.accepted, end.now)].slice(-50)
      : counted.durations,
    earned: (BigInt(counted.earned) + paid).toString(),
  }
}

/** Counts the end of a task in the reputation of its worker and its publisher. */
export const countEnd = async (tx: Tx, before: Task, after: Task, end: Ending): Promise<void> => {
  const outcome = outcomeFor(before, end)
  const spent = BigInt(after.funds.released) - BigInt(before.funds.released)
  if (before.worker !== null && (outcome || spent > 0n)) {
    const score = await loadScore(tx, before.worker)
    // A kill fee is earned, and says nothing of the worker.
    const paid = { ...score, earned: (BigInt(score.earned) + spent).toString() }
    await scoresIn(tx).put(outcome ? withEnd(score, before, after, end, outcome) : paid)
  }
  if (end.to !== 'completed' && spent === 0n) return
  const score = await loadScore(tx, before.publisher)
  await scoresIn(tx).put({
    ...score,
    publisher_completed: score.publisher_completed + (end.to === 'completed' ? 1 : 0),
    spent: (BigInt(score.spent) + spent).toString(),
  })
}
