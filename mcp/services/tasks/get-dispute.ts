import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { tasksSettings } from './config.ts'
import { DisputeOut, disputeId, loadDispute, toPublicDispute } from './dispute.ts'

export default tool({
  name: 'get_dispute',
  title: 'Read a dispute',
  keywords: ['case', 'status', 'view', 'arbitration', 'arbiter', 'state'],
  description: 'Reads a dispute that you are a party to, or may decide. Free.',
  input: z.object({ dispute_id: disputeId }),
  aliases: { dispute_id: ['id'] },
  output: DisputeOut,
  needs: ['store', tasksSettings.arbiters],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'review-submissions' },
  rest: { routes: ['GET /api/v1/disputes/:dispute_id'] },
  needsSetup: true,
  examples: [{ dispute_id: 'dsp_0' }],
  summary: ({ dispute_id, state }) => `${dispute_id}: ${state}.`,
}).run(async ({ store, caller, arbiters }, { dispute_id }) => {
  const { dispute } = await loadDispute(store, dispute_id, caller.id, arbiters)
  return toPublicDispute(dispute)
})
