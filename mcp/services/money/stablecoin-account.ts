import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { EvmAddressInput, readAddress } from './address.ts'
import { ChainIdInput, readableCoins, requireReadable } from './stablecoin/chains.ts'

const text = (what: string) => z.string().nullable().describe(what)

export default tool({
  name: 'stablecoin_account',
  title: 'Look at a stablecoin account',
  keywords: ['circle', 'frozen', 'blacklist', 'allowance', 'funds', 'blocklist'],
  description:
    'Tells of an address on the supported chains, or one of them: USDC and gas balance, whether it is a key, a wallet with delegated code (EIP-7702) or a contract, whether the issuer has blocked it, what Permit2 or a spender may take, and the EIP-712 domain that its payments are signed under. Free.',
  input: z.object({
    address: EvmAddressInput,
    chainId: ChainIdInput.optional().describe('One chain; without it all that are read'),
    spender: EvmAddressInput.optional().describe('Whose allowance is read too'),
  }),
  output: z.object({
    address: z.string().describe('The address, with its checksum'),
    chains: z
      .array(
        z.object({
          chainId: z.number().int().describe('EIP-155 id'),
          title: z.string().describe('Name of the chain'),
          kind: z
            .enum(['key', 'delegated', 'contract'])
            .describe('A plain wallet, one with delegated code, or a contract'),
          delegate: text('Code that it delegates to (EIP-7702)'),
          balance: z.string().describe('USDC, in dollars'),
          balance_atomic: z.string().describe('USDC in the smallest unit'),
          gas: z.string().describe('Coins for gas'),
          blocked: z
            .boolean()
            .nullable()
            .describe('True when the issuer blocked it; null where that cannot be read'),
          paused: z
            .boolean()
            .nullable()
            .describe('True when the issuer paused the token; null where that cannot be read'),
          permit2_allowance: text('What Permit2 may take, in the smallest unit'),
          spender_allowance: text('What the spender may take, in the smallest unit; null without one'),
          token: z.string().describe('The USDC of this chain'),
          domain: z
            .object({
              name: z.string().describe('Name that signatures cover'),
              version: z.string().describe('Version that signatures cover'),
              matches: z.boolean().describe('True when the token on the chain has this very domain'),
            })
            .describe('What payments are signed under (EIP-712)'),
        }),
      )
      .describe('What each chain says'),
    failed: z
      .array(
        z.object({
          chainId: z.number().int().describe('EIP-155 id'),
          reason: z.string().describe('Why it is not among the others'),
        }),
      )
      .describe('Chains that did not answer'),
    total: z.string().describe('USDC on all chains that answered, in dollars; test networks are left out'),
  }),
  needs: ['evm'],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'debug', text: ['stablecoin-account <address>'], tags: ['usdc', 'debugging'] },
  rest: { routes: ['GET /v1/stablecoin/:address'] },
  examples: [{ address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', chainId: 8453 }],
  summary: ({ address, total }) => `${address} has ${total} USDC.`,
}).run(async ({ evm, signal }, { address: given, chainId, spender: givenSpender }) => {
  const coins = chainId === undefined ? readableCoins : [requireReadable(chainId).coin]
  const address = await readAddress(given, 'address')
  const spender = givenSpender === undefined ? undefined : await readAddress(givenSpender, 'spender')
  const { lookAtAccount } = await import('./stablecoin/account.ts')
  return lookAtAccount({ evm, signal }, coins, address, spender)
})
