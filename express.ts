import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import express, { type Router } from 'express'
import { type AppOptions, createApp } from './app.ts'

export type OctagentOptions = Omit<AppOptions, 'url'> & {
  /** Where clients reach the router, its mount path included: `https://agents.example.org/agents`. */
  url: string
}

/** A Router of somebody's own Express 5 application, and what closes it. */
export type OctagentRouter = Router & { close(now?: boolean): Promise<void> }

/** Hands a request over as Node's own server would: the path within the router, and no trace of other middleware. */
const handOver = (handler: RequestListener) => (req: IncomingMessage, res: ServerResponse) => {
  res.removeHeader('X-Powered-By')
  handler(req as IncomingMessage & { req: never }, res as ServerResponse & { req: IncomingMessage })
}

/**
 * The whole of it as an Express router: payments, MCP, A2A, REST, cards and pages, with absolute addresses under `url`. Mount it
 * before body parsers: `app.use('/agents', await octagent({ services, url }))`.
 */
export const octagent = async (options: OctagentOptions): Promise<OctagentRouter> => {
  const app = await createApp({ ...options, url: options.url.replace(/\/+$/, '') })
  const router = express.Router()
  router.use(handOver(app.handler))
  return Object.assign(router, { close: (now?: boolean) => app.close(now) })
}
