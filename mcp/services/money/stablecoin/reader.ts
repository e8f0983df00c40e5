import { createPublicClient, custom, type PublicClient, RpcRequestError } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import type { Evm, EvmNetwork } from '../../../ports/evm/port.ts'

/** Gas of a question: a contract that computes without end would keep nodes busy until they are given up. */
export const questionGas = 20_000_000n

/**
 * viem's client over the port: nodes, limits and retries are the port's. Where payments are made on a local chain, that one is read:
 * what people ask about here is their money.
 */
export const openReader = (evm: Evm, chain: EvmNetwork, signal: AbortSignal): PublicClient =>
  createPublicClient({
    cacheTime: 0,
    transport: custom(
      {
        async request({ method, params }: { method: string; params?: unknown }) {
          const list = Array.isArray(params) ? params : []
          const limits = { signal, maxBytes: 1 << 20 }
          const local = evm.local?.(chain)
          const answer = local
            ? await local.ask(method, list, limits)
            : await evm.ask(chain, method, list, limits)
          if (!answer.error) return answer.result
          const { data, ...facts } = answer.error
          throw new RpcRequestError({
            body: { method },
            error: { ...facts, ...(data !== null && { data }) },
            url: answer.endpoint,
          })
        },
      },
      { retryCount: 0 },
    ),
  })

/** The failure of ours within what viem throws; undefined where the chain itself said no. */
const findToolError = (problem: unknown): ToolError | undefined => {
  for (let cause = problem; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ToolError) return cause
  return undefined
}

/** Returns a chain's answer. A node that is away is a retryable ToolError, whatever viem wraps it in. */
export const onChain = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (problem) {
    throw findToolError(problem) ?? problem
  }
}

/** The same; undefined where the contract reverts, or has no such function. */
export const orUndefined = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch (problem) {
    const failure = findToolError(problem)
    if (failure) throw failure
    return undefined
  }
}
