import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { EvmAddressInput, readAddress, WordInput } from './address.ts'
import { ChainIdInput, requireReadable } from './stablecoin/chains.ts'
import { meanings } from './transaction/meaning.ts'

const text = (what: string) => z.string().nullable().describe(what)

export default tool({
  name: 'payment_explain',
  title: 'Explain a payment on the chain',
  keywords: ['happened', 'decode', 'details', 'settled', 'analyse', 'facilitator'],
  description:
    'Tells what a transaction did with USDC: who paid whom and how much, by which authorization, why it reverted, whether it carried user operations (ERC-4337) or a bridge transfer (CCTP), and whether it satisfies an expected payee and amount. Free.',
  input: z.object({
    chainId: ChainIdInput,
    transaction_hash: WordInput.describe('Hash of the transaction'),
    expect: z
      .strictObject({
        payTo: EvmAddressInput.describe('Who should have been paid'),
        amount: z
          .string()
          .regex(/^\d{1,30}$/, 'must be digits: the smallest unit')
          .describe('How much, in the smallest unit: 10000 is 0.01 USDC'),
      })
      .optional()
      .describe('What it should have paid'),
  }),
  output: z.object({
    chainId: z.number().int().describe('Chain that was asked'),
    transaction: z.string().describe('Hash of the transaction'),
    status: z.enum(['success', 'reverted', 'pending', 'not_found']).describe('What became of it'),
    explanation: z.string().describe('What it did, for people'),
    block: text('Block it is in'),
    from: text('Who sent it'),
    to: text('What it called'),
    method: text('Method it called, where that is known'),
    meaning: z.array(z.enum(meanings)).describe('What it was for, as its call and its logs say'),
    payments: z
      .array(
        z.object({
          from: z.string().describe('Who paid'),
          to: z.string().describe('Who was paid'),
          amount: z.string().describe('How much, in the smallest unit'),
          authorization: text('Nonce of the authorization it went by'),
        }),
      )
      .describe('Movements of USDC, at most 50'),
    payment_count: z.number().int().describe('All movements of USDC'),
    operations: z
      .array(
        z.object({
          user_op_hash: z.string().describe('Hash of the operation'),
          sender: z.string().describe('Account'),
          paymaster: text('Who paid its gas; null for the account itself'),
          success: z.boolean().describe('Whether it did its work: a transaction succeeds all the same'),
        }),
      )
      .describe('User operations (ERC-4337) it carried, at most 50'),
    revert_reason: text('Why it reverted, where that can be found out'),
    expect: z
      .object({
        satisfied: z.boolean().describe('True when the expected payment was made'),
        reason: z.string().describe('Why'),
      })
      .nullable()
      .describe('Whether it is what was expected; null where nothing was'),
  }),
  needs: ['evm'],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'debug', tags: ['x402', 'debugging'] },
  rest: { routes: ['GET /v1/payments/:transaction_hash'] },
  examples: [
    {
      chainId: 8453,
      transaction_hash: '0x242b221fe35034cc9d1d76a18421f294620ceff8422ac1775bcaad6d65717627',
    },
  ],
  summary: ({ explanation }) => explanation,
}).run(async ({ evm, signal }, { chainId, transaction_hash: transactionHash, expect }) => {
  const place = requireReadable(chainId)
  const expected = expect && {
    payTo: await readAddress(expect.payTo, 'expect.payTo'),
    amount: BigInt(expect.amount),
  }
  const { explainPayment } = await import('./transaction/explain.ts')
  return explainPayment({ evm, signal }, place, transactionHash.toLowerCase() as `0x${string}`, expected)
})
