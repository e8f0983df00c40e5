import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import {
  AfterFields,
  AmountFields,
  costField,
  OwnerInput,
  preparedFields,
  slippageInput,
  VaultAmountInput,
  WeightsInput,
} from './vault/fields.ts'
import { toVaultDeps, vaultNeeds, vaultWants } from './vault/needs.ts'

export default tool({
  name: 'buy_stocks',
  title: 'Buy the stocks',
  keywords: ['invest', 'equities', 'nvidia', 'apple', 'tokens', 'creation'],
  description:
    'Prepares the calls by which an account on Base buys the four tokenized stocks with USDC, from 1: it creates its vault where there is none, approves and deposits. Send them in order, or as one batch (gas_sponsor takes the list). Each purchase is bounded by the oracle price on the chain. Free; unsigned calldata.',
  input: z.object({
    owner: OwnerInput,
    amount: VaultAmountInput,
    slippage_bps: slippageInput(
      'Refuse when the dry run costs more than this by the oracle; on the chain the limit of the vault holds. Default: that limit',
    ).optional(),
    weightsBps: WeightsInput.optional().describe(
      'Sets these target weights first, in the same list of calls',
    ),
  }),
  output: z.object(
    preparedFields(
      z.object({
        created: z.boolean().describe('The calls open the vault'),
        spent: z.string().describe('USDC that leave the account'),
        shares: z.string().describe('Shares that arrive'),
        bought: z.array(AmountFields).describe('Stocks that the vault gets'),
        cost_bps: costField,
        vault: AfterFields.describe('The vault afterwards'),
      }),
    ),
  ),
  needs: vaultNeeds,
  wants: vaultWants,
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { skill: 'buy-stocks', text: ['buy-stocks <owner> <amount>'], tags: ['stocks', 'calldata'] },
  rest: { routes: ['POST /v1/buy-stocks'] },
  examples: [{ owner: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', amount: '25' }],
  needsSetup: true,
  summary: ({ calls, expect }) =>
    `${countText(calls.length, 'call')} to buy stocks for ${expect.spent} USDC.`,
}).run(async (ctx, input) => {
  const { openBasket } = await import('./vault/basket.ts')
  const { preparePurchase } = await import('./vault/purchase.ts')
  return preparePurchase(await openBasket(toVaultDeps(ctx)), input)
})
