import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { EvmAddressInput, readAddress, WordInput } from './address.ts'
import { OperationId, StatusFields } from './gas/answer.ts'
import { UserOperationInput } from './gas/request.ts'
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

const oneOfThem = (): ToolError =>
  new ToolError('invalid_input', 'Send id or userOperation, one of them.', {
    issues: [{ path: 'id', message: 'must come, or userOperation in its place' }],
  })

type Named = { id?: string | undefined; userOperation?: { sender: string } | undefined }

export default tool({
  name: 'gas_submit',
  title: 'Submit a sponsored operation',
  description:
    'Submits an operation of gas_sponsor that the account has signed: tries it out, sends it and waits for its block; no bundler is needed. The same again gets the same answer. A wrong signature is refused and nothing is sent. Free: it is paid for.',
  keywords: ['gasless', 'broadcast', 'execute', 'handleops', 'transaction', 'handle'],
  input: z.object({
    id: OperationId.optional().describe('Id of the answer of gas_sponsor'),
    userOperation: UserOperationInput.optional().describe(
      'In place of id: the operation as it was sold, with its paymaster fields',
    ),
    chainId: ChainIdInput.optional().describe(
      'Chain of that operation: 8453 (Base, the default) or 137 (Polygon)',
    ),
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
    { perMinute: 20, per: ({ id, userOperation }: Named) => id ?? userOperation?.sender ?? '' },
  ],
  timeoutMs: 60_000,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  a2a: { group: 'gas', tags: ['gas', 'erc-4337'] },
  needsSetup: true,
  examples: [{ id: 'gas_00000000000000000000000000000000', signature: `0x${'00'.repeat(65)}` }],
  summary: ({ state, transaction_hash: transactionHash }) =>
    `It is ${state}${transactionHash ? `: ${transactionHash}` : ''}.`,
}).run(async ({ store, clock, sponsorChains: chains }, input) => {
  const { userOperation, chainId = 8453, signature, authorization } = input
  if (userOperation && input.id !== undefined) throw oneOfThem()
  const [{ submitOperation, toStatus }, { findOperationId }] = await Promise.all([
    import('./gas/submission.ts'),
    import('./gas/signed-operation.ts'),
  ])
  const signed = authorization && {
    ...authorization,
    address: await readAddress(authorization.address, 'authorization.address'),
    r: authorization.r as Hex,
    s: authorization.s as Hex,
  }
  const id = userOperation ? await findOperationId(store, userOperation, chainId, signed?.address) : input.id
  if (id === undefined) throw oneOfThem()
  const row = await submitOperation(
    { store, clock, chains },
    { id, signature: signature as Hex, authorization: signed },
  )
  return toStatus(row)
})
