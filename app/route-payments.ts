import { resolve } from 'node:path'
import type { RouteConfig, RoutesConfig, x402HTTPResourceServer } from '@x402/core/server'
import type { RequestHandler } from 'express'
import { toToolError } from '../mcp/kernel/error.ts'
import type { Request, Response } from '../mcp/kernel/http.ts'
import { job } from '../mcp/kernel/job.ts'
import { logFault, openLog } from '../mcp/kernel/log.ts'
import { openLimits } from '../mcp/kernel/pipeline/limits.ts'
import { schedule } from '../mcp/kernel/schedule.ts'
import type { Charge } from '../mcp/payment/charge.ts'
import { openPaymentDialect } from '../mcp/payment/dialects/payment/payment.ts'
import { x402 } from '../mcp/payment/dialects/x402/x402.ts'
import { type OpenGate, openGate } from '../mcp/payment/gate/open.ts'
import type { Owed } from '../mcp/payment/gate/owed.ts'
import { thisProcess } from '../mcp/payment/gate/payment-records.ts'
import { prunePayments } from '../mcp/payment/gate/prune.ts'
import type { PublicReceipt } from '../mcp/payment/gate/receipt.ts'
import type { PaymentMethod } from '../mcp/payment/method.ts'
import { openX402Evm } from '../mcp/payment/methods/x402-evm/method.ts'
import { toRefusal } from '../mcp/payment/methods/x402-evm/refusal.ts'
import { type ChainView, openX402Server } from '../mcp/payment/methods/x402-server/method.ts'
import { openRates } from '../mcp/payment/rates.ts'
import { openChain } from '../mcp/ports/chain/chain.ts'
import { networks } from '../mcp/ports/chain/networks.ts'
import type { Network } from '../mcp/ports/chain/port.ts'
import type { Clock } from '../mcp/ports/clock/port.ts'
import type { Store } from '../mcp/ports/store/port.ts'
import { openCarrier } from '../rest-adapter/express/carrier.ts'
import { networkTitle, toKind } from '../rest-adapter/express/route-charge.ts'
import { operatorRoutes } from '../rest-adapter/operator.ts'
import { receiptRoutes } from '../rest-adapter/receipts.ts'
import { openRouter } from '../rest-adapter/router.ts'
import { openShell } from '../web/shell.ts'
import { type Config, readConfig, readNodes } from './config.ts'
import { openSecrets, openStore, toHmacKeys } from './open-store.ts'
import { openPaymentOperations } from './payment-operations.ts'

/** Options for the payments of an Express application beyond the stock arguments; all have a default. */
export type RoutePaymentOptions = {
  /** Settings for records and refunds: DATABASE_URL, OCTAGENT_DATA, OCTAGENT_REFUND_KEY. Default: the environment. */
  config?: Config
  /**
   * JSON-RPC addresses by CAIP-2 network. On such a network the chain proves what a facilitator says; elsewhere the chain is asked
   * only when a facilitator says that it failed, or nothing, and over a public node.
   */
  rpc?: Readonly<Record<string, string>>
  /** When money moves, where a route does not say. Default: GET after the handler, anything else before it. */
  settle?: 'before' | 'after'
  /** The caller for routes that answer callers differently: a payment is then good for its own caller only. */
  caller?: (req: Parameters<RequestHandler>[0]) => string | undefined
  /** Milliseconds that a handler may go on after its client has left. Default 60,000. */
  abandonMs?: number
}

/** The payments of a middleware, open. */
export type OpenRoutePayments = {
  gate: OpenGate
  store: Store
  owed(): Promise<Owed[]>
  refund(id: string, to?: string): Promise<string>
  receipt(id: string): Promise<PublicReceipt | undefined>
  /** Answers `/receipts/{id}` and what the command line asks of an operator. */
  operations: RequestHandler
  close(): Promise<void>
}

type SharedStore = { store: Promise<Store>; users: number }

/** The embedded store belongs to one process and one opener: whoever in this process names the same one shares it. */
const sharedStores = new Map<string, SharedStore>()

const storeLocation = ({ DATABASE_URL, OCTAGENT_DATA }: Config): string =>
  DATABASE_URL?.reveal() ?? resolve(OCTAGENT_DATA)

/** The store of a configuration, opened once in this process. Its `close` lets go; the last one closes it. */
export const openSharedStore = async (config: Config): Promise<Store> => {
  const place = storeLocation(config)
  const before = sharedStores.get(place)
  const entry = before ?? {
    store: openStore(config, openLog(config.OCTAGENT_LOG), () => undefined),
    users: 0,
  }
  sharedStores.set(place, entry)
  entry.users += 1
  let isOpen = true
  const leave = async () => {
    if (!isOpen) return
    isOpen = false
    entry.users -= 1
    if (entry.users > 0) return
    sharedStores.delete(place)
    await (await entry.store).close()
  }
  try {
    return { ...(await entry.store), close: leave }
  } catch (error) {
    sharedStores.delete(place)
    throw error
  }
}

const toList = (routes: RoutesConfig): [string, RouteConfig][] =>
  'accepts' in routes ? [['*', routes as RouteConfig]] : Object.entries(routes)

/** The networks that routes take payments on. Throws for a scheme whose payments cannot be recorded here. */
export const networksIn = (routes: RoutesConfig): string[] => {
  const networkIds = new Set<string>()
  for (const [pattern, { accepts }] of toList(routes))
    for (const { scheme, network } of [accepts].flat()) {
      if (scheme !== 'exact')
        throw new Error(
          `octagent/express: route "${pattern}" accepts the scheme "${scheme}"; only "exact" is taken here. Leave this route to @x402/express.`,
        )
      networkIds.add(network)
    }
  return [...networkIds]
}

const knownNetwork = (id: string): Network | undefined =>
  Object.values(networks).find(network => network.id === id)

type Hex = `0x${string}`

/** Our own look at a chain, asset by asset, and the way to give money back on it. */
const openChainViews = (network: Network, rpc: string, config: Config): ((asset: string) => ChainView) => {
  const { OCTAGENT_REFUND_KEY: key } = config
  const views = new Map<string, ChainView>()
  const open = (address: string): ChainView => {
    const token = { ...network.token, address: address as Hex }
    return openX402Evm({
      chain: openChain({ network: { ...network, token }, rpc }),
      payTo: () => Promise.reject(new Error('the route names who is paid')),
      // The seller's own asks them.
      facilitator: { remotes: [] },
      ...(key && { refundKey: async () => key.reveal() as Hex }),
    })
  }
  return asset => {
    const address = asset.toLowerCase()
    const view = views.get(address) ?? open(address)
    views.set(address, view)
    return view
  }
}

const methodFor = (
  http: x402HTTPResourceServer,
  id: string,
  config: Config,
  rpc: RoutePaymentOptions['rpc'] = {},
): PaymentMethod => {
  const network = knownNetwork(id)
  const node = rpc[id] ?? (network && readNodes(config)[network.name][0]?.reveal())
  return openX402Server({
    network: id,
    kind: toKind(id),
    title: networkTitle(id),
    asset: network?.token.address ?? '',
    carrier: openCarrier(http.server),
    toRefusal,
    chain: network && node !== undefined ? openChainViews(network, node, config) : undefined,
    proves: rpc[id] !== undefined,
  })
}

/** The host of a route; sellers may name a resource that is no address. */
const readHost = ({ resource }: Charge): string =>
  (URL.canParse(resource) && new URL(resource).host) || 'localhost'

const jobsFor = (gate: OpenGate, networks: readonly string[]) =>
  [
    job({ name: 'route-payment-reconcile', every: 30, needs: [] }).run(
      async () => void (await gate.reconcile()),
    ),
    prunePayments,
  ].map(each => ({ owner: `express(${networks.join(',')})`, job: each as never }))

/** The operator's handler as middleware: what it has no route for is left to the application. */
const toMiddleware =
  (handle: (req: Request, res: Response) => void): RequestHandler =>
  (req, res, next) =>
    /^\/(receipts|operator)\//.test(req.path) ? handle(req as Request, res) : next()

/** Opens the gate over the facilitators of a seller's server, with records in the configured store. */
export const openRoutePayments = async (
  http: x402HTTPResourceServer,
  { config = readConfig(process.env), rpc }: RoutePaymentOptions,
): Promise<OpenRoutePayments> => {
  const ids = networksIn(http.routes)
  const store = await openSharedStore(config)
  try {
    const secrets = await openSecrets(config, store)
    const clock: Clock = { now: () => new Date() }
    const log = openLog(config.OCTAGENT_LOG)
    const methods = ids.map(id => methodFor(http, id, config, rpc))
    const hmacKeys = toHmacKeys(secrets)
    const gate = openGate({
      methods,
      dialects: [x402, openPaymentDialect({ ...hmacKeys, now: () => clock.now(), realm: readHost })],
      rates: openRates([]),
      store,
      clock,
      // A settled payment is looked at again where the seller has a node for it; a public one is left alone.
      watchMs: ids.every(id => rpc?.[id] !== undefined) ? config.OCTAGENT_PAYMENT_WATCH * 1000 : 0,
      ...hmacKeys,
      process: thisProcess,
    })
    const plan = schedule(jobsFor(gate, ids), {
      world: { ports: { store, clock }, own: new Map() },
      onReport({ name, ok }, cause) {
        if (!ok && toToolError(cause).code !== 'unavailable') logFault(log, { job: name }, cause)
      },
    })
    const { operator: operations, receipts } = openPaymentOperations({
      store,
      methods,
      limits: openLimits(),
      clock,
      gate,
    })
    const routes = [...operatorRoutes(operations, secrets.operator), ...receiptRoutes(receipts, openShell())]
    return {
      gate,
      store,
      ...operations,
      receipt: receipts.read,
      operations: toMiddleware(
        openRouter([{ prefix: '', routes }], { onError: (error, at) => logFault(log, at, error) }),
      ),
      async close() {
        await plan.stop()
        await store.close()
        log.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}
