import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import {
  judge,
  loadForReview,
  SubmissionOut,
  sendBack,
  submissionId,
  toPublicSubmission,
} from './submission.ts'

export default tool({
  name: 'request_more_info',
  title: 'Ask for more evidence',
  keywords: ['additional', 'clarification', 'another', 'proof', 'enough', 'blurry'],
  description:
    'Sends work back with a question; the worker has a day at least to hand in again. Three times at most, rejections included. Free.',
  input: z.object({
    submission_id: submissionId,
    notes: z.string().trim().min(5).max(1000).describe('What is missing, 5 to 1,000 characters'),
  }),
  aliases: { submission_id: ['id'] },
  output: SubmissionOut,
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'review-submissions' },
  rest: { routes: ['POST /api/v1/submissions/:submission_id/request-more-info'] },
  needsSetup: true,
  examples: [{ submission_id: 'sub_0', notes: 'Which day was it?' }],
  summary: ({ submission_id }) => `${submission_id} was sent back.`,
}).run(({ commit, clock, caller: { id: actor } }, { submission_id, notes }) =>
  commit(async tx => {
    const now = clock.now()
    const { submission, task } = await loadForReview(tx, submission_id, actor)
    await sendBack(tx, task, { actor, reason: notes, now, submission: submission_id })
    return toPublicSubmission(await judge(tx, submission, { verdict: 'more_info_requested', notes, now }))
  }),
)
