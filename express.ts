import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AppOptions, createApp } from './app.ts'

export type OctagentOptions = Omit<AppOptions, 'url'> & {
  /** Where clients reach it, the mount path included: `https://agents.example.org/agents`. */
  url: string
}

/** Middleware of somebody's own Express 5 application, and what closes it. */
export type OctagentMiddleware = ((req: IncomingMessage, res: ServerResponse) => void) & {
  close(now?: boolean): Promise<void>
}

/**
 * The whole of it as Express middleware: payments, MCP, A2A, REST, cards and pages, with absolute addresses under `url`. Mount it
 * before body parsers: `app.use('/agents', await octagent({ services, url }))`.
 */
export const octagent = async (options: OctagentOptions): Promise<OctagentMiddleware> => {
  const { handler, close } = await createApp(options)
  const answer = (req: IncomingMessage, res: ServerResponse): void => {
    res.removeHeader('X-Powered-By')
    handler(req as IncomingMessage & { req: never }, res as ServerResponse & { req: IncomingMessage })
  }
  return Object.assign(answer, { close })
}
