import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FacilitatorClient, RoutesConfig } from '@x402/core/server'
import {
  type PaywallConfig,
  type PaywallProvider,
  type SchemeRegistration,
  x402HTTPResourceServer,
  x402ResourceServer,
} from '@x402/express'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { type AppOptions, createApp } from './app/app.ts'
import { readConfig } from './app/config.ts'
import {
  networksIn,
  type OpenRoutePayments,
  openRoutePayments,
  openSharedStore,
  type RoutePaymentOptions,
} from './app/route-payments.ts'
import { openMiddleware } from './rest-adapter/express/middleware.ts'
import { paywallProvider as ownPaywall } from './web/paywall/paywall.ts'

// What the stock package has besides its middleware is the stock package's.
export {
  ExpressAdapter,
  type Network,
  type PaymentPayload,
  type PaymentRequired,
  type PaymentRequirements,
  type PaywallConfig,
  type PaywallProvider,
  RouteConfigurationError,
  type RouteValidationError,
  type SchemeNetworkServer,
  type SchemeRegistration,
  SETTLEMENT_OVERRIDES_HEADER,
  type SettlementOverrides,
  setSettlementOverrides,
  x402HTTPResourceServer,
  x402ResourceServer,
} from '@x402/express'
export type { RoutePaymentOptions } from './app/route-payments.ts'

export type OctagentOptions = Omit<AppOptions, 'url'> & {
  /** Address for clients, the mount path included: `https://agents.example.org/agents`. */
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
  const config = options.config ?? readConfig(process.env, options.services)
  // Paid routes of the same application write to the same store, which only one may open.
  const store = options.ports?.store ?? (await openSharedStore(config))
  const opening = createApp({ ...options, config, ports: { ...options.ports, store } })
  const { handler, close } = await opening.catch(async (refused: unknown) => {
    if (!options.ports?.store) await store.close()
    throw refused
  })
  const answer = (req: IncomingMessage, res: ServerResponse): void => {
    res.removeHeader('X-Powered-By')
    handler(req as IncomingMessage & { req: never }, res as ServerResponse & { req: IncomingMessage })
  }
  return Object.assign(answer, { close })
}

/** Our page for people who meet a price in a browser; a seller may give it to the stock middleware too. */
export const paywall: PaywallProvider = ownPaywall

/** Actions for the operator of paid routes beside serving them. */
export type PaymentOperations = Pick<OpenRoutePayments, 'owed' | 'refund' | 'receipt'> & {
  /** Serves `/receipts/{id}`, and `/operator/…` for `octagent owed` and `octagent refund`: `app.use(paid.operations)`. */
  operations: RequestHandler
  /** Waits for what is under way and lets go of the store. */
  close(): Promise<void>
}

/** Middleware for paid routes, in the place of the stock one. */
export type PaymentMiddleware = ((req: Request, res: Response, next: NextFunction) => Promise<void>) &
  PaymentOperations

/** Opened with the first need, and again after a failure; one failure is not kept. */
const openOnce = <R>(open: () => Promise<R>): (() => Promise<R>) => {
  let opening: Promise<R> | undefined
  return () => {
    opening ??= open().catch(error => {
      opening = undefined
      throw error
    })
    return opening
  }
}

/**
 * Payments for the routes of an HTTP resource server, with the hooks of its seller. Throws at once for a route whose scheme is
 * not `exact`.
 */
export const paymentMiddlewareFromHTTPServer = (
  httpServer: x402HTTPResourceServer,
  paywallConfig?: PaywallConfig,
  paywall: PaywallProvider = ownPaywall,
  syncFacilitatorOnStart = true,
  options: RoutePaymentOptions = {},
): PaymentMiddleware => {
  networksIn(httpServer.routes)
  const { settle, caller, abandonMs = 60_000 } = options
  const open = openOnce(() => openRoutePayments(httpServer, options))
  open().catch(() => undefined)
  const middleware = openMiddleware({
    http: httpServer,
    paywallConfig,
    paywall,
    sync: syncFacilitatorOnStart,
    settle,
    caller,
    abandonMs,
    open,
  })
  return Object.assign(middleware, {
    owed: async () => (await open()).owed(),
    refund: async (id: string, to?: string) => (await open()).refund(id, to),
    receipt: async (id: string) => (await open()).receipt(id),
    operations: ((req, res, next) => {
      open().then(({ operations }) => operations(req, res, next), next)
    }) satisfies RequestHandler,
    close: async () => (await open()).close(),
  })
}

/**
 * Payments for routes, as `@x402/express` has them: the same routes and server. Each is run once for one payment, whenever and
 * wherever that comes again, and nothing that was paid is lost.
 */
export const paymentMiddleware = (
  routes: RoutesConfig,
  server: x402ResourceServer,
  paywallConfig?: PaywallConfig,
  paywall?: PaywallProvider,
  syncFacilitatorOnStart = true,
  options: RoutePaymentOptions = {},
): PaymentMiddleware =>
  paymentMiddlewareFromHTTPServer(
    new x402HTTPResourceServer(server, routes),
    paywallConfig,
    paywall,
    syncFacilitatorOnStart,
    options,
  )

/** The same, with a server of these facilitators and schemes. */
export const paymentMiddlewareFromConfig = (
  routes: RoutesConfig,
  facilitatorClients?: FacilitatorClient | FacilitatorClient[],
  schemes?: SchemeRegistration[],
  paywallConfig?: PaywallConfig,
  paywall?: PaywallProvider,
  syncFacilitatorOnStart = true,
  options: RoutePaymentOptions = {},
): PaymentMiddleware => {
  const server = new x402ResourceServer(facilitatorClients)
  for (const { network, server: scheme } of schemes ?? []) server.register(network, scheme)
  return paymentMiddleware(routes, server, paywallConfig, paywall, syncFacilitatorOnStart, options)
}
