import { echo } from '../kernel/echo.ts'
import type { PersonAsk } from '../kernel/error.ts'
import type { Evidence } from '../kernel/http.ts'
import type { DisconnectSignal } from '../kernel/pipeline/abort.ts'
import type { Seal } from './client-capabilities.ts'
import type { Icon, ListedTool } from './listed.ts'
import type { Resources } from './resources.ts'
import type { SignInVisit } from './sign-in.ts'

/** One `tools/call` as its wire brought it. `progress` is there when the client waits for news. */
export type ToolRequest = SignInVisit & {
  readonly name: string
  readonly input: unknown
  readonly meta: Readonly<Record<string, unknown>>
  readonly evidence: Evidence
  /** Names of the extensions that the request says its client speaks; the older era has no place for them. */
  readonly extensions?: readonly string[]
  /** True when the client says that it opens a page for its person. */
  readonly opensPages?: boolean
  /** The page that the client was asked to open for this very call, once that is proven. */
  readonly pageId?: string
  /** Tells when the client has gone. */
  readonly signal: DisconnectSignal
  readonly progress?: (done: number, total?: number, note?: string) => void
}

export type TextContent = { type: 'text'; text: string }

/** The result of a call in both eras. `text` and `structuredContent` say the same; a failure has text only. */
export type CallResult = {
  content: [TextContent, ...TextContent[]]
  structuredContent?: Record<string, unknown>
  isError?: true
  _meta?: Record<string, unknown>
  /** Members added by an extension. */
  [member: string]: unknown
}

/** Content and behaviour of an MCP endpoint, the same in both eras. `tools` is frozen and sorted by name. */
export type Surface = {
  readonly info: {
    readonly name: string
    readonly title: string
    readonly version: string
    readonly icons?: Icon[]
  }
  readonly instructions: string
  readonly tools: readonly ListedTool[]
  /** Undefined where there is nothing to read; the capability is not declared then. */
  readonly resources: Resources | undefined
  /** Extensions that are announced. */
  readonly extensions: readonly string[]
  /** Seals what crosses calls by way of the client; undefined where there is no key for it. */
  readonly seal: Seal | undefined
  call(request: ToolRequest): Promise<CallResult>
}

/** A call that its person has to cover on a page, for a client that opens one: each era has a form of its own for it. */
export class PersonAsked extends Error {
  override readonly name = 'PersonAsked'
  readonly ask: PersonAsk

  constructor(ask: PersonAsk, message: string) {
    super(message)
    this.ask = ask
  }
}

/** JSON-RPC -32602: the specification answers an unknown tool so, not with a tool result. */
export class UnknownTool extends Error {
  override readonly name = 'UnknownTool'
  readonly code = -32602

  constructor(name: string) {
    super(`Unknown tool: ${echo(name)}`)
  }
}
