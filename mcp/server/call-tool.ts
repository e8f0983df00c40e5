import { call, type Incoming, type World } from '../kernel/call.ts'
import { toToolError } from '../kernel/error.ts'
import type { Entry } from './listed.ts'
import { toCallResult, toErrorResult } from './result.ts'
import { type CallResult, PersonAsked, type ToolRequest } from './surface.ts'

const readIdempotencyKey = ({ meta, evidence }: ToolRequest): string | undefined => {
  const key = meta['idempotency-key']
  return key === undefined ? evidence.idempotencyKey : String(key)
}

const toIncoming = (entry: Entry, request: ToolRequest): Incoming => ({
  channel: 'mcp',
  input: request.input,
  credentials: request.evidence.credentials,
  request: request.evidence.request,
  client: request.evidence.client,
  resource: `mcp://tool/${entry.listed.name}`,
  evidence: {
    headers: { authorization: request.evidence.payment.headers.authorization },
    meta: request.meta,
    ...(request.extensions && { extensions: request.extensions }),
    ...(request.pageId !== undefined && { page: { id: request.pageId, signal: request.signal } }),
  },
  idempotencyKey: readIdempotencyKey(request),
  audience: request.audience,
  person: request.person,
  signal: request.signal,
  ...(request.progress && { progress: request.progress }),
})

/**
 * Runs a tool through the pipeline and says how it went as an MCP result. It throws PersonAsked only, where the person has to cover the
 * call and the client opens pages.
 */
export const callTool = async (world: World, entry: Entry, request: ToolRequest): Promise<CallResult> => {
  try {
    return toCallResult(await call(world, entry.service, entry.tool, toIncoming(entry, request)))
  } catch (cause) {
    const error = toToolError(cause)
    const { ask } = error.extra
    if (ask && request.opensPages) throw new PersonAsked(ask, error.message)
    if (error.extra.challenge !== undefined) request.onChallenge?.(error)
    return toErrorResult(error, world.site.url, request.evidence.request.id)
  }
}
