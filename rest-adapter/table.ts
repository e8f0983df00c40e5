import { ToolError } from '../mcp/kernel/error.ts'
import type { Route } from '../mcp/kernel/http.ts'
import { notFound } from './refuse.ts'
import { emptyNode, type Match, matches, type Node, nodeFor, readParamNames, splitPath } from './segments.ts'

/** Routes that are mounted together: under a path prefix (`/cat`), or at the root of a host name. */
export type Site = { readonly host?: string; readonly prefix: string; readonly routes: readonly Route[] }

type TableEntry = { route: Route; names: readonly string[]; label: string }
type Methods = Map<string, TableEntry>

export type RouteTable = { exact: Map<string, Methods>; root: Node<Methods>; homes: string[] }

export type RouteMatch = { route: Route; params: Readonly<Record<string, string>> }

/** Methods some path answers. */
export const answeredMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

const none: Readonly<Record<string, string>> = Object.freeze({})

/** A path as the table keeps it: without a trailing slash. */
export const trimSlash = (path: string): string => {
  let end = path.length
  while (end > 1 && path.charCodeAt(end - 1) === 47) end--
  return end === path.length ? path : path.slice(0, end)
}

const add = (table: RouteTable, { prefix }: Site, route: Route): void => {
  const path = trimSlash(prefix + route.path)
  const routeText = `${route.method} ${path}`
  const node = nodeFor(table.root, path)
  node.leaf ??= new Map()
  const existing = node.leaf.get(route.method)
  if (existing) throw new Error(`two routes answer the same requests: "${existing.label}" and "${routeText}"`)
  const names = readParamNames(path)
  node.leaf.set(route.method, { route, names, label: routeText })
  if (names.length === 0) table.exact.set(path, node.leaf)
  if (route.method === 'GET' && route.path === '/') table.homes.push(path)
}

/** Compiles the routes of some sites. Throws when two routes answer the same method and path, naming both. */
export const buildTable = (sites: readonly Site[]): RouteTable => {
  const table: RouteTable = { exact: new Map(), root: emptyNode(), homes: [] }
  for (const site of sites) for (const route of site.routes) add(table, site, route)
  table.homes.sort((one, other) => other.length - one.length)
  return table
}

const foundAs = ({ route, names }: TableEntry, values: readonly string[]): RouteMatch => ({
  route,
  params:
    names.length === 0 ? none : Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])),
})

const allowHeader = (leaves: readonly Match<Methods>[]): string => {
  const methods = new Set(leaves.flatMap(({ leaf }) => [...leaf.keys()]))
  if (methods.has('GET')) methods.add('HEAD')
  return [...methods, 'OPTIONS'].join(', ')
}

const unknown = (table: RouteTable, path: string): ToolError => {
  const home = table.homes.find(start => start === '/' || path === start || path.startsWith(`${start}/`))
  const hint =
    home === undefined ? undefined : `GET ${trimSlash(home)}${home === '/' ? '' : '/'} lists what is here.`
  return notFound(`Nothing is at ${path.slice(0, 200)}.`, hint)
}

/**
 * The route for a request, or the methods its path allows when it asked for them (OPTIONS). Throws `not_found`,
 * `method_not_allowed` with Allow, or `malformed`.
 */
export const find = (table: RouteTable, method: string, path: string): RouteMatch | { allow: string } => {
  if (path === '*' && method === 'OPTIONS') return { allow: answeredMethods }
  const lookupMethod = method === 'HEAD' ? 'GET' : method
  const direct = table.exact.get(path)?.get(lookupMethod)
  if (direct) return foundAs(direct, [])
  const leaves = matches(table.root, splitPath(path))
  if (leaves.length === 0) throw unknown(table, path)
  for (const { leaf, values } of leaves) {
    const entry = leaf.get(lookupMethod)
    if (entry) return foundAs(entry, values)
  }
  const allow = allowHeader(leaves)
  if (method === 'OPTIONS') return { allow }
  throw new ToolError('method_not_allowed', `This path does not answer ${method.slice(0, 20)}.`, {
    hint: `It answers ${allow}.`,
    headers: { Allow: allow },
  })
}
