import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { EvmAddressInput, readAddress, WordInput } from './address.ts'
import { ChainIdInput, requireReadable } from './stablecoin/chains.ts'

export default tool({
  name: 'authorization_status',
  title: 'Tell whether an authorization was used',
  keywords: ['already', 'replay', 'twice', 'double', 'state', 'transfer'],
  description:
    'Tells whether the nonce of a USDC payment (EIP-3009) is unused, used or cancelled, with the transaction. A cancelled one has paid nobody, although the token calls both spent. Use it before paying again. Free.',
  input: z.object({
    chainId: ChainIdInput,
    authorizer: EvmAddressInput.describe('Who signed: from of the authorization'),
    nonce: WordInput.describe('Nonce of the authorization'),
  }),
  output: z.object({
    chainId: z.number().int().describe('Chain that was asked'),
    authorizer: z.string().describe('Who signed'),
    nonce: z.string().describe('The nonce'),
    state: z
      .enum(['unused', 'used', 'cancelled', 'spent'])
      .describe('spent: used or cancelled, too long ago to find which'),
    transaction: z.string().nullable().describe('Where it was used or cancelled'),
    block: z.string().nullable().describe('Block of that transaction'),
    payment: z
      .object({
        to: z.string().describe('Who was paid'),
        amount: z.string().describe('How much, in the smallest unit'),
      })
      .nullable()
      .describe('What it paid; null where it paid nothing'),
  }),
  needs: ['evm'],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'debug', tags: ['x402', 'debugging'] },
  rest: { routes: ['GET /v1/authorizations/:nonce'] },
  examples: [
    {
      chainId: 8453,
      authorizer: '0x857b06519e91e3a54538791bdbb0e22373e36b66',
      nonce: '0xf3746613c2d920b5fdabc0856f2aeb2d4f88ee6037b8cc5d04a71a4462f13480',
    },
  ],
  summary: ({ state, transaction }) =>
    `The authorization is ${state}${transaction ? ` in ${transaction}` : ''}.`,
}).run(async ({ evm, signal }, { chainId, authorizer: given, nonce }) => {
  const place = requireReadable(chainId)
  const authorizer = await readAddress(given, 'authorizer')
  const { readAuthorizationStatus } = await import('./authorization/status.ts')
  return readAuthorizationStatus({ evm, signal }, place, authorizer, nonce.toLowerCase() as `0x${string}`)
})
