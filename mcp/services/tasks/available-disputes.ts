import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { tasksSettings } from './config.ts'
import { DisputeOut, disputesIn, toPublicDispute } from './dispute.ts'
import { isParty } from './public-task.ts'

export default tool({
  name: 'available_disputes',
  keywords: ['arbitrate', 'pending', 'cases', 'judge'],
  title: 'Disputes to decide',
  description: 'Lists the open disputes that you, an arbiter, may decide: those you are no party to. Free.',
  input: z.object({ ...pageInput('Disputes') }),
  output: z.object({
    disputes: z.array(DisputeOut).describe('Open disputes, the oldest first'),
    next: nextCursor,
  }),
  needs: ['store', tasksSettings.arbiters],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'review-submissions' },
  rest: { routes: ['GET /api/v1/disputes/available'] },
  needsSetup: true,
  examples: [{}],
  summary: ({ disputes }) => `${countText(disputes.length, 'dispute')} to decide.`,
}).run(async ({ store, caller: { id: account }, arbiters }, page) => {
  if (!arbiters.includes(account))
    throw new ToolError('forbidden', 'You are no arbiter here.', { reason: 'not_an_arbiter' })
  const query = { index: 'state', where: { state: 'open' }, order: 'asc' as const }
  const { rows, next } = await disputesIn(store).find({ ...query, ...pageQuery(page) })
  const disputes = rows.filter(dispute => !isParty(dispute, account))
  return { disputes: disputes.map(toPublicDispute), next: next ?? null }
})
