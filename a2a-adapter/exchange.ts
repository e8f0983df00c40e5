import type { Incoming, World } from '../mcp/kernel/call.ts'
import type { Evidence, PaymentEvidence } from '../mcp/kernel/http.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import type { Identity } from './caller.ts'
import type { Skills } from './skills/choose.ts'
import type { Contexts } from './tasks/context.ts'
import type { TaskStore } from './tasks/store.ts'
import type { SendParams } from './wire/decode.ts'
import type { Fields, Version } from './wire/fields.ts'
import type { A2aTask, Message } from './wire/message.ts'

/** One request to an operation. */
export type Exchange = {
  version: Version
  params: Fields
  evidence: Evidence
  identity: Identity
  /** Tells when the client goes away before it has its answer. */
  gone(): NonNullable<Incoming['signal']>
}

/** Parts shared by one service's operations. */
export type A2aDeps = {
  world: World
  skills: Skills
  taskStore: TaskStore | undefined
  contexts: Contexts
  /** Answers messages in place of the tools: the scripted agent of a conformance suite. */
  agent?: Agent | undefined
}

export type Agent = (deps: A2aDeps, exchange: Exchange, sending: SendParams) => Promise<Message | A2aTask>

/** Describes a message to the pipeline. */
export const toIncoming = (
  { evidence, identity }: Exchange,
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
  resource: `a2a://${identity.service.slug}/${tool.name}`,
  evidence: payment,
  idempotencyKey: evidence.idempotencyKey,
  task,
})
