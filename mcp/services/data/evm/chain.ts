import type { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import type { Evm, EvmAnswer, EvmChain, EvmOptions } from '../../../ports/evm/port.ts'
import { type ChainFacts, chainFacts } from './chains.ts'

type Schema<T> = z.ZodType<T, unknown>

/** One chain as one call of a skill sees it. */
export type CallChain = ChainFacts & {
  name: EvmChain
  /** The chain's reply, revert or not. Throws a retryable `upstream` when it does not answer. */
  answer(method: string, params: readonly unknown[], options?: EvmOptions): Promise<EvmAnswer>
  /** The result, read by a schema. Throws as `answer` does, also when the node refuses the question. */
  read<T>(schema: Schema<T>, method: string, params: readonly unknown[], options?: EvmOptions): Promise<T>
  /** The same; null when the node refuses the question, as it does a call that reverts. */
  readOrNull<T>(
    schema: Schema<T>,
    method: string,
    params: readonly unknown[],
    options?: EvmOptions,
  ): Promise<T | null>
  /** The nodes that answered, as answers name their sources. */
  sources(): string[]
}

/** Opens a chain for one call of a skill. `options` hold for everything that is asked. */
export const openCallChain = (evm: Evm, name: EvmChain, options: EvmOptions): CallChain => {
  const facts = chainFacts[name]
  const nodes = new Set<string>()

  const answer: CallChain['answer'] = async (method, params, more) => {
    const reply = await evm.ask(name, method, params, { ...options, ...more })
    nodes.add(`rpc:${reply.endpoint}`)
    return reply
  }

  const parse = <T>(schema: Schema<T>, method: string, result: unknown): T => {
    const parsed = schema.safeParse(result)
    if (parsed.success) return parsed.data
    throw new ToolError('upstream', `${facts.title} answers ${method} with something that cannot be read.`, {
      hint: 'Repeat the call in a few seconds.',
    })
  }

  return {
    ...facts,
    name,
    answer,
    async read(schema, method, params, more) {
      const reply = await answer(method, params, more)
      return parse(schema, method, reply.error ? undefined : reply.result)
    },
    async readOrNull(schema, method, params, more) {
      const reply = await answer(method, params, more)
      return reply.error ? null : parse(schema, method, reply.result)
    },
    sources: () => [...nodes],
  }
}

/** Optional answer: null when the chain does not say it. */
export const orNullIfUnanswered = async <T>(answer: Promise<T>): Promise<T | null> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ToolError && error.code === 'upstream') return null
    throw error
  }
}
