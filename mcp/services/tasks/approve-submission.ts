import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { requireCaller } from './account/caller.ts'
import { ledgerEscrow } from './money/escrow.ts'
import { rate } from './reputation/rating.ts'
import { judge, loadForReview } from './submission/review.ts'
import { submissionId } from './submission/submission-id.ts'
import { endTask } from './task/end-task.ts'
import { TaskOut, toPublicTask } from './task/public-task.ts'

export default tool({
  name: 'approve_submission',
  title: 'Approve work',
  description:
    'Approves the evidence for your task and pays the worker from escrow, for good: the bounty, or what is left of it. Free; the fee was shown before publishing.',
  keywords: ['accept work', 'pay the worker', 'release payment'],
  input: z.object({
    submission_id: submissionId,
    notes: z.string().trim().max(1000).default('').describe('A word to the worker'),
    rating_score: z.number().int().min(0).max(100).optional().describe('Rates the worker, 0 to 100'),
  }),
  aliases: { submission_id: ['id'] },
  output: TaskOut,
  needs: ['store', 'clock', 'ledger'],
  price: free,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  rest: { routes: ['POST /api/v1/submissions/:submission_id/approve'] },
  needsSetup: true,
  examples: [{ submission_id: 'sub_0' }],
  summary: ({ payment }) => `Approved: ${payment.released_usd} USD are paid.`,
}).run(({ commit, clock, ledger, caller }, { submission_id, notes, rating_score }) =>
  commit(async tx => {
    const now = clock.now()
    const actor = requireCaller(caller)
    const { submission, task } = await loadForReview(tx, submission_id, actor)
    const ended = await endTask(tx, ledgerEscrow(ledger), task, {
      to: 'completed',
      role: 'publisher',
      actor,
      reason: notes || 'approved',
      now,
      workerPercent: 100,
      event: { kind: 'payment.released', submission_id },
    })
    await judge(tx, submission, { verdict: 'accepted', notes, now })
    if (rating_score !== undefined)
      await rate(tx, ended, { side: 'worker', by: actor, score: rating_score, comment: notes, now })
    return toPublicTask(ended)
  }),
)
