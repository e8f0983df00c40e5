import { ToolError } from '../../../kernel/error.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { roleIn } from '../task/load.ts'
import { moveTask } from '../task/move-task.ts'
import { allowedMoves } from '../task/status.ts'
import { maxRounds, reworkMs, type Task, tasksIn } from '../task/task.ts'
import { type Submission, submissionsIn } from './submission.ts'

/** A submission and its task, for who is a party to it or may decide its dispute. Anybody else's is as unknown as none. */
export const loadSubmission = async (
  tx: Tx,
  id: string,
  account: string,
  arbiters: readonly string[] = [],
): Promise<{ submission: Submission; task: Task }> => {
  const submission = await submissionsIn(tx).get(id)
  const task = submission && (await tasksIn(tx).get(submission.task))
  const role = task && roleIn(task, account, arbiters)
  if (
    submission &&
    task &&
    (role === 'publisher' ||
      (role === 'assigned' && submission.worker === account) ||
      (role === 'arbiter' && task.dispute))
  )
    return { submission, task }
  throw new ToolError('not_found', 'You have no such submission.')
}

/** A submission that its publisher may review now: the last one of the task. */
export const loadForReview = async (tx: Tx, id: string, account: string) => {
  const { submission, task } = await loadSubmission(tx, id, account)
  if (task.publisher !== account)
    throw new ToolError('forbidden', 'Only the publisher of the task may review it.', {
      reason: 'not_a_party',
    })
  if (task.submission !== id)
    throw new ToolError('conflict', 'There is a newer submission.', {
      reason: 'superseded',
      params: { submission_id: task.submission },
    })
  return { submission, task }
}

type Review = { verdict: Submission['verdict']; notes: string; severity?: 'minor' | 'major'; now: Date }

/** Writes a verdict on a submission. */
export const judge = async (
  tx: Tx,
  submission: Submission,
  { verdict, notes, severity, now }: Review,
): Promise<Submission> => {
  const reviewed: Submission = {
    ...submission,
    verdict,
    review_notes: notes,
    severity: severity ?? null,
    reviewed_at: now.toISOString(),
  }
  await submissionsIn(tx).put(reviewed)
  return reviewed
}

/** Sends work back to be done again, with a day at least to do it. Throws `conflict` when that was done three times. */
export const sendBack = async (
  tx: Tx,
  task: Task,
  { actor, reason, now, submission }: { actor: string; reason: string; now: Date; submission: string },
): Promise<Task> => {
  if (task.rounds >= maxRounds)
    throw new ToolError(
      'conflict',
      `Work can be sent back ${maxRounds} times; approve or reject it for good.`,
      {
        reason: 'no_rounds_left',
        params: {
          from: task.status,
          to: 'in_progress',
          allowed: allowedMoves(task.status, 'publisher').filter(to => to !== 'in_progress'),
        },
      },
    )
  const soonest = new Date(now.getTime() + reworkMs).toISOString()
  return moveTask(tx, task, {
    to: 'in_progress',
    role: 'publisher',
    actor,
    reason,
    now,
    changes: {
      rounds: task.rounds + 1,
      submitted_at: null,
      work_until: task.work_until > soonest ? task.work_until : soonest,
    },
    event: { kind: 'submission.reviewed', submission_id: submission },
  })
}
