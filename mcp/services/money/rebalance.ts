import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import {
  AfterFields,
  costField,
  OwnerInput,
  preparedFields,
  slippageInput,
  WeightsInput,
} from './vault/fields.ts'
import { toVaultDeps, vaultNeeds, vaultWants } from './vault/needs.ts'

const parts = (what: string) =>
  z.array(z.number().int().describe('Parts of ten thousand')).nullable().describe(what)

export default tool({
  name: 'rebalance',
  title: 'Rebalance a stock vault',
  keywords: ['allocation', 'portfolio', 'restore', 'adjust', 'drift', 'low'],
  description:
    'Prepares the calls that bring a vault on Base to its target weights, or to new ones: sells what is above, buys what is below, bounded by oracle prices. A stock that is paused or has no price is left out, and the answer says so. Free; unsigned calldata.',
  input: z.object({
    owner: OwnerInput,
    weightsBps: WeightsInput.optional().describe('New target weights; without them those of the vault'),
    slippage_bps: slippageInput(
      'Refuse when the dry run costs more than this part of the vault by the oracle; on the chain each trade has the limit of the vault. Default: that limit',
    ).optional(),
  }),
  output: z.object(
    preparedFields(
      z.object({
        left_out: z.array(z.string().describe('Symbol')).describe('Stocks that stay as they are'),
        before_bps: parts('What the vault held, by value; null when a price is missing'),
        after_bps: parts('What it holds then'),
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
  a2a: { group: 'rebalance', text: ['rebalance <owner>'], tags: ['stocks', 'calldata'] },
  rest: { routes: ['POST /v1/rebalance'] },
  examples: [{ owner: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' }],
  needsSetup: true,
  summary: ({ expect: { left_out: leftOut } }) =>
    leftOut.length > 0
      ? `The vault is rebalanced without ${leftOut.join(', ')}.`
      : 'The vault is rebalanced.',
}).run(async (ctx, input) => {
  const { openBasket } = await import('./vault/basket.ts')
  const { prepareRebalance } = await import('./vault/rebalancing.ts')
  return prepareRebalance(await openBasket(toVaultDeps(ctx)), input)
})
