import type { Incoming, World } from '../mcp/kernel/call.ts'
import type { Evidence, PaymentEvidence } from '../mcp/kernel/http.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import type { Who } from './caller.ts'
import type { Skills } from './skills/choose.ts'
import type { Contexts } from './tasks/context.ts'
import type { Desk } from './tasks/desk.ts'
import type { Fields } from './wire/fields.ts'
import type { Version } from './wire/version.ts'

/** One request to an operation. */
export type Exchange = {
  version: Version
  params: Fields
  evidence: Evidence
  who: Who
  /** Tells when the client goes away before it has its answer. */
  gone(): NonNullable<Incoming['signal']>
}

/** What the operations of one service share. */
export type Bench = { world: World; skills: Skills; desk: Desk | undefined; contexts: Contexts }

/** What the pipeline is told of a message. */
export const incomingOf = (
  { evidence, who }: Exchange,
  tool: AnyTool,
  input: unknown,
  payment: PaymentEvidence,
  task?: string,
): Incoming => ({
  channel: 'a2a',
  input,
  credentials: evidence.credentials,
  request: evidence.request,
  client: evidence.client,
  resource: `a2a://${who.service.slug}/${tool.name}`,
  evidence: payment,
  idempotencyKey: evidence.idempotencyKey,
  task,
})
