import { ToolError } from '../../kernel/error.ts'
import type { Network } from './port.ts'

/**
 * Runs what asks a chain. A failure of the chain's node becomes `upstream`, to be tried again; its own words are dropped,
 * since they quote addresses of nodes, keys in them, and whole signed calls.
 */
export const onChain = async <T>(network: Network, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ToolError) throw error
    throw new ToolError('upstream', `${network.title} does not answer just now.`, {
      hint: 'Repeat the call with the same payment in a few seconds.',
      retryAfter: 5,
      cause: new Error(error instanceof Error ? error.name : 'unknown failure'),
    })
  }
}
