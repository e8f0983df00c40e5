import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { OwnerInput, preparedFields, WeightsInput } from './vault/fields.ts'
import { toVaultDeps, vaultNeeds, vaultWants } from './vault/needs.ts'

export default tool({
  name: 'set_weights',
  title: 'Set the weights of a stock vault',
  keywords: ['allocation', 'portfolio', 'percentages', 'asset'],
  description:
    'Prepares the call that sets target weights of a vault on Base. Later purchases follow them; what the vault holds changes only by rebalance, which can set them too. basket_signals suggests some. Free; unsigned calldata.',
  input: z.object({ owner: OwnerInput, weightsBps: WeightsInput }),
  output: z.object(
    preparedFields(
      z.object({
        weightsBps: z.array(z.number().int().describe('Parts of ten thousand')).describe('Target weights'),
      }),
    ),
  ),
  needs: vaultNeeds,
  wants: vaultWants,
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'rebalance', tags: ['stocks', 'calldata'] },
  rest: { routes: ['POST /v1/set-weights'] },
  examples: [
    { owner: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', weightsBps: [4_000, 3_000, 2_000, 1_000] },
  ],
  needsSetup: true,
  summary: ({ expect }) => `One call sets the weights ${expect.weightsBps.join(', ')}.`,
}).run(async (ctx, { owner, weightsBps }) => {
  const { openBasket } = await import('./vault/basket.ts')
  const { prepareWeights } = await import('./vault/creation.ts')
  return prepareWeights(await openBasket(toVaultDeps(ctx)), owner, weightsBps)
})
