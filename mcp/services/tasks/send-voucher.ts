import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { channels } from './channel/port.ts'
import { tasksSettings } from './config.ts'
import { SessionOut, toPublicSession } from './public-session.ts'
import { loadSessionAs, sessionId } from './session.ts'
import { acceptVoucher, VoucherPayload } from './voucher.ts'

const { cumulativeAmount, signature } = VoucherPayload.shape

export default tool({
  name: 'send_voucher',
  keywords: ['streaming', 'micropayment', 'continue'],
  title: 'Pay for more time',
  description:
    'Takes the next voucher of a session: a signature over what has been paid in all, which keeps its clock running. Nothing goes to the chain. The same voucher again changes nothing. Free beyond what it says.',
  input: z.object({ session_id: sessionId, cumulative_amount: cumulativeAmount, signature }),
  output: SessionOut,
  needs: ['store', 'clock', 'ledger', channels, tasksSettings.sessionIdle],
  price: free,
  limits: [{ perMinute: 600, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'payments' },
  rest: { routes: ['POST /api/v1/streams/session/:session_id/voucher'] },
  needsSetup: true,
  examples: [{ session_id: 'ses_0', cumulative_amount: '525000', signature: `0x${'5a'.repeat(65)}` }],
  summary: ({ accepted_usdc, clock }) => `${accepted_usdc} USDC are promised; the clock is ${clock}.`,
}).run(async (ctx, { session_id, cumulative_amount, signature }) => {
  const session = await loadSessionAs(ctx.store, session_id, ctx.caller.id, 'publisher')
  const paid = await acceptVoucher(ctx, session, { cumulativeAmount: cumulative_amount, signature })
  return toPublicSession(paid, ctx.clock.now())
})
