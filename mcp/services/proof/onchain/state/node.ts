import type { Evm, EvmError, EvmNetwork } from '../../../../ports/evm/port.ts'
import type { Hex } from '../action.ts'

/** Chains that nodes are asked of, by EIP-155 id. */
const readable: Readonly<Record<number, EvmNetwork>> = {
  1: 'eth',
  8453: 'base',
  42161: 'arbitrum',
  10: 'optimism',
  137: 'polygon',
  5042: 'arc',
  84532: 'base-sepolia',
}

/** The name of a chain for the port; undefined for one that is not read here. */
export const networkOf = (chainId: number): EvmNetwork | undefined => readable[chainId]

/** A node that did not answer, or answered what cannot be. */
export class NodeFault extends Error {}

/** A node that says no: a call that reverts, or a method that it does not have. */
export class NodeRefusal extends Error {
  readonly error: EvmError

  constructor(error: EvmError) {
    super(error.message)
    this.error = error
  }
}

/** The nodes of one chain. */
export type Node = {
  ask(method: string, params: readonly unknown[]): Promise<unknown>
  /** Host that answered last. */
  endpoint(): string
}

const deadlineMs = 4_000
const maxBytes = 1 << 20

/** Asks the nodes of a chain. Where payments are made on a local chain, that one is read. All questions together end in time. */
export const openNode = (evm: Evm, chain: EvmNetwork, signal: AbortSignal): Node => {
  const local = evm.local?.(chain)
  const limits = () => ({ signal, maxBytes, ...(local ? {} : { deadlineMs }) })
  let endpoint = ''
  return {
    async ask(method, params) {
      let answer: Awaited<ReturnType<Evm['ask']>>
      try {
        answer = local
          ? await local.ask(method, params, limits())
          : await evm.ask(chain, method, params, limits())
      } catch (cause) {
        throw new NodeFault('no node answered', { cause })
      }
      endpoint = answer.endpoint
      if (answer.error) throw new NodeRefusal(answer.error)
      return answer.result
    },
    endpoint: () => endpoint,
  }
}

/** Bytes in an answer. Throws NodeFault for anything else. */
export const requireHex = (value: unknown, bytes?: number): Hex => {
  if (
    typeof value === 'string' &&
    /^0x(?:[0-9a-f]{2})*$/i.test(value) &&
    (bytes === undefined || value.length === 2 + bytes * 2)
  )
    return value.toLowerCase() as Hex
  throw new NodeFault('a node answered with something that is none')
}

/** A quantity in an answer. Throws NodeFault for anything else. */
export const requireQuantity = (value: unknown): bigint => {
  if (typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)) return BigInt(value)
  throw new NodeFault('a node answered with something that is no number')
}
