import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { SessionOut, toPublicSession } from './public-session.ts'
import { loadSessionAs, sessionId } from './session.ts'

export default tool({
  name: 'get_session',
  keywords: ['status', 'check', 'streaming', 'progress'],
  title: 'Read a session',
  description:
    'A session that you pay or are paid by: its clock, what it costs so far, what its next voucher must say, and what became of the money. Free.',
  input: z.object({ session_id: sessionId }),
  aliases: { session_id: ['id'] },
  output: SessionOut,
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'payments' },
  rest: { routes: ['GET /api/v1/streams/session/:session_id'] },
  needsSetup: true,
  examples: [{ session_id: 'ses_0' }],
  summary: ({ state, spent_usd, accepted_usdc }) => `${state}; ${spent_usd} of ${accepted_usdc} USDC spent.`,
}).run(async ({ store, clock, caller }, { session_id }) =>
  toPublicSession(await loadSessionAs(store, session_id, caller.id), clock.now()),
)
