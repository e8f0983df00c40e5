import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { EvmAddressInput, readAddress, WordInput } from './address.ts'
import { OperationId, StatusFields } from './gas/answer.ts'
import { sponsorChains } from './gas/sponsor-chains.ts'
import { ChainIdInput } from './stablecoin/chains.ts'

type Hex = `0x${string}`

const quantity = z.preprocess(
  value =>
    typeof value === 'string' && /^(?:0x[0-9a-fA-F]{1,12}|\d{1,15})$/.test(value) ? Number(value) : value,
  z.number().int().min(0),
)

const Authorization = z.looseObject({
  address: EvmAddressInput.describe('Code that the account delegates to'),
  chainId: ChainIdInput,
  nonce: quantity.describe('Number of transactions of the account'),
  r: WordInput.describe('First half of the signature'),
  s: WordInput.describe('Second half of the signature'),
  yParity: quantity.describe('0 or 1'),
})

export default tool({
  name: 'gas_submit',
  title: 'Submit a sponsored operation',
  description:
    'Submits an operation of gas_sponsor that the account has signed: tries it out, sends it and waits for its block; no bundler is needed. The same id again gets the same answer. A wrong signature is refused and nothing is sent. Free: it is paid for.',
  keywords: ['gasless', 'broadcast', 'execute', 'handleops', 'transaction', 'handle'],
  input: z.object({
    id: OperationId.describe('Id of the answer of gas_sponsor'),
    signature: z
      .string()
      .regex(/^0x(?:[0-9a-fA-F]{2}){1,8192}$/, 'must be bytes in hex, 0x first')
      .describe('Signature of the account over the typed_data'),
    authorization: Authorization.optional().describe(
      'The signed authorization, where the answer asks for one (EIP-7702)',
    ),
  }),
  output: z.object(StatusFields),
  needs: ['store', 'clock', sponsorChains],
  price: free,
  limits: [
    { perMinute: 60, per: 'client' },
    { perMinute: 20, per: ({ id }: { id: string }) => id },
  ],
  timeoutMs: 60_000,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  a2a: { group: 'gas', tags: ['gas', 'erc-4337'] },
  needsSetup: true,
  examples: [{ id: 'gas_00000000000000000000000000000000', signature: `0x${'00'.repeat(65)}` }],
  summary: ({ state, transaction_hash: transactionHash }) =>
    `It is ${state}${transactionHash ? `: ${transactionHash}` : ''}.`,
}).run(async ({ store, clock, sponsorChains: chains }, { id, signature, authorization }) => {
  const { submitOperation, toStatus } = await import('./gas/submission.ts')
  const signed = authorization && {
    ...authorization,
    address: await readAddress(authorization.address, 'authorization.address'),
    r: authorization.r as Hex,
    s: authorization.s as Hex,
  }
  const row = await submitOperation(
    { store, clock, chains },
    { id, signature: signature as Hex, authorization: signed },
  )
  return toStatus(row)
})
