import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { tasksSettings } from './config.ts'
import { DisputeOut, disputeId, loadDispute, resolveDispute, toPublicDispute } from './dispute.ts'
import { openEscrow } from './funding.ts'
import { loadTask } from './public-task.ts'

export default tool({
  name: 'resolve_dispute',
  title: 'Decide a dispute',
  keywords: ['judge', 'rule', 'arbitrate', 'ruling', 'bounty', 'case'],
  description:
    'As an arbiter, decides a dispute for good: release pays the worker, refund the publisher, split both. Nobody decides a dispute of their own. Free.',
  input: z.object({
    dispute_id: disputeId,
    verdict: z.enum(['release', 'refund', 'split']).describe('Who gets the money'),
    split_percent: z
      .number()
      .int()
      .min(1)
      .max(99)
      .optional()
      .describe('With split: what the worker gets, 1 to 99 per cent'),
    reason: z.string().trim().min(10).max(2000).describe('Why, 10 to 2,000 characters'),
  }),
  aliases: { dispute_id: ['id'], split_percent: ['split_pct'] },
  output: DisputeOut,
  needs: ['store', 'clock', 'ledger', tasksSettings.arbiters],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { group: 'review-submissions' },
  rest: { routes: ['POST /api/v1/disputes/:dispute_id/resolve'] },
  needsSetup: true,
  examples: [{ dispute_id: 'dsp_0', verdict: 'split', split_percent: 50, reason: 'Half of it was done.' }],
  summary: ({ dispute_id, verdict }) => `${dispute_id}: ${verdict}.`,
}).run(
  (
    { commit, clock, ledger, caller: { id: actor }, arbiters },
    { dispute_id, verdict, split_percent, reason },
  ) => {
    if ((verdict === 'split') !== (split_percent !== undefined))
      throw new ToolError('invalid_input', 'split_percent belongs to the verdict split, and only there.', {
        issues: [{ path: 'split_percent', message: 'belongs to the verdict split, and only there' }],
      })
    return commit(async tx => {
      const { dispute, role } = await loadDispute(tx, dispute_id, actor, arbiters)
      if (role !== 'arbiter')
        throw new ToolError('forbidden', 'A party cannot decide its own dispute.', { reason: 'own_dispute' })
      const task = await loadTask(tx, dispute.task)
      const decision = { verdict, splitPercent: split_percent ?? 0, role, actor, reason, now: clock.now() }
      const resolved = await resolveDispute(tx, openEscrow(ledger), { task, dispute }, decision)
      return toPublicDispute(resolved.dispute)
    })
  },
)
