import type { Request, Route } from '../mcp/kernel/http.ts'
import { json, send } from './send.ts'

/** Readiness of this process for calls, and whatever explains it: store, jobs, tools that are off. */
export type Ready = { readonly ok: boolean }

const unreadable: Ready & { detail: string } = { ok: false, detail: 'The state could not be read.' }

/** Reads the state for a request: what checks found in detail is for the operator alone. */
export type ReadReady = (req: Request) => Promise<Ready>

/** `/healthz` says that the process is alive; `/readyz` answers 503 while it should get no calls. */
export const healthRoutes = (ready: ReadReady): Route[] => [
  {
    method: 'GET',
    path: '/healthz',
    handle: (_req, res) => send(res, 200, json, '{"ok":true}'),
  },
  {
    method: 'GET',
    path: '/readyz',
    async handle(req, res) {
      const state = await ready(req).catch(() => unreadable)
      send(res, state.ok ? 200 : 503, json, `${JSON.stringify(state, null, 2)}\n`)
    },
  },
]
