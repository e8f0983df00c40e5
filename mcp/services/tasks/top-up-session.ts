import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { beginTopUp } from './begin-session.ts'
import { channels } from './channel/port.ts'
import { tasksSettings } from './config.ts'
import { SessionOut, toPublicSession } from './public-session.ts'
import { loadSessionAs, sessionId } from './session.ts'
import { advanceSession } from './session-steps.ts'
import { refuseSession, TopUpPayload } from './voucher.ts'

const { authorization, signature, additionalDeposit, salt } = TopUpPayload.shape

export default tool({
  name: 'top_up_session',
  keywords: ['increase', 'extend', 'fund'],
  title: 'Add to a session',
  description:
    'Adds a deposit that your wallet has signed to the escrow of a session, up to 100 USDC in all. Nonce: keccak256(abi.encode(channel_id, additional_deposit, from, salt)). Costs the deposit, of which the rest comes back.',
  input: z.object({
    session_id: sessionId,
    authorization,
    signature,
    additional_deposit: additionalDeposit,
    salt,
  }),
  output: SessionOut,
  needs: ['store', 'clock', 'ledger', channels, tasksSettings.sessionIdle],
  price: free,
  limits: [{ perMinute: 10, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  a2a: { group: 'payments' },
  rest: { routes: ['POST /api/v1/streams/session/:session_id/top-up'] },
  needsSetup: true,
  examples: [
    {
      session_id: 'ses_0',
      authorization: {
        from: '0x00000000000000000000000000000000000000b2',
        to: '0x00000000000000000000000000000000000000e5',
        value: '5000000',
        validAfter: '0',
        validBefore: '1900000000',
        nonce: `0x${'0f'.repeat(32)}`,
      },
      signature: `0x${'5a'.repeat(65)}`,
      additional_deposit: '5000000',
      salt: `0x${'5c'.repeat(32)}`,
    },
  ],
  summary: ({ deposit_usdc }) => `${deposit_usdc} USDC are in the escrow.`,
}).run(async (ctx, { session_id, authorization, signature, additional_deposit, salt }) => {
  const session = await loadSessionAs(ctx.store, session_id, ctx.caller.id, 'publisher')
  const payload = { authorization, signature, additionalDeposit: additional_deposit, salt }
  await beginTopUp(ctx, session, payload)
  const advanced = await advanceSession(ctx, session.id)
  if (advanced.problem !== null && advanced.pending === null && advanced.deposit === session.deposit)
    throw refuseSession(
      advanced.problem.includes('less USDC') ? 'insufficient_balance' : 'transaction_reverted',
      advanced.problem,
      { channelId: session.channel_id },
    )
  return toPublicSession(advanced, ctx.clock.now())
})
