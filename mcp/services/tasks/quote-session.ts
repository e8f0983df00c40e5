import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { formatUsd } from '../../lib/usd.ts'
import { addressOf } from './account.ts'
import { computeTerms, requirePayableTask, termsInput, toChannelTerms } from './begin-session.ts'
import { channels } from './channel/port.ts'
import { tasksSettings } from './config.ts'
import { addressInput, type Hex } from './voucher.ts'

/** Seconds that the deposit of a quote can be carried out in. */
const validSeconds = 600

const zero: Hex = '0x0000000000000000000000000000000000000000'

const typedData = (what: string) =>
  z.record(z.string(), z.unknown()).describe(`${what}: EIP-712 typed data for eth_signTypedData_v4`)

export default tool({
  name: 'quote_session',
  title: 'Quote paid time',
  description:
    'What paying for the time of your worker costs, fee included, and what your wallet signs to open a session with open_session: a deposit and a first voucher of 0. Nothing moves. Free.',
  keywords: ['price', 'streaming', 'metered', 'hourly', 'channel', 'mpp'],
  input: z.object({
    ...termsInput,
    payer: addressInput.optional().describe('Wallet that pays; by default that of your account'),
  }),
  output: z.object({
    price_usd: z.string().describe('What a unit of time costs, fee included'),
    rate_usd: z.string().describe('What of it the worker gets'),
    fee_usd: z.string().describe('What of it is the fee'),
    units: z.number().int().describe('How many units the cap pays for'),
    channel_id: z.string().describe('Id of the channel that would be opened'),
    salt: z.string().describe('Random bytes that the channel is made of'),
    authorization: z
      .object({
        from: z.string().describe('The payer'),
        to: z.string().describe('The escrow'),
        value: z.string().describe('The cap in atomic units'),
        validAfter: z.string().describe('Unix seconds'),
        validBefore: z.string().describe('Unix seconds'),
        nonce: z.string().describe('Made of the channel'),
      })
      .describe('The deposit, for open_session'),
    deposit_typed_data: typedData('The deposit to sign'),
    voucher_typed_data: typedData('The first voucher to sign, of 0'),
  }),
  needs: ['store', 'clock', channels, tasksSettings.feeBps],
  price: free,
  limits: [{ perMinute: 30, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
  a2a: { group: 'payments' },
  rest: { routes: ['POST /api/v1/streams/:task_id/quote'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0', rate_usd: '0.50', unit: 'minute', cap_usdc: '20' }],
  summary: ({ price_usd, units }) => `${price_usd} USD a unit; the cap pays for ${units}.`,
}).run(async ({ store, clock, channels, feeBps, caller: { id: account } }, input) => {
  const terms = computeTerms(input, feeBps)
  await requirePayableTask(store, input.task_id, account)
  const open = await channels.open()
  const facts = await open.network(input.network)
  const payer = input.payer ?? (addressOf(account) as Hex)
  const salt: Hex = `0x${randomBytes(32).toString('hex')}`
  const channel = toChannelTerms(facts, { payer, authorized_signer: zero, salt })
  const channelId = open.channelId(channel)
  const authorization = {
    from: payer,
    to: facts.escrow,
    value: terms.cap.toString(),
    validAfter: '0',
    validBefore: String(Math.floor(clock.now().getTime() / 1000) + validSeconds),
    nonce: open.openNonce(channel),
  }
  const { value, nonce, validBefore } = authorization
  return {
    price_usd: formatUsd(terms.price),
    rate_usd: formatUsd(terms.rate),
    fee_usd: formatUsd(terms.fee),
    units: Number(terms.cap / terms.price),
    channel_id: channelId,
    salt,
    authorization,
    deposit_typed_data: open.depositData(facts, { from: payer, value, nonce, valid_before: validBefore }),
    voucher_typed_data: open.voucherData(channel, channelId, '0'),
  }
})
