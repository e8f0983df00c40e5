import type { Service } from '../kernel/service.ts'
import type { AnyTool } from '../kernel/tool.ts'
import type { PortableSchema } from './portable.ts'

/** A picture of a tool or a server, for clients that show one. */
export type Icon = { src: string; mimeType: string; sizes: string[] }

/** A tool as `tools/list` shows it. */
export type ListedTool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: PortableSchema
  readonly outputSchema: PortableSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
  readonly icons?: Icon[]
}

/** Facts of a tool that the compiler reads, not its behaviour. */
export type ToolFacts = Omit<AnyTool, 'run'>

/** A tool that MCP can call, and how it is listed. */
export type Entry = { readonly listed: ListedTool; readonly service: Service; readonly tool: AnyTool }
