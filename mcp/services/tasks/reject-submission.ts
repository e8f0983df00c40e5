import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { moveTask } from './move-task.ts'
import {
  judge,
  loadForReview,
  SubmissionOut,
  sendBack,
  submissionId,
  toPublicSubmission,
} from './submission.ts'

export default tool({
  name: 'reject_submission',
  title: 'Reject work',
  keywords: ['decline', 'bad', 'wrong', 'asked', 'photo', 'not'],
  description:
    'Rejects the evidence for your task. minor: the worker does it again, three times at most. major: for good; the worker may dispute it for a time, then your money comes back. Free.',
  input: z.object({
    submission_id: submissionId,
    notes: z.string().trim().min(10).max(1000).describe('What is wrong, 10 to 1,000 characters'),
    severity: z.enum(['minor', 'major']).default('minor').describe('minor: do it again; major: for good'),
  }),
  aliases: { submission_id: ['id'] },
  output: SubmissionOut,
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { group: 'review-submissions' },
  rest: { routes: ['POST /api/v1/submissions/:submission_id/reject'] },
  needsSetup: true,
  examples: [{ submission_id: 'sub_0', notes: 'The photo shows another door.' }],
  summary: ({ submission_id, severity }) => `${submission_id} is rejected (${severity}).`,
}).run(({ commit, clock, caller: { id: actor } }, { submission_id, notes, severity }) =>
  commit(async tx => {
    const now = clock.now()
    const { submission, task } = await loadForReview(tx, submission_id, actor)
    if (severity === 'minor')
      await sendBack(tx, task, { actor, reason: notes, now, submission: submission_id })
    else
      await moveTask(tx, task, {
        to: 'verifying',
        role: 'publisher',
        actor,
        reason: notes,
        now,
        changes: { submitted_at: null },
        event: { kind: 'submission.reviewed', submission_id },
      })
    return toPublicSubmission(await judge(tx, submission, { verdict: 'rejected', notes, severity, now }))
  }),
)
