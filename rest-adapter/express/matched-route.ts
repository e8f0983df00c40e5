import type { HTTPAdapter, HTTPRequestContext, RouteConfig, x402HTTPResourceServer } from '@x402/core/server'

export type MatchedRoute = { config: RouteConfig; context: HTTPRequestContext & { routePattern: string } }

/** Outcome of a request before any payment: the route it must pay for, a refusal of the seller's, or free passage. */
export type RouteEntry = { route: MatchedRoute } | { refused: string } | 'free'

type Answer = Awaited<ReturnType<x402HTTPResourceServer['processHTTPRequest']>>

const matches = new WeakMap<HTTPAdapter, MatchedRoute>()
const watchedServers = new WeakSet<x402HTTPResourceServer>()

/** Learns of matches by a hook of the last place that grants access, so that the stock check of payments is never reached. */
const watch = (http: x402HTTPResourceServer): void => {
  if (watchedServers.has(http)) return
  watchedServers.add(http)
  http.onProtectedRequest(async (context, config) => {
    matches.set(context.adapter, {
      config,
      context: { ...context, routePattern: context.routePattern ?? '*' },
    })
    return { grantAccess: true }
  })
}

const readReason = (answer: Answer): string => {
  const body = answer.type === 'payment-error' ? answer.response.body : undefined
  return String((body as { error?: unknown } | undefined)?.error ?? 'Forbidden')
}

/** The hooks that declared extensions have before a payment; the stock server would run them after ours. */
const runExtensions = async (
  { server }: x402HTTPResourceServer,
  { config, context }: MatchedRoute,
): Promise<RouteEntry | undefined> => {
  for (const extension of server.getExtensions()) {
    const hook = extension.transportHooks?.http?.onProtectedRequest
    const declared = config.extensions?.[extension.key]
    if (!hook || declared === undefined) continue
    const result = await hook(declared, context, config)
    if (result && 'grantAccess' in result) return 'free'
    if (result && 'abort' in result) return { refused: result.reason }
  }
  return undefined
}

/** Finds the route of a request with the stock table and runs the seller's hooks, who come first. */
export const enterRoute = async (
  http: x402HTTPResourceServer,
  context: HTTPRequestContext,
): Promise<RouteEntry> => {
  watch(http)
  const answer = await http.processHTTPRequest(context)
  const route = matches.get(context.adapter)
  if (!route) return answer.type === 'no-payment-required' ? 'free' : { refused: readReason(answer) }
  return (await runExtensions(http, route)) ?? { route }
}
