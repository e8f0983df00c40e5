import { passOn } from '../../lib/trace/context.ts'
import type { Span } from '../../lib/trace/span.ts'
import type { Service } from '../service.ts'
import type { AnyTool } from '../tool.ts'
import type { Incoming } from './incoming.ts'
import type { World } from './world.ts'

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/**
 * The span of a call, which goes on with the trace that came in its headers or in the metadata of its message (MCP and A2A). Without
 * a tracer the caller's own is handed on; undefined where there is neither.
 */
export const beginSpan = (
  { tracer }: World,
  service: Service,
  tool: AnyTool,
  { channel, evidence, request }: Incoming,
): Span | undefined => {
  const { headers } = request
  const traceparent = textOf(evidence.meta.traceparent) ?? headers.traceparent
  if (!tracer && traceparent === undefined) return undefined
  const origin = { traceparent, tracestate: textOf(evidence.meta.tracestate) ?? headers.tracestate }
  if (!tracer) return passOn(origin)
  const isMcp = channel === 'mcp'
  return tracer.begin(`${isMcp ? 'tools/call' : 'execute_tool'} ${tool.name}`, origin, {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool.name,
    'mcp.method.name': isMcp ? 'tools/call' : undefined,
    'octagent.service': service.slug,
    'octagent.channel': channel,
    'octagent.request_id': request.id,
  })
}
