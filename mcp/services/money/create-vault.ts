import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { OwnerInput, preparedFields } from './vault/fields.ts'
import { toVaultDeps, vaultNeeds, vaultWants } from './vault/needs.ts'

export default tool({
  name: 'create_vault',
  title: 'Create a stock vault',
  keywords: ['new', 'start', 'portfolio', 'creation'],
  description:
    'Prepares the call by which an account opens its own vault for the four tokenized stocks on Base. The owner is fixed for good and nobody else can move anything. buy_stocks does it too, so this is only for an empty vault. Free; unsigned calldata.',
  input: z.object({ owner: OwnerInput }),
  output: z.object(
    preparedFields(
      z.object({
        vault: z.string().describe('The vault'),
        owner: z.string().describe('Its owner'),
        created: z.literal(true).describe('It is there'),
      }),
    ),
  ),
  needs: vaultNeeds,
  wants: vaultWants,
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { skill: 'create-vault', text: ['create-vault <owner>'], tags: ['stocks', 'calldata'] },
  rest: { routes: ['POST /v1/create-vault'] },
  examples: [{ owner: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' }],
  summary: ({ vault }) => `One call opens the vault ${vault}.`,
}).run(async (ctx, { owner }) => {
  const { openBasket } = await import('./vault/basket.ts')
  const { prepareCreation } = await import('./vault/creation.ts')
  return prepareCreation(await openBasket(toVaultDeps(ctx)), owner)
})
