import { z } from 'zod'
import { type Called, type Context, free, tool } from '../../kernel/tool.ts'
import { perCall } from '../../lib/per-call.ts'
import { emitEvent } from './event.ts'
import { commitOrKeep, openEscrow, quoteDirect, recordDirectPayment, refuseOwnSubmission } from './funding.ts'
import { computeUnpaid } from './money.ts'
import { checkMove, endTask } from './move-task.ts'
import { TaskOut, toPublicTask } from './public-task.ts'
import { rate } from './reputation.ts'
import { judge, loadForReview, submissionId } from './submission.ts'

type Asked = { submission_id: string }

const price = perCall(
  async (
    { store, clock, caller }: Context<'store' | 'clock'> & Called<'apiKey'>,
    { submission_id }: Asked,
  ) => {
    const { submission, task } = await loadForReview(store, submission_id, caller.id)
    const unpaid = computeUnpaid(task.funds)
    if (task.terms.escrow !== 'direct' || unpaid === 0n) return free
    checkMove(task, 'completed', 'publisher', clock.now())
    const { id, worker } = submission
    return quoteDirect({ task: task.id, worker, submission: id, amount: unpaid.toString() })
  },
)

export default tool({
  name: 'approve_submission',
  title: 'Approve work',
  description:
    'Approves the evidence for your task and pays the worker from escrow, for good: the bounty, or what is left of it. Free; the fee was shown before publishing. With escrow: direct, what is unpaid is paid with this call by x402 to the wallet of the worker.',
  keywords: ['accept', 'finish', 'confirm', 'release', 'payout'],
  input: z.object({
    submission_id: submissionId,
    notes: z.string().trim().max(1000).default('').describe('A word to the worker'),
    rating_score: z.number().int().min(0).max(100).optional().describe('Rates the worker, 0 to 100'),
  }),
  aliases: { submission_id: ['id'] },
  output: TaskOut,
  needs: ['store', 'clock', 'ledger'],
  price: free,
  check: price,
  quote: price,
  admit: refuseOwnSubmission,
  settle: 'before',
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { group: 'review-submissions' },
  rest: { routes: ['POST /api/v1/submissions/:submission_id/approve'] },
  needsSetup: true,
  examples: [{ submission_id: 'sub_0' }],
  summary: ({ payment }) => `Approved: ${payment.released_usd} USD are paid.`,
}).run((ctx, { submission_id, notes, rating_score }) => {
  const { clock, ledger, caller, receipt } = ctx
  const actor = caller.id
  return commitOrKeep(ctx, { account: actor, amount: () => 0n }, async tx => {
    const now = clock.now()
    await recordDirectPayment(tx, receipt, now)
    const { submission, task } = await loadForReview(tx, submission_id, actor)
    await emitEvent(
      tx,
      task,
      { kind: 'submission.reviewed', submission_id, verdict: 'accepted' },
      now.toISOString(),
    )
    const ended = await endTask(tx, openEscrow(ledger), task, {
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
  })
})
