import { randomUUID } from 'node:crypto'
import { isExplained } from '../mcp/kernel/error.ts'
import type { Request, Response } from '../mcp/kernel/http.ts'
import type { Shell } from '../mcp/kernel/page.ts'
import { setHeld } from '../mcp/kernel/whole-answer.ts'
import { hostName } from './host.ts'
import { sendRefusalPage, wantsPage } from './refusal-page.ts'
import { refuse } from './refuse.ts'
import { buildTable, find, type RouteTable, type Site, trimSlash } from './table.ts'

export type { Site }

export type RouterOptions = {
  /** The layout of pages for people. Without one every failure is a problem document. */
  shell?: Shell
  /** Told of everything a handler threw that is no ToolError; `ref` is what the caller was given. */
  onError?: (error: unknown, at: { method: string; path: string; ref: string }) => void
}

const buildTables = (sites: readonly Site[]) => {
  const byHost = new Map<string, Site[]>()
  for (const site of sites) {
    const host = hostName(site.host ?? '')
    byHost.set(host, [...(byHost.get(host) ?? []), site])
  }
  return new Map(
    Array.from(byHost, ([host, hostSites]): [string, RouteTable] => [host, buildTable(hostSites)]),
  )
}

const readPath = (url: string): string => {
  const query = url.indexOf('?')
  return trimSlash(query < 0 ? url : url.slice(0, query))
}

const preflight = (res: Response, allow: string): void => {
  res.writeHead(204, { Allow: allow, 'Access-Control-Allow-Methods': allow })
  res.end()
}

/**
 * One table for the routes of every adapter. Exact paths cost one look-up however many there are; literal segments win
 * over params; trailing slashes do not matter; HEAD is GET without a body; OPTIONS tells what a path allows. Whatever
 * goes wrong is answered as a problem document. Throws at once when two routes answer the same requests.
 */
export const openRouter = (sites: readonly Site[], { onError, shell }: RouterOptions = {}) => {
  const tables = buildTables(sites)
  const sharedTable = tables.get('') ?? buildTable([])
  const tableFor = ({ headers }: Request): RouteTable =>
    (tables.size > 1 && headers.host !== undefined && tables.get(hostName(headers.host))) || sharedTable

  const fail = (req: Request, res: Response, path: string, error: unknown): void => {
    const ref = isExplained(error) ? undefined : randomUUID()
    if (ref) onError?.(error, { method: req.method, path, ref })
    try {
      if (shell && wantsPage(req, error)) return void sendRefusalPage(shell, res, error)
      refuse(res, error, ref)
    } catch (unwritable) {
      onError?.(unwritable, { method: req.method, path, ref: ref ?? randomUUID() })
    }
    if (!res.writableEnded) res.destroy()
  }

  return (req: Request, res: Response): void => {
    const path = readPath(req.url)
    try {
      const match = find(tableFor(req), req.method, path)
      if ('allow' in match || !match.route.isWhole) setHeld(res)
      if ('allow' in match) preflight(res, match.allow)
      else match.route.handle(req, res, match.params)?.catch((error: unknown) => fail(req, res, path, error))
    } catch (error) {
      fail(req, res, path, error)
    }
  }
}
