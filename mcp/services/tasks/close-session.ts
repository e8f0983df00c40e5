import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { channels } from './channel/port.ts'
import { tasksSettings } from './config.ts'
import { SessionOut, toPublicSession } from './public-session.ts'
import { loadSessionAs, sessionId } from './session.ts'
import { endSession, VoucherPayload } from './voucher.ts'

const { cumulativeAmount, signature } = VoucherPayload.shape

export default tool({
  name: 'close_session',
  keywords: ['end', 'terminate', 'streaming', 'unspent', 'refund', 'deposit'],
  title: 'Close a session',
  description:
    'Stops the clock, settles on the chain and gives the payer the rest. With a last voucher that covers the time, exactly that is paid; without one the highest voucher, and what it says beyond the time goes to your balance. Either side may close. Free.',
  input: z.object({
    session_id: sessionId,
    cumulative_amount: cumulativeAmount.optional(),
    signature: signature.optional(),
  }),
  aliases: { session_id: ['id'] },
  output: SessionOut,
  needs: ['store', 'clock', 'ledger', channels, tasksSettings.sessionIdle],
  price: free,
  limits: [{ perMinute: 30, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  a2a: { group: 'payments' },
  rest: { routes: ['POST /api/v1/streams/session/:session_id/close'] },
  needsSetup: true,
  examples: [{ session_id: 'ses_0' }],
  summary: ({ state, earned_usd }) =>
    `The session is ${state}; the worker earned ${earned_usd ?? 'nothing yet'}.`,
}).run(async (ctx, { session_id, cumulative_amount, signature }) => {
  const account = ctx.caller.id
  const session = await loadSessionAs(ctx.store, session_id, account)
  if ((cumulative_amount === undefined) !== (signature === undefined))
    throw new ToolError('invalid_input', 'cumulative_amount and signature come together.', {
      issues: [{ path: signature === undefined ? 'signature' : 'cumulative_amount', message: 'is missing' }],
    })
  const voucher =
    cumulative_amount === undefined || signature === undefined
      ? undefined
      : { cumulativeAmount: cumulative_amount, signature }
  const reason = account === session.publisher ? 'closed by the payer' : 'closed by the worker'
  return toPublicSession(await endSession(ctx, session, { reason, voucher }), ctx.clock.now())
})
