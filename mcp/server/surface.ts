import { echo } from '../kernel/echo.ts'
import type { Evidence } from '../kernel/http.ts'
import type { ListedTool } from './compile.ts'
import type { Resources } from './resources.ts'

/** One `tools/call` as its wire brought it. `progress` is there when the client waits for news. */
export type ToolRequest = {
  readonly name: string
  readonly input: unknown
  readonly meta: Readonly<Record<string, unknown>>
  readonly evidence: Evidence
  /** Names of the extensions that the request says its client speaks; the older era has no place for them. */
  readonly extensions?: readonly string[]
  readonly signal: AbortSignal
  readonly progress?: (done: number, total?: number, note?: string) => void
}

export type TextContent = { type: 'text'; text: string }

/** The result of a call in both eras. `text` and `structuredContent` say the same; a failure has text only. */
export type CallResult = {
  content: [TextContent, ...TextContent[]]
  structuredContent?: Record<string, unknown>
  isError?: true
  _meta?: Record<string, unknown>
  /** What an extension adds beside. */
  [member: string]: unknown
}

/** What an MCP endpoint shows and does, the same in both eras. `tools` is frozen and sorted by name. */
export type Surface = {
  readonly info: { readonly name: string; readonly title: string; readonly version: string }
  readonly instructions: string
  readonly tools: readonly ListedTool[]
  /** Undefined where there is nothing to read; the capability is not declared then. */
  readonly resources: Resources | undefined
  /** Extensions that are announced. */
  readonly extensions: readonly string[]
  call(request: ToolRequest): Promise<CallResult>
}

/** JSON-RPC -32602: the specification answers an unknown tool so, not with a tool result. */
export class UnknownTool extends Error {
  override readonly name = 'UnknownTool'
  readonly code = -32602

  constructor(name: string) {
    super(`Unknown tool: ${echo(name)}`)
  }
}
