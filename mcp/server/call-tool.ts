import { call, type Incoming, type World } from '../kernel/call.ts'
import { toToolError } from '../kernel/error.ts'
import type { Entry } from './compile.ts'
import { answered, failed } from './result.ts'
import type { Asked, CallResult } from './surface.ts'

const idempotencyKeyOf = ({ meta, evidence }: Asked): string | undefined => {
  const key = meta['idempotency-key']
  return key === undefined ? evidence.idempotencyKey : String(key)
}

const incomingOf = (entry: Entry, asked: Asked): Incoming => ({
  channel: 'mcp',
  input: asked.input,
  credentials: asked.evidence.credentials,
  request: asked.evidence.request,
  client: asked.evidence.client,
  resource: `mcp://tool/${entry.tool.name}`,
  evidence: {
    headers: { authorization: asked.evidence.payment.headers.authorization },
    meta: asked.meta,
    ...(asked.extensions && { extensions: asked.extensions }),
  },
  idempotencyKey: idempotencyKeyOf(asked),
  signal: asked.signal,
  ...(asked.progress && { progress: asked.progress }),
})

/** Runs a tool through the pipeline and says how it went as an MCP result; it never throws. */
export const callTool = async (world: World, entry: Entry, asked: Asked): Promise<CallResult> => {
  try {
    return answered(await call(world, entry.service, entry.tool, incomingOf(entry, asked)))
  } catch (thrown) {
    return failed(toToolError(thrown), world.site.url)
  }
}
