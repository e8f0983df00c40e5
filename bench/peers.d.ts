// What the benchmark uses of its peers, so that type checks need no bench/node_modules.

declare module '@a2a-js/sdk/server' {
  type Content = { $case: 'text'; value: string } | { $case: 'data'; value: unknown }
  type Part = { content?: Content; metadata: undefined; filename: string; mediaType: string }
  type Message = {
    messageId: string
    contextId: string
    taskId: string
    role: number
    parts: Part[]
    metadata: undefined
    extensions: string[]
    referenceTaskIds: string[]
  }
  type Event = { readonly kind: string }
  type Bus = { publish(event: Event): void; finished(): void }
  export type AgentExecutor = {
    execute(asked: { userMessage: Message; contextId: string }, bus: Bus): Promise<void>
    cancelTask(taskId: string, bus: Bus): Promise<void>
  }
  export const AgentEvent: { message(message: Message): Event }
  export const InMemoryTaskStore: new () => object
  export const DefaultRequestHandler: new (card: object, tasks: object, executor: AgentExecutor) => object
}

declare module '@a2a-js/sdk/server/express' {
  import type { RequestHandler } from 'express'

  export const UserBuilder: { noAuthentication: object }
  export const jsonRpcHandler: (options: {
    requestHandler: object
    userBuilder: object
    legacyCompat: { enabled: boolean }
  }) => RequestHandler
}

declare module 'better-sqlite3' {
  type Statement = { run(...values: (string | number)[]): object }
  type Database = {
    pragma(text: string): unknown
    exec(sql: string): void
    prepare(sql: string): Statement
    close(): void
  }
  const open: new (path: string) => Database
  export default open
}

declare module 'fastify' {
  type App = {
    get(path: string, handler: () => Promise<unknown>): App
    post(path: string, handler: () => Promise<unknown>): App
    listen(options: { port: number; host: string }): Promise<string>
    close(): Promise<void>
  }
  const open: () => App
  export default open
}

declare module 'linkedom' {
  export const parseHTML: (markup: string) => { document: object }
}
