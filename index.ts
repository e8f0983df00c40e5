export { type App, type AppOptions, createApp } from './app/app.ts'
export { type Config, readConfig } from './app/config.ts'
export { type AnyDocument, type Document, document } from './mcp/kernel/document.ts'
export {
  type AnyEndpoint,
  type Endpoint,
  type EndpointAnswer,
  type EndpointRequest,
  endpoint,
  type StreamEvent,
} from './mcp/kernel/endpoint.ts'
export { type Failure, PaymentRequired, type Problem, ToolError } from './mcp/kernel/error.ts'
export { help } from './mcp/kernel/help.ts'
export { type AnyJob, type Job, job } from './mcp/kernel/job.ts'
export { type Port, type Provision, port } from './mcp/kernel/port.ts'
export { type Credential, identify, type Service, service } from './mcp/kernel/service.ts'
export { type Secret, type Setting, type Settings, settings, type Values } from './mcp/kernel/setting.ts'
export {
  type AnyTool,
  type Auth,
  type Caller,
  type Context,
  credits,
  free,
  type Price,
  paidBy,
  type Receipt,
  sats,
  type Tool,
  tool,
  usd,
} from './mcp/kernel/tool.ts'
export { lastEventNumber, topicEvents } from './mcp/kernel/topic-events.ts'
export type { Ports } from './mcp/ports/ports.ts'
