import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { beginSession, computeTerms, termsInput } from './begin-session.ts'
import { channels } from './channel/port.ts'
import { tasksSettings } from './config.ts'
import { ExitOut, SessionOut, toExit, toPublicSession } from './public-session.ts'
import { advanceSession } from './session-steps.ts'
import { OpenPayload, refuseSession } from './voucher.ts'

const { channelId, authorization, signature, cumulativeAmount, voucherSignature, authorizedSigner, salt } =
  OpenPayload.shape

export default tool({
  name: 'open_session',
  title: 'Open a paid session',
  description:
    'Puts a deposit into the escrow of a payment channel and pays for the time of your worker by vouchers from then on. Takes what quote_session gave and the two signatures. The gas is paid for you; what is not spent comes back to the payer. Costs what the vouchers say.',
  keywords: ['streaming', 'metered', 'hourly', 'start', 'mpp'],
  input: z.object({
    ...termsInput,
    channel_id: channelId,
    authorization,
    signature,
    cumulative_amount: cumulativeAmount,
    voucher_signature: voucherSignature,
    authorized_signer: authorizedSigner,
    salt,
  }),
  output: SessionOut.extend({
    exit: ExitOut.describe('How the payer gets its rest back without us: keep it'),
  }),
  needs: ['store', 'clock', 'ledger', channels, tasksSettings.feeBps, tasksSettings.sessionIdle],
  price: free,
  limits: [{ perMinute: 10, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  a2a: { group: 'payments' },
  rest: { routes: ['POST /api/v1/streams/:task_id/open'] },
  needsSetup: true,
  examples: [
    {
      task_id: 'task_0',
      rate_usd: '0.50',
      unit: 'minute',
      cap_usdc: '20',
      channel_id: `0x${'c1'.repeat(32)}`,
      authorization: {
        from: '0x00000000000000000000000000000000000000b2',
        to: '0x00000000000000000000000000000000000000e5',
        value: '20000000',
        validAfter: '0',
        validBefore: '1900000000',
        nonce: `0x${'0f'.repeat(32)}`,
      },
      signature: `0x${'5a'.repeat(65)}`,
      voucher_signature: `0x${'5b'.repeat(65)}`,
      salt: `0x${'5c'.repeat(32)}`,
    },
  ],
  summary: ({ state, deposit_usdc }) => `The session is ${state} with ${deposit_usdc} USDC.`,
}).run(async (ctx, input) => {
  const { channels, clock, feeBps, caller } = ctx
  const publisher = caller.id
  const terms = computeTerms(input, feeBps)
  const begun = await beginSession(ctx, publisher, {
    task_id: input.task_id,
    network: input.network,
    terms,
    payload: {
      channelId: input.channel_id,
      authorization: input.authorization,
      signature: input.signature,
      cumulativeAmount: input.cumulative_amount,
      voucherSignature: input.voucher_signature,
      authorizedSigner: input.authorized_signer,
      salt: input.salt,
    },
  })
  const session = begun.state === 'opening' ? await advanceSession(ctx, begun.id) : begun
  if (session.state === 'errored')
    throw refuseSession(
      session.problem?.includes('less USDC') ? 'insufficient_balance' : 'transaction_reverted',
      session.problem ?? 'The deposit did not go.',
      { channelId: session.channel_id, session_id: session.id },
    )
  return { ...toPublicSession(session, clock.now()), exit: toExit(await channels.open(), session) }
})
