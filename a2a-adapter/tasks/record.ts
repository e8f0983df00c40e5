import { call } from '../../mcp/kernel/call.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { type A2aDeps, type Exchange, toIncoming } from '../exchange.ts'
import { parseState } from '../wire/encode.ts'
import { type A2aTask, toAgentMessage } from '../wire/message.ts'
import { isTaskId } from './store.ts'

/**
 * What a service itself calls a task, as a task of A2A in the state that it has there; undefined for an id that is kept here, or that is
 * nothing of the service. The read is a call like every other.
 */
export const findRecord = async (
  { world }: A2aDeps,
  exchange: Exchange,
  id: string,
): Promise<A2aTask | undefined> => {
  const { service } = exchange.identity
  const { taskReader } = service
  const tool = service.tools.find(({ name }) => name === taskReader?.tool)
  if (!taskReader || !tool || isTaskId.test(id)) return undefined
  const incoming = toIncoming(exchange, tool, { [taskReader.id]: id }, { headers: {}, meta: {} })
  try {
    const { output, text } = await call(world, service, tool, incoming)
    const state = parseState(String(Object.entries(output).find(([name]) => name === taskReader.state)?.[1]))
    if (!state) return undefined
    return {
      id,
      contextId: id,
      state,
      timestamp: (world.ports.clock?.now() ?? new Date()).toISOString(),
      message: toAgentMessage({ contextId: id, taskId: id }, text),
      artifacts: [{ artifactId: id, name: tool.name, parts: [{ text }, { data: output }] }],
      history: [],
    }
  } catch (cause) {
    const isNone =
      cause instanceof ToolError && (cause.code === 'not_found' || cause.code === 'invalid_input')
    if (isNone) return undefined
    throw cause
  }
}
