import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { EvmAddressInput } from './address.ts'
import { AmountFields } from './vault/fields.ts'
import { toVaultDeps, vaultNeeds, vaultWants } from './vault/needs.ts'

const text = (what: string) => z.string().describe(what)
const maybe = (what: string) => z.string().nullable().describe(what)
const bps = z.number().int().describe('Parts of ten thousand')

export default tool({
  name: 'vault_status',
  title: 'Look at a stock vault',
  keywords: ['value', 'portfolio', 'performance', 'positions'],
  description:
    'Tells of a vault on Base, by its owner or its address: whether it is there, what it holds and is worth, weights and drift, shares, which tokens cannot be transferred just now, and what is set aside to be claimed. Free.',
  input: z.object({
    owner: EvmAddressInput.optional().describe('Owner of the vault; or vault'),
    vault: EvmAddressInput.optional().describe('Address of the vault; or owner'),
    receiver: EvmAddressInput.optional().describe('For whom tokens may be set aside; default: the owner'),
  }),
  output: z.object({
    chainId: z.number().int().describe('EIP-155 id'),
    vault: text('Its address, the same before it is created'),
    owner: text('Its owner, for good'),
    exists: z.boolean().describe('False before it is created'),
    shares: text('Shares of the owner'),
    total_shares: text('All shares'),
    cash: maybe('USDC in the vault'),
    value: maybe('What it is worth in USDC by the oracle; null when a price or a balance is missing'),
    weightsBps: z.array(bps).describe('Target weights, in the order of the stocks'),
    current_bps: z.array(bps).nullable().describe('What it holds by value; null when a price is missing'),
    max_drift_bps: z.number().int().nullable().describe('The largest difference of both'),
    holdings: z
      .array(
        z.object({
          symbol: text('Symbol'),
          token: text('Token'),
          amount: maybe('In whole tokens; null when the token does not answer'),
          value: maybe('In USDC by the oracle; null without a price'),
          price: maybe('USD by its feed'),
          price_at: maybe('When it was told, ISO 8601'),
          transferable: z
            .boolean()
            .nullable()
            .describe(
              'False while the token is paused or the vault or receiver blocked; null when there is none to try',
            ),
          reserved: maybe('Of all that the token has here, set aside for somebody'),
        }),
      )
      .describe('The stocks'),
    set_aside: z
      .array(AmountFields)
      .describe('What waits for the receiver; redeem with to: set_aside claims it'),
    market: z
      .object({ open: z.boolean().describe('The exchange trades now'), since: text('Since when, ISO 8601') })
      .describe('The exchange of the stocks'),
    warnings: z.array(text('In words')).describe('What to know'),
    simulated: z.boolean().describe('True on a local chain: stocks and prices are made up'),
  }),
  needs: vaultNeeds,
  wants: vaultWants,
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'discover-index', text: ['vault-status <owner>'], tags: ['stocks'] },
  rest: { routes: ['GET /v1/vault-status'] },
  examples: [{ owner: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' }],
  summary: ({ exists, value, vault }) =>
    exists ? `${vault} is worth ${value ?? 'an unknown number of'} USDC.` : `${vault} is not created yet.`,
}).run(async (ctx, input) => {
  const { openBasket } = await import('./vault/basket.ts')
  const { describeVault } = await import('./vault/status.ts')
  return describeVault(await openBasket(toVaultDeps(ctx)), input)
})
