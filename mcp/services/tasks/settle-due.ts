import { job } from '../../kernel/job.ts'
import type { Tx } from '../../ports/store/port.ts'
import { applicationsIn } from './application.ts'
import { disputesIn, percentByFindings, resolveDispute } from './dispute.ts'
import { openEscrow } from './funding.ts'
import { dropHistory } from './history.ts'
import type { Escrow } from './money.ts'
import { endTask } from './move-task.ts'
import { questionsIn } from './question.ts'
import { submissionsIn } from './submission.ts'
import { systemMove, type Task, tasksIn, unfundedHours } from './task.ts'

const reasons = {
  published: 'nobody was assigned by the deadline',
  accepted: 'work did not begin by the deadline',
  in_progress: 'nothing was submitted in time',
  submitted: 'not reviewed within 48 hours',
  verifying: 'the rejection was not disputed in time',
  disputed: 'nobody decided in time',
} as const

/** Moves a task whose state is over: the worker is paid what nobody reviewed, an undecided dispute is split, the rest goes back. */
const settleDueTask = async (tx: Tx, escrow: Escrow, task: Task, now: Date): Promise<Task> => {
  const to = systemMove(task.status)
  if ((to !== 'completed' && to !== 'expired') || task.ended) return task
  const isUnfunded = task.status === 'published' && !task.funded && now.toISOString() < task.terms.deadline
  const reason = isUnfunded
    ? `nobody funded it within ${unfundedHours} hours`
    : reasons[task.status as keyof typeof reasons]
  const system = { role: 'system', actor: 'system', reason, now } as const
  const dispute = task.dispute === null ? undefined : await disputesIn(tx).get(task.dispute)
  if (task.status === 'disputed' && dispute) {
    const submission = await submissionsIn(tx).get(dispute.submission)
    const isByFindings = task.terms.arbiter_mode !== 'manual' && submission !== undefined
    const decision = isByFindings
      ? { splitPercent: percentByFindings(submission), reason: 'decided by the checks of the evidence' }
      : { splitPercent: 50 }
    const verdict = { ...system, verdict: 'split', ...decision } as const
    return (await resolveDispute(tx, escrow, { task, dispute }, verdict)).task
  }
  if (task.status === 'submitted' && task.submission !== null)
    await submissionsIn(tx).update(task.submission, row => ({
      ...row,
      verdict: 'accepted',
      reviewed_at: now.toISOString(),
    }))
  const workerPercent = task.status === 'submitted' ? 100 : 0
  return endTask(tx, escrow, task, { ...system, to, workerPercent })
}

/** Drops a task that had neither money nor a worker, with its history and what was applied. */
const dropTask = async (tx: Tx, id: string): Promise<void> => {
  await tasksIn(tx).delete(id)
  await dropHistory(tx, id)
  const { rows } = await applicationsIn(tx).find({ index: 'task', where: { task: id }, limit: 1000 })
  for (const row of rows) await applicationsIn(tx).delete(row.id)
  const questions = await questionsIn(tx).find({ index: 'task', where: { task: id }, limit: 1000 })
  for (const row of questions.rows) await questionsIn(tx).delete(row.id)
}

/** Ends what is due: deadlines, tasks that nobody funded, submissions that nobody reviewed, rejections that stand, disputes that nobody decided. */
export const settleDue = job({ name: 'settle-due', every: 30, needs: ['store', 'clock', 'ledger'] }).run(
  async ({ store, clock, ledger, signal }) => {
    const escrow = openEscrow(ledger)
    for (const ended of [false, true])
      while (!signal.aborted) {
        const where = { ended, due: { gt: '', lte: clock.now().toISOString() } }
        const { rows } = await tasksIn(store).find({ index: 'due', where, limit: 100 })
        if (rows.length === 0) break
        for (const { id } of rows) {
          if (signal.aborted) return
          await store.transaction(async tx => {
            const task = await tasksIn(tx).get(id)
            const now = clock.now()
            if (!task || task.due === null || task.due > now.toISOString()) return
            if (task.ended) await dropTask(tx, id)
            else await settleDueTask(tx, escrow, task, now)
          })
        }
      }
  },
)
