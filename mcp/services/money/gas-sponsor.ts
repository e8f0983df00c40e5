import { z } from 'zod'
import { type Context, tool, usd } from '../../kernel/tool.ts'
import { perCall } from '../../lib/per-call.ts'
import { OperationId } from './gas/answer.ts'
import { senderOf, sponsorFields } from './gas/request.ts'
import { gasSettings } from './gas/settings.ts'
import { sponsorChains } from './gas/sponsor-chains.ts'

const text = (what: string) => z.string().describe(what)

const needs = ['store', 'clock', sponsorChains, gasSettings.gasMaxUsd] as const

const Input = z.object({
  ...sponsorFields,
  id: OperationId.optional().describe('An operation that was paid for and not carried out: its money counts'),
})

const price = perCall(
  async (
    { store, clock, sponsorChains: chains, gasMaxUsd: maxUsd }: Context<(typeof needs)[number]>,
    input: z.output<typeof Input>,
  ) => {
    const { priceSponsorship } = await import('./gas/sponsorship.ts')
    return priceSponsorship({ store, clock, chains, maxUsd }, input)
  },
)

export default tool({
  name: 'gas_sponsor',
  title: 'Sponsor gas',
  description:
    'Sells gas for calls of a plain account (EIP-7702) or for a user operation of EntryPoint v0.8: answers with the operation, signed by the sponsor, and the typed_data that the account signs; then call gas_submit. The account needs no coins. Costs from 0.03 USDC on Base: max(0.03, 1.3 × cap), quoted by the 402.',
  keywords: ['pay', 'gasless', 'paymaster', 'eth', 'fees', 'transaction'],
  input: Input,
  output: z.object({
    id: text('Id of the operation here; send it to gas_submit. Only you have it'),
    state: z.literal('paid').describe('It waits for the signature of the account'),
    chainId: z.number().int().describe('EIP-155 id of the chain'),
    userOperation: z
      .looseObject({
        sender: text('The account'),
        callData: text('What it is called with'),
      })
      .describe('The operation with the word of the sponsor, numbers in hex'),
    user_op_hash: text('Its hash'),
    typed_data: z
      .looseObject({ primaryType: text('PackedUserOperation') })
      .describe('What the key of the account signs (EIP-712)'),
    authorization: z
      .object({
        address: text('Code that the account delegates to'),
        chainId: z.number().int().describe('EIP-155 id'),
        nonce: z.number().int().describe('Number of transactions of the account'),
      })
      .nullable()
      .describe('What the key of a plain account signs as well (EIP-7702); null when it has its code'),
    cap_wei: text('The most that it can cost, in wei'),
    price: text('What was paid, in USDC'),
    expires_at: text('Submit it before, ISO 8601'),
  }),
  needs,
  price: usd('0.03'),
  check: price,
  quote: price,
  settle: 'before',
  limits: [
    { perMinute: 30, per: 'client' },
    { perMinute: 20, per: senderOf },
  ],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { group: 'gas', tags: ['gas', 'erc-4337', 'eip-7702', 'x402'] },
  needsSetup: true,
  examples: [
    {
      sender: '0x857b06519e91e3a54538791bdbb0e22373e36b66',
      calls: [{ to: '0x209693bc6afc0c5328ba36faf03c514ef312287c' }],
    },
  ],
  summary: ({ id, expires_at: expiresAt }) => `Sign the typed_data and submit ${id} before ${expiresAt}.`,
}).run(async (ctx, input) => {
  const { store, clock, sponsorChains: chains, gasMaxUsd: maxUsd } = ctx
  const { sellSponsorship } = await import('./gas/sponsorship.ts')
  return sellSponsorship({ store, clock, chains, maxUsd }, ctx, input)
})
