import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { tasksSettings } from './config.ts'
import { loadSubmission, SubmissionOut, submissionId, toPublicSubmission } from './submission.ts'

export default tool({
  name: 'get_submission',
  title: 'Read a submission',
  keywords: ['worker', 'finish', 'delivered', 'result', 'view', 'check'],
  description:
    'Reads the evidence that was handed in for a task of yours, and what a look at it shows. Use it before you approve. Free.',
  input: z.object({ submission_id: submissionId }),
  aliases: { submission_id: ['id'] },
  output: SubmissionOut,
  needs: ['store', tasksSettings.arbiters],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'review-submissions' },
  rest: { routes: ['GET /api/v1/submissions/:submission_id'] },
  needsSetup: true,
  examples: [{ submission_id: 'sub_0' }],
  summary: ({ submission_id, verdict }) => `${submission_id}: ${verdict}.`,
}).run(async ({ store, caller, arbiters }, { submission_id }) => {
  const { submission } = await loadSubmission(store, submission_id, caller.id, arbiters)
  return toPublicSubmission(submission)
})
