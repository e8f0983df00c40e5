import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { tasksSettings } from './config.ts'
import { DisputeOut, disputesIn, toPublicDispute } from './dispute.ts'
import { isParty } from './public-task.ts'

export default tool({
  name: 'list_disputes',
  title: 'List disputes',
  keywords: ['cases', 'conflicts', 'arbitration'],
  description:
    'Lists disputes that you are a party to, or, as an arbiter, the open ones that you may decide: those you are no party to. Free.',
  input: z.object({
    role: z.enum(['publisher', 'worker', 'arbiter']).default('publisher').describe('What you are to them'),
    ...pageInput('Disputes'),
  }),
  output: z.object({ disputes: z.array(DisputeOut).describe('Disputes'), next: nextCursor }),
  needs: ['store', tasksSettings.arbiters],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'review-submissions' },
  rest: { routes: ['GET /api/v1/disputes'] },
  examples: [{ role: 'worker' }],
  summary: ({ disputes }) => `${countText(disputes.length, 'dispute')}.`,
}).run(async ({ store, caller: { id: account }, arbiters }, { role, ...page }) => {
  const queries = {
    publisher: { index: 'publisher', where: { publisher: account }, order: 'desc' as const },
    worker: { index: 'worker', where: { worker: account }, order: 'desc' as const },
    arbiter: { index: 'state', where: { state: 'open' }, order: 'asc' as const },
  }
  if (role === 'arbiter' && !arbiters.includes(account))
    throw new ToolError('forbidden', 'You are no arbiter here.', { reason: 'not_an_arbiter' })
  const { rows, next } = await disputesIn(store).find({ ...queries[role], ...pageQuery(page) })
  const disputes = rows.filter(dispute => role !== 'arbiter' || !isParty(dispute, account))
  return { disputes: disputes.map(toPublicDispute), next: next ?? null }
})
