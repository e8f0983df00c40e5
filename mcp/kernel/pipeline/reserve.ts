import type { Resource } from '../../ports/scheduler/port.ts'
import type { AnyTool } from '../tool.ts'
import type { Run } from './run.ts'
import type { World } from './world.ts'

const findResource = ({ reserves }: AnyTool, input: object): Resource | undefined =>
  typeof reserves === 'function' ? reserves(input) : reserves

/**
 * Makes sure of a turn at what a priced call needs and all share. It is given up when the call ends, or its client leaves before it has
 * paid. Throws with when to come back.
 */
export const reserveTurn = async ({ ports }: World, { tool, context, input, client }: Run): Promise<void> => {
  const resource = findResource(tool, input)
  if (resource === undefined || !ports.scheduler || !ports[resource]) return
  const { asker, isPaying, caller } = context
  const gone = new AbortController()
  const leave = () => gone.abort()
  if (client?.aborted) leave()
  client?.addEventListener('abort', leave)
  try {
    await ports.scheduler.reserve(resource, {
      asker,
      isPaying: isPaying || caller?.balance !== undefined,
      signal: gone.signal,
    })
  } finally {
    client?.removeEventListener('abort', leave)
  }
}
