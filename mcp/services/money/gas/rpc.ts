import { PaymentRequired, rpcCode, ToolError, toToolError } from '../../../kernel/error.ts'
import { isRecord } from '../../../lib/json.ts'
import { requireGasNetwork } from './networks.ts'
import type { SponsorChains } from './sponsor-chains.ts'

type Fields = Readonly<Record<string, unknown>>

/** A call of a wallet to a paymaster (ERC-7677). */
export type PaymasterCall = {
  id: string | number | null
  method: 'pm_getPaymasterStubData' | 'pm_getPaymasterData'
  userOperation: Fields
  chainId: number
  /** The payment, for wallets that see no headers. */
  payment: unknown
}

const invalid = (path: string, message: string): ToolError =>
  new ToolError('invalid_input', `${path}: ${message}.`, { issues: [{ path, message }] })

const methods = ['pm_getPaymasterStubData', 'pm_getPaymasterData'] as const

const readChainId = (value: unknown): number => {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,12}$/.test(value)) return Number(value)
  throw invalid('params.2', 'must be the chain id in hex, such as 0x2105')
}

/** Reads the payment of a wallet that sees no headers: from the context of the call. */
const readPayment = (context: unknown): unknown => {
  if (!isRecord(context)) return undefined
  return context.x402 ?? (isRecord(context.context) ? context.context.x402 : undefined)
}

/** The id of a JSON-RPC call, as far as it can be answered to. */
export const readRpcId = (body: Fields): string | number | null => {
  const { id } = body
  if ((typeof id === 'string' && id.length <= 256) || (typeof id === 'number' && Number.isSafeInteger(id)))
    return id
  return null
}

/** Reads a JSON-RPC call of ERC-7677. Throws what is wrong with it. */
export const readPaymasterCall = async (body: Fields): Promise<PaymasterCall> => {
  const { method, params } = body
  const paymasterMethod = methods.find(each => each === method)
  if (!paymasterMethod)
    throw new ToolError('not_found', `There is no method ${JSON.stringify(String(method).slice(0, 80))}.`, {
      reason: 'method_not_found',
      hint: `There are ${methods.join(' and ')} (ERC-7677).`,
    })
  if (!Array.isArray(params))
    throw invalid('params', 'must be a list: user operation, EntryPoint, chain id, context')
  const [userOperation, entryPointAddress, chain, context] = params as unknown[]
  if (!isRecord(userOperation)) throw invalid('params.0', 'must be a user operation')
  const { entryPoint } = await import('./operation.ts')
  if (String(entryPointAddress).toLowerCase() !== entryPoint.toLowerCase())
    throw invalid('params.1', `must be EntryPoint v0.8, ${entryPoint}`)
  const chainId = readChainId(chain)
  requireGasNetwork(chainId)
  return {
    id: readRpcId(body),
    method: paymasterMethod,
    userOperation,
    chainId,
    payment: readPayment(context),
  }
}

/** Data a wallet estimates with before anybody pays: as long as the word of the sponsor, and worth nothing. */
export const stubData = async (chains: SponsorChains, chainId: number): Promise<Fields> => {
  const { sponsor } = await chains.open(requireGasNetwork(chainId))
  const [{ stubPaymasterData }, { sponsorGas }] = await Promise.all([
    import('./operation.ts'),
    import('./draft.ts'),
  ])
  return {
    sponsor: { name: 'Octagent' },
    paymaster: sponsor,
    paymasterData: stubPaymasterData,
    paymasterVerificationGasLimit: `0x${sponsorGas.toString(16)}`,
    paymasterPostOpGasLimit: '0x0',
    isFinal: false,
  }
}

/** Fields a wallet puts into its operation once it has paid; `id` is for gas_submit. */
export const paymasterData = (sold: Fields): Fields => {
  const operation = isRecord(sold.userOperation) ? sold.userOperation : {}
  const { paymaster, paymasterData, paymasterVerificationGasLimit, paymasterPostOpGasLimit } = operation
  return {
    paymaster,
    paymasterData,
    paymasterVerificationGasLimit,
    paymasterPostOpGasLimit,
    id: sold.id,
    expires_at: sold.expires_at,
  }
}

const onHttp = ['payment_pending', 'too_many_requests', 'unavailable']

/**
 * A failure as the answer to a JSON-RPC call. What has to be paid for is told twice: by HTTP 402 and its headers, and to wallets that
 * see no headers as an error with the code 402, whose data is the PaymentRequired of x402.
 */
export const toRpcRefusal = (cause: unknown, id: string | number | null) => {
  const error = toToolError(cause)
  if (error.code === 'internal') throw cause
  const parts = error instanceof PaymentRequired ? error.parts : undefined
  const challenges = parts?.challenges ?? []
  const status = parts ? 402 : onHttp.includes(error.code) ? error.status : 200
  const notFound = error.extra.reason === 'method_not_found'
  const code = parts ? 402 : notFound ? -32601 : rpcCode(error.code)
  return {
    kind: 'json' as const,
    status,
    headers: {
      ...error.headers,
      ...parts?.headers,
      ...error.extra.parts?.headers,
      ...(challenges.length > 0 && { 'WWW-Authenticate': challenges.join(', ') }),
    },
    body: {
      jsonrpc: '2.0',
      id,
      error: { code, message: error.message, data: parts?.structured ?? error.toProblem() },
    },
  }
}
