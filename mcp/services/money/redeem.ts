import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { EvmAddressInput } from './address.ts'
import {
  AfterFields,
  AmountFields,
  OwnerInput,
  preparedFields,
  SharesInput,
  slippageInput,
} from './vault/fields.ts'
import { toVaultDeps, vaultNeeds, vaultWants } from './vault/needs.ts'

export default tool({
  name: 'redeem',
  title: 'Leave a stock vault',
  keywords: ['back', 'withdraw', 'cash', 'exit', 'sell', 'liquidate'],
  description:
    'Prepares the call that takes shares of a vault on Base out: sold for USDC with a minimum from a live quote, or in kind. Neither asks the oracle. What a token refuses to transfer (paused, blocked) is set aside, and to: set_aside claims it later. Free; unsigned calldata.',
  input: z.object({
    owner: OwnerInput.describe('Account that holds the shares and sends the call'),
    to: z
      .enum(['stablecoin', 'in_kind', 'set_aside'])
      .describe('USDC; the tokens themselves; or only what an earlier exit has set aside'),
    shares: SharesInput.optional(),
    fraction_bps: z
      .number()
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe('Part of the shares instead, of ten thousand: 10000 is all'),
    receiver: EvmAddressInput.optional().describe('Who gets it; default: the owner'),
    slippage_bps: slippageInput(
      'How far below the quote USDC may come, for stablecoin. Default: 50',
    ).optional(),
    vault: EvmAddressInput.optional().describe(
      'The vault, where the shares came from the owner of another one',
    ),
    set_aside_for: EvmAddressInput.optional().describe(
      'For set_aside: receiver of that earlier exit; default: the owner',
    ),
  }),
  output: z.object(
    preparedFields(
      z.object({
        shares: z.string().describe('Shares that are burned'),
        receiver: z.string().describe('Who gets it'),
        usdc: z
          .object({
            expected: z.string().describe('USDC that arrive at the quote'),
            minimum: z.string().describe('Less makes the call fail'),
          })
          .nullable()
          .describe('USDC of the sale; null where nothing is sold'),
        tokens: z.array(AmountFields).describe('Tokens that arrive as they are'),
        set_aside: z.array(AmountFields).describe('What waits in the vault for the receiver afterwards'),
        vault: AfterFields.describe('The vault afterwards'),
      }),
    ),
  ),
  needs: vaultNeeds,
  wants: vaultWants,
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { text: ['redeem <owner> <to>'], tags: ['stocks', 'calldata'] },
  rest: { routes: ['POST /v1/redeem'] },
  examples: [
    { owner: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', to: 'stablecoin', fraction_bps: 10_000 },
    { owner: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', to: 'in_kind', shares: '1.5' },
  ],
  needsSetup: true,
  summary: ({ expect: { usdc, tokens, receiver } }) =>
    usdc
      ? `${receiver} gets ${usdc.expected} USDC, and at least ${usdc.minimum}.`
      : `${receiver} gets ${tokens.map(({ amount, symbol }) => `${amount} ${symbol}`).join(', ') || 'nothing yet'}.`,
}).run(async (ctx, input) => {
  const { openBasket } = await import('./vault/basket.ts')
  const { prepareExit } = await import('./vault/exit.ts')
  return prepareExit(await openBasket(toVaultDeps(ctx)), input)
})
