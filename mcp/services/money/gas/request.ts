import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { EvmAddressInput, readAddress } from '../address.ts'
import { ChainIdInput } from '../stablecoin/chains.ts'
import { delegationMarker, type GasNetwork, requireGasNetwork } from './networks.ts'

type Hex = `0x${string}`

const maxDataChars = 2 + 2 * 24_576

const bytes = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/, 'must be bytes in hex, 0x first')
  .max(maxDataChars, 'must be 24,576 bytes at most')

const amount = z
  .preprocess(
    value => (typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value),
    z.string().regex(/^(?:0x[0-9a-fA-F]{1,64}|\d{1,77})$/, 'must be a whole number, in digits or in hex'),
  )
  .describe('A whole number')

const CallInput = z.strictObject({
  to: EvmAddressInput.describe('Contract or account that is called'),
  data: bytes.optional().describe('Calldata; nothing by default'),
  value: amount.optional().describe('Coins sent along, in wei; 0 by default'),
  gas: amount
    .optional()
    .describe('Taken as answers with calldata have it, and not used: the dry run finds the limit'),
})

const AuthorizationInput = z.looseObject({
  address: EvmAddressInput.describe('Code that the account delegates to'),
})

export const UserOperationInput = z
  .strictObject({
    sender: EvmAddressInput.describe('The account'),
    nonce: amount.optional().describe('Default: the next one of key 0'),
    factory: z
      .string()
      .regex(/^0x(?:7702|[0-9a-fA-F]{40})$/, 'must be an address, or 0x7702')
      .optional()
      .describe('Who makes the account, or 0x7702 for a plain one that delegates with it'),
    factoryData: bytes.optional().describe('What the factory is called with'),
    callData: bytes.describe('What the account is called with'),
    callGasLimit: amount.optional().describe('Default: as the dry run says'),
    verificationGasLimit: amount.optional().describe('Default: as the dry run says'),
    preVerificationGas: amount.optional().describe('Default: what the transaction costs besides'),
    maxFeePerGas: amount.optional().describe('Default: what a block of now asks, twice'),
    maxPriorityFeePerGas: amount.optional().describe('Default: what others pay'),
    paymaster: z.string().optional().describe('As it was sold'),
    paymasterData: z.string().optional().describe('As it was sold'),
    paymasterVerificationGasLimit: amount.optional().describe('As it was sold'),
    paymasterPostOpGasLimit: amount.optional().describe('As it was sold'),
    signature: bytes
      .optional()
      .describe('A stub of the right form, where the check of the account needs one'),
    eip7702Auth: AuthorizationInput.optional().describe(
      'What a plain account delegates to; its signature is not needed yet',
    ),
  })
  .describe('An operation of any account of EntryPoint v0.8')

/** The fields that name what is to be sponsored. */
export const sponsorFields = {
  sender: EvmAddressInput.optional().describe('A plain account whose calls are sponsored'),
  calls: z
    .array(CallInput)
    .min(1, 'must hold one call at least')
    .max(32, 'must hold 32 calls at most')
    .optional()
    .describe('Its calls, carried out together or not at all'),
  redelegate: z
    .boolean()
    .optional()
    .describe('True lets an account that delegates to other code delegate to Simple7702Account from now on'),
  userOperation: UserOperationInput.optional().describe(
    'In place of sender and calls: an operation, not signed',
  ),
  chainId: ChainIdInput.optional().describe('8453 (Base, the default) or 137 (Polygon)'),
}

type Input = {
  sender?: string | undefined
  calls?: readonly z.output<typeof CallInput>[] | undefined
  redelegate?: boolean | undefined
  userOperation?: z.output<typeof UserOperationInput> | undefined
  chainId?: number | undefined
}

export type Call = { to: Hex; value: bigint; data: Hex }

/** Request to be sponsored, read and checked. */
export type SponsorRequest = { network: GasNetwork } & (
  | { kind: 'calls'; sender: Hex; calls: readonly Call[]; redelegate: boolean }
  | { kind: 'operation'; operation: RequestedOperation }
)

type Numbers = {
  nonce: bigint | undefined
  callGasLimit: bigint | undefined
  verificationGasLimit: bigint | undefined
  preVerificationGas: bigint | undefined
  maxFeePerGas: bigint | undefined
  maxPriorityFeePerGas: bigint | undefined
}

export type RequestedOperation = Numbers & {
  sender: Hex
  factory: Hex | undefined
  factoryData: Hex | undefined
  callData: Hex
  signature: Hex
  /** Code that its authorization names, where it brings one. */
  delegate: Hex | undefined
}

const wrong = (path: string, message: string, hint?: string): ToolError =>
  new ToolError('invalid_input', `${path}: ${message}.`, { issues: [{ path, message }], hint })

const readNumber = (text: string | undefined, path: string, bits: number): bigint | undefined => {
  if (text === undefined) return undefined
  const value = BigInt(text)
  if (value >> BigInt(bits) === 0n) return value
  throw wrong(path, `must fit into ${bits} bits`)
}

/** Zero of a wallet that has not estimated yet means that we are to. */
const readLimit = (text: string | undefined, path: string): bigint | undefined =>
  readNumber(text, path, 64) || undefined

const readOperation = async (fields: NonNullable<Input['userOperation']>): Promise<RequestedOperation> => {
  const at = (field: string) => `userOperation.${field}`
  const { factory, factoryData, eip7702Auth } = fields
  if (factory === undefined && factoryData !== undefined && factoryData !== '0x')
    throw wrong(at('factoryData'), 'needs a factory')
  const isMarker = factory !== undefined && /^0x7702(?:0{36})?$/.test(factory)
  if (eip7702Auth && !isMarker && factory !== undefined)
    throw wrong(at('eip7702Auth'), 'belongs to an operation whose factory is 0x7702')
  const plainFactory =
    factory === undefined
      ? undefined
      : await readAddress(isMarker ? delegationMarker : factory, at('factory'))
  return {
    sender: await readAddress(fields.sender, at('sender')),
    factory: isMarker ? delegationMarker : plainFactory,
    factoryData: factoryData as Hex | undefined,
    callData: fields.callData as Hex,
    signature: (fields.signature ?? '0x') as Hex,
    delegate: eip7702Auth && (await readAddress(eip7702Auth.address, at('eip7702Auth.address'))),
    nonce: readNumber(fields.nonce, at('nonce'), 256),
    callGasLimit: readLimit(fields.callGasLimit, at('callGasLimit')),
    verificationGasLimit: readLimit(fields.verificationGasLimit, at('verificationGasLimit')),
    preVerificationGas: readLimit(fields.preVerificationGas, at('preVerificationGas')),
    maxFeePerGas: readLimit(fields.maxFeePerGas, at('maxFeePerGas')),
    maxPriorityFeePerGas: readNumber(fields.maxPriorityFeePerGas, at('maxPriorityFeePerGas'), 64),
  }
}

/** Reads what is to be sponsored: `sender` and `calls`, or `userOperation`. Throws `invalid_input` that names the field. */
export const readSponsorRequest = async (input: Input): Promise<SponsorRequest> => {
  const { sender, calls, userOperation, redelegate, chainId } = input
  const network = requireGasNetwork(chainId ?? 8453)
  if (userOperation !== undefined) {
    const both = (['sender', 'calls', 'redelegate'] as const).find(field => input[field] !== undefined)
    if (both) throw wrong(both, 'cannot come with userOperation: send the one or the other')
    return { network, kind: 'operation', operation: await readOperation(userOperation) }
  }
  if (sender === undefined) throw wrong('sender', 'is missing', 'Send sender and calls, or userOperation.')
  if (calls === undefined) throw wrong('calls', 'is missing', 'Send sender and calls, or userOperation.')
  return {
    network,
    kind: 'calls',
    sender: await readAddress(sender, 'sender'),
    redelegate: redelegate ?? false,
    calls: await Promise.all(
      calls.map(async ({ to, data, value }, index) => ({
        to: await readAddress(to, `calls.${index}.to`),
        data: (data ?? '0x') as Hex,
        value: readNumber(value, `calls.${index}.value`, 128) ?? 0n,
      })),
    ),
  }
}

/** Whose limit a request counts in: the account that it is of. */
export const senderOf = ({ sender, userOperation }: Input): string =>
  `gas ${(sender ?? userOperation?.sender ?? '').toLowerCase()}`
