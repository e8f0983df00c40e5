import { type BaseError, type ContractFunctionRevertedError, createClient, custom, type Hex } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import { clean } from '../../../lib/text/clean.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import type { CallChain } from './chain.ts'
import { askGateways } from './gateway.ts'

/** Resolves names of any kind, with gateways where a resolver wants them (ENSIP-10, ENSIP-23). */
const universalResolver = '0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe'

/** Ways in which the resolver says that there is nothing; all other failures say nothing about the name. */
const nothing = new Set([
  'ResolverNotFound',
  'ResolverNotContract',
  'ResolverError',
  'UnsupportedResolverProfile',
  'ReverseAddressMismatch',
])

const isNoAnswer = (failure: unknown): boolean => {
  const error = failure as Partial<BaseError>
  const revert = error.walk?.(
    cause => (cause as Error).name === 'ContractFunctionRevertedError',
  ) as ContractFunctionRevertedError | null
  return nothing.has(revert?.data?.errorName ?? '')
}

const unknown = (cause: unknown): ToolError => {
  for (let error = cause; error instanceof Error; error = error.cause)
    if (error instanceof ToolError) return error
  return new ToolError('upstream', 'ENS does not answer just now.', {
    hint: 'Repeat the call in a few seconds, or give the address itself.',
  })
}

const orNull = async <T>(answer: Promise<T>): Promise<T | null> => {
  try {
    return await answer
  } catch (failure) {
    if (isNoAnswer(failure)) return null
    throw unknown(failure)
  }
}

/** Names of the Ethereum Name Service, read from Ethereum. Throws `upstream` where it is not known what a name leads to. */
export const openEns = (eth: CallChain, fetch: Fetch, signal: AbortSignal) => {
  const request = async ({ method, params = [] }: { method: string; params?: unknown }) => {
    const { error, result } = await eth.answer(method, params as unknown[])
    if (error) throw Object.assign(new Error(error.message), { code: error.code, data: error.data })
    return result
  }
  const client = createClient({
    transport: custom({ request: request as never }, { retryCount: 0 }),
    ccipRead: { request: lookup => askGateways(fetch, lookup, signal) },
  })
  const at = { universalResolverAddress: universalResolver, strict: true } as const

  return {
    /** `name` as ENS writes it, null when it is none (ENSIP-15); the address it leads to, or null. */
    async resolveName(text: string): Promise<{ name: string; address: Hex | null } | { name: null }> {
      const [{ getEnsAddress }, { normalize }] = await Promise.all([
        import('viem/actions'),
        import('viem/ens'),
      ])
      let name: string
      try {
        name = normalize(text)
      } catch {
        return { name: null }
      }
      return { name, address: await orNull(getEnsAddress(client, { name, ...at })) }
    },
    /** The name that an address gives itself and that leads back to it, or null. */
    async lookUpName(address: Hex): Promise<string | null> {
      const { getEnsName } = await import('viem/actions')
      return clean(await orNull(getEnsName(client, { address, ...at })), 255)
    },
  }
}
