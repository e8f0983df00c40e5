import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import type { Authorization } from '../../lib/eip3009.ts'
import { EvmAddressInput, readAddress, WordInput } from './address.ts'
import { ChainIdInput, requireCoin } from './stablecoin/chains.ts'

const maxUint = (1n << 256n) - 1n

/** A number of 256 bits, as text or as a whole number that is exact. */
const Uint = z
  .union([z.string(), z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER)])
  .transform(String)
  .refine(text => /^\d{1,78}$/.test(text) && BigInt(text) <= maxUint, 'must be digits only, up to 256 bits')

const AuthorizationInput = z.strictObject({
  from: EvmAddressInput.describe('Who pays'),
  to: EvmAddressInput.describe('Who is paid'),
  value: Uint.describe('Amount in the smallest unit: 10000 is 0.01 USDC'),
  validAfter: Uint.describe('Unix seconds after which it holds'),
  validBefore: Uint.describe('Unix seconds before which it holds'),
  nonce: WordInput.describe('Nonce: 32 random bytes'),
})

/** Reads what was given. Throws `invalid_input` for a wrong checksum. */
const readAuthorization = async (input: z.output<typeof AuthorizationInput>): Promise<Authorization> => ({
  from: await readAddress(input.from, 'authorization.from'),
  to: await readAddress(input.to, 'authorization.to'),
  value: BigInt(input.value),
  validAfter: BigInt(input.validAfter),
  validBefore: BigInt(input.validBefore),
  nonce: input.nonce.toLowerCase() as `0x${string}`,
})

const text = (what: string) => z.string().nullable().describe(what)

const CheckFields = z.object({
  check: z
    .enum([
      'recipient',
      'amount',
      'window',
      'signature',
      'token',
      'nonce',
      'block_list',
      'balance',
      'transfer',
    ])
    .describe('What was looked at'),
  state: z
    .enum(['ok', 'failed', 'unknown'])
    .describe('Failed stops the payment; unknown could not be looked at'),
  code: text('What is wrong, for programs'),
  message: z.string().describe('What was seen, and what to do, for people'),
})

export default tool({
  name: 'authorization_check',
  title: 'Check a signed payment',
  keywords: ['rejected', 'wrong', 'debug', 'valid', 'invalid', 'settle'],
  description:
    'Tells the first reason why a signed USDC payment (EIP-3009, x402 "exact") would fail: recipient, amount and decimals, time window, signature (keys, ERC-1271, ERC-6492, EIP-7702; and which domain was signed by mistake), nonce, block list, balance, and a trial on the chain. Nothing is sent. Free.',
  input: z.object({
    chainId: ChainIdInput,
    authorization: AuthorizationInput.describe('What was signed'),
    signature: z
      .string()
      .regex(/^0x(?:[0-9a-fA-F]{2}){1,8192}$/, 'must be bytes in hex, 0x first')
      .describe('The signature over it'),
    expect: z
      .strictObject({
        payTo: EvmAddressInput.optional().describe('Who must be paid'),
        amount: z
          .string()
          .regex(/^\d{1,30}$/, 'must be digits: the smallest unit')
          .optional()
          .describe('What must be paid, in the smallest unit'),
      })
      .optional()
      .describe('What the quote asked for'),
  }),
  output: z.object({
    chainId: z.number().int().describe('Chain that was asked'),
    payable: z
      .boolean()
      .nullable()
      .describe('True when nothing stops it; null when not everything could be looked at'),
    first: CheckFields.nullable().describe('The first reason why it fails; null when none was found'),
    checks: z
      .array(CheckFields)
      .describe('Everything that was looked at, in the order in which a payment fails'),
    signature: z
      .object({
        kind: z
          .enum(['key', 'erc1271', 'eip7702', 'erc6492'])
          .describe(
            'Who answers for it: a key, a smart account, delegated code, or an account not yet deployed',
          ),
        signer: text('Address that the bytes recover to, where they are of a key'),
        delegate: text('Code that the wallet delegates to (EIP-7702)'),
      })
      .describe('The signature'),
    digest: z.string().describe('What had to be signed (EIP-712)'),
    domain: z
      .object({
        name: z.string().describe('Name'),
        version: z.string().describe('Version'),
        chainId: z.number().int().describe('Chain'),
        verifyingContract: z.string().describe('The token'),
      })
      .describe('The domain that has to be signed under on this chain'),
  }),
  needs: ['evm', 'clock'],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'debug', tags: ['x402', 'debugging'] },
  rest: { routes: ['POST /v1/authorizations/check'] },
  examples: [
    {
      chainId: 8453,
      authorization: {
        from: '0x857b06519e91e3a54538791bdbb0e22373e36b66',
        to: '0x209693bc6afc0c5328ba36faf03c514ef312287c',
        value: '10000',
        validAfter: '1740672089',
        validBefore: '1740672154',
        nonce: '0xf3746613c2d920b5fdabc0856f2aeb2d4f88ee6037b8cc5d04a71a4462f13480',
      },
      signature:
        '0x2d6a7588d6acca505cbf0d9a4a227e0c52c6c34008c8e8986a1283259764173608a2ce6496642e377d6da8dbbf5836e9bd15092f9ecab05ded3d6293af148b571c',
    },
  ],
  summary: ({ first, payable }) =>
    first?.message ?? (payable ? 'The payment would go through.' : 'Nothing wrong was found.'),
}).run(async ({ evm, clock, signal }, { chainId, authorization: given, signature, expect }) => {
  const coin = requireCoin(chainId)
  const authorization = await readAuthorization(given)
  const payTo = expect?.payTo === undefined ? undefined : await readAddress(expect.payTo, 'expect.payTo')
  const { checkAuthorization } = await import('./authorization/check.ts')
  const { checks, first, domain, digest, ...result } = await checkAuthorization(
    { evm, signal },
    {
      coin,
      authorization,
      signature: signature as `0x${string}`,
      expected: { payTo, amount: expect?.amount === undefined ? undefined : BigInt(expect.amount) },
      now: clock.now(),
    },
  )
  const { kind, signer, delegate } = result.signature
  const isOpen = !result.isRead
  return {
    chainId,
    payable: first === null && isOpen ? null : first === null,
    first,
    checks,
    signature: { kind, signer, delegate },
    digest,
    domain,
  }
})
