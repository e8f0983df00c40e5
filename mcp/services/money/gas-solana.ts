import { z } from 'zod'
import type { Context } from '../../kernel/tool.ts'
import { tool, usd } from '../../kernel/tool.ts'
import { perCall } from '../../lib/per-call.ts'
import { OperationId } from './gas/answer.ts'
import { solanaSponsor } from './gas/solana/sponsor.ts'

const needs = ['store', 'clock', solanaSponsor] as const

const toDeps = async ({ store, clock, solanaSponsor: sponsor }: Context<(typeof needs)[number]>) => ({
  store,
  clock,
  cluster: await sponsor.open(),
  coinPrice: sponsor.coinPrice,
})

type Asked = { transaction: string; id?: string | undefined }

const price = perCall(async (ctx: Context<(typeof needs)[number]>, input: Asked) => {
  const { priceTransaction } = await import('./gas/solana/sponsorship.ts')
  return priceTransaction(await toDeps(ctx), input)
})

export default tool({
  name: 'gas_solana',
  title: 'Sponsor a Solana transaction',
  description:
    'Pays the fee of a Solana transaction: send one whose fee payer is the sponsor that the first refusal names and that all others have signed; it is checked, tried out, signed, sent and confirmed. The sponsor may appear in no instruction. Costs from 0.03 USDC on Solana: max(0.03, 1.3 × fee).',
  keywords: ['sol', 'gasless', 'wallet', 'user'],
  input: z.object({
    transaction: z
      .string()
      .regex(/^[A-Za-z0-9+/]{4,1644}={0,2}$/, 'must be a transaction in base64, 1,232 bytes at most')
      .describe('The transaction, base64, signed by everybody but the sponsor'),
    id: OperationId.optional().describe(
      'A transaction that was paid for and not carried out: its money counts',
    ),
  }),
  output: z.object({
    id: z.string().describe('Id of the transaction here, for gas_status'),
    state: z
      .enum(['sent', 'mined', 'failed', 'credited'])
      .describe(
        'Sent waits for a block; failed used its fee; credited was not carried out, and its money pays for another',
      ),
    signature: z.string().nullable().describe('Name of the transaction on the chain'),
    fee_lamports: z.string().describe('What the sponsor pays at most'),
    credit: z.string().nullable().describe('What it left to pay with, in USDC'),
    detail: z.string().nullable().describe('Why it was not carried out'),
  }),
  needs,
  price: usd('0.03', 'solana'),
  check: price,
  quote: price,
  settle: 'before',
  limits: [{ perMinute: 30, per: 'client' }],
  timeoutMs: 60_000,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  a2a: { group: 'gas', tags: ['gas', 'solana', 'x402'] },
  rest: { routes: ['POST /v1/gas/solana'] },
  needsSetup: true,
  examples: [{ transaction: 'AAAA' }],
  summary: ({ state, signature }) => `It is ${state}${signature === null ? '' : `: ${signature}`}.`,
}).run(async (ctx, input) => {
  const { sellTransaction } = await import('./gas/solana/sponsorship.ts')
  return sellTransaction(await toDeps(ctx), ctx, input)
})
