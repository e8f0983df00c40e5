import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { channels } from './channel/port.ts'
import { tasksSettings } from './config.ts'
import { ExitOut, SessionOut, toExit, toPublicSession } from './public-session.ts'
import { loadSessionAs, sessionId } from './session.ts'
import { endSession } from './voucher.ts'

export default tool({
  name: 'reclaim_session',
  title: 'Take the rest back',
  description:
    'Gives the payer what a session has not spent: settles it now, and tells the two calls with which the payer gets the rest from the escrow without us, 15 minutes apart. Free.',
  keywords: ['refund', 'deposit', 'unspent', 'recover', 'withdraw', 'forced'],
  input: z.object({ session_id: sessionId }),
  aliases: { session_id: ['id'] },
  output: SessionOut.extend({ exit: ExitOut.describe('What the payer sends where we do not settle') }),
  needs: ['store', 'clock', 'ledger', channels, tasksSettings.sessionIdle],
  price: free,
  limits: [{ perMinute: 30, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  a2a: { group: 'payments' },
  rest: { routes: ['POST /api/v1/streams/session/:session_id/reclaim'] },
  needsSetup: true,
  examples: [{ session_id: 'ses_0' }],
  summary: ({ state, refunded_usdc }) =>
    `The session is ${state}; ${refunded_usdc ?? 'nothing yet'} came back.`,
}).run(async (ctx, { session_id }) => {
  const session = await loadSessionAs(ctx.store, session_id, ctx.caller.id, 'publisher')
  const ended = await endSession(ctx, session, { reason: 'the payer took the rest back' })
  return {
    ...toPublicSession(ended, ctx.clock.now()),
    exit: toExit(await ctx.channels.open(), ended),
  }
})
