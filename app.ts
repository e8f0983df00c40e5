import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import proxyAddress from 'proxy-addr'
import { a2aRoutes, sweepTasks } from './a2a-adapter/index.ts'
import { type Config, isLoopback } from './config.ts'
import { ToolError, toToolError } from './mcp/kernel/error.ts'
import type { Request, Route } from './mcp/kernel/http.ts'
import { type AnyJob, job } from './mcp/kernel/job.ts'
import { logFatal, logFault } from './mcp/kernel/log.ts'
import { sweepDaily } from './mcp/kernel/pipeline/daily.ts'
import { sweepKeys } from './mcp/kernel/pipeline/idempotency.ts'
import { schedule } from './mcp/kernel/schedule.ts'
import type { Service } from './mcp/kernel/service.ts'
import { owed, refund } from './mcp/payment/gate/owed.ts'
import { prunePayments } from './mcp/payment/gate/prune.ts'
import { receiptOf } from './mcp/payment/gate/receipt.ts'
import type { NetworkName } from './mcp/ports/chain/networks.ts'
import type { Ports } from './mcp/ports/index.ts'
import { bundleRoutes, mcpRoutes, warm } from './mcp/server/index.ts'
import { readiness } from './ready.ts'
import { guard } from './rest-adapter/guard.ts'
import { openHttpServer } from './rest-adapter/http-server.ts'
import { restRoutes } from './rest-adapter/index.ts'
import { operatorRoutes } from './rest-adapter/operator.ts'
import { receiptRoutes } from './rest-adapter/receipts.ts'
import { openRouter, type Site } from './rest-adapter/router.ts'
import { siteRoutes } from './rest-adapter/site.ts'
import { services as eight } from './services.ts'
import { type Open, openWorld } from './world.ts'

export type App = {
  /** Where the server listens, without a trailing slash. */
  url: string
  /** JSON-RPC address of a local chain that payments are taken on; undefined where they are taken elsewhere. */
  devnetRpc(name: NetworkName): Promise<string | undefined>
  /** JSON-RPC address of the local Solana; undefined where payments are taken elsewhere. */
  solanaRpc(): Promise<string | undefined>
  /** Logs what nobody caught, before the process ends for it. */
  fatal(event: string, thrown: unknown): void
  /** Refuses new work, waits for what runs, then closes everything. `now` waits for nothing. */
  stop(now?: boolean): Promise<void>
}

export type StartOptions = {
  /** Replaces ports, as tests do with the internet. */
  ports?: Partial<Ports>
  /** Serves this one service at the root of the port. */
  only?: Service
  /** Milliseconds that stopping waits for calls under way. Default 10,000. */
  drainMs?: number
}

const notListening = (port: number, { code, message }: NodeJS.ErrnoException): ToolError => {
  if (code === 'EADDRINUSE')
    return new ToolError('unavailable', `Port ${port} is taken by another program.`, {
      hint: 'Set PORT to a free one.',
    })
  return new ToolError('unavailable', `The server cannot listen on port ${port}: ${message}`)
}

const listen = (server: Server, port: number, address: string) =>
  new Promise<number>((resolve, reject) => {
    server.once('error', error => reject(notListening(port, error)))
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port))
  })

const routesOf = ({ world, observer }: Open, service: Service, config: Config): Route[] => [
  ...restRoutes(world, service),
  ...a2aRoutes(world, service, { cardView: config.OCTAGENT_CARD_VIEW }),
  ...mcpRoutes(world, service, { shim: config.OCTAGENT_MCP_SHIM, seen: observer.mcpClient }),
]

/** A service's routes at the root of a host, with the site's routes where the service has none of its own. */
const atRoot = (routes: readonly Route[], site: readonly Route[]): Route[] => {
  const taken = new Set(routes.map(({ path }) => path))
  return [...routes, ...site.filter(({ path }) => !taken.has(path))]
}

const sitesOf = (open: Open, config: Config, site: readonly Route[], only: Service | undefined): Site[] => {
  if (only) return [{ prefix: '', routes: atRoot(routesOf(open, only, config), site) }]
  const shim = { shim: config.OCTAGENT_MCP_SHIM, seen: open.observer.mcpClient }
  const mounted = new Map(eight.map(service => [service.slug, routesOf(open, service, config)]))
  return [
    { prefix: '', routes: [...site, ...bundleRoutes(open.world, eight, shim)] },
    ...Array.from(mounted, ([slug, routes]) => ({ prefix: `/${slug}`, routes })),
    ...(config.HOSTS ?? []).map(({ host, slug }) => {
      const routes = mounted.get(slug)
      if (!routes) throw new Error(`HOSTS names the service "${slug}", which does not exist`)
      return { host, prefix: '', routes: atRoot(routes, site) }
    }),
  ]
}

type State = { draining: boolean }

/** Reads the client's address through the proxies that are trusted; undefined when none is. */
const addressReader = (trusted: string | undefined): ((req: Request) => string) | undefined => {
  if (!trusted) return undefined
  const hops = Number(trusted)
  if (Number.isInteger(hops)) return req => proxyAddress(req, (_, hop) => hop < hops)
  const trust = proxyAddress.compile(trusted.split(',').map(part => part.trim()))
  return req => proxyAddress(req, trust)
}

const hostsOf = ({ PUBLIC_URL, HOSTS = [] }: Config): string[] => [
  ...(PUBLIC_URL ? [new URL(PUBLIC_URL).host] : []),
  ...HOSTS.map(({ host }) => host),
]

/** A response that is written to after its end says so with an event; unheard, it would end the process. */
const ignore = (): void => undefined

/** Guard, then router, on Node's own server: a framework in between costs as much as the whole of a small call. */
const listenerOf = (open: Open, config: Config, sites: readonly Site[], state: State): RequestListener => {
  const address = addressReader(config.TRUST_PROXY)
  const pass = guard({
    loopback: isLoopback(config.OCTAGENT_BIND),
    hosts: hostsOf(config),
    origins: config.OCTAGENT_ORIGINS ?? (config.PUBLIC_URL ? ['*'] : []),
  })
  const route = openRouter(sites, {
    onError: (thrown, at) => logFault(open.log, at, thrown),
  })
  return (message, res) => {
    const req = message as Request
    res.on('error', ignore)
    if (address) req.ip = address(req)
    if (state.draining) res.setHeader('Connection', 'close')
    if (pass(req, res)) route(req, res)
  }
}

const jobsOf = (
  services: readonly Service[],
  reconcile: () => Promise<number>,
): { owner: string; job: AnyJob }[] => [
  {
    owner: 'octagent',
    job: job({ name: 'payment-reconcile', every: 30, needs: [] }).run(
      async () => void (await reconcile()),
    ) as AnyJob,
  },
  { owner: 'octagent', job: sweepKeys as AnyJob },
  { owner: 'octagent', job: sweepDaily as AnyJob },
  { owner: 'octagent', job: sweepTasks as AnyJob },
  { owner: 'octagent', job: prunePayments as AnyJob },
  ...services.flatMap(({ slug, jobs = [] }) => jobs.map(job => ({ owner: slug, job }))),
]

/** Starts everything: config → store → ports → jobs → http. The one file that knows everybody. */
export const start = async (
  config: Config,
  { ports = {}, only, drainMs = 10_000 }: StartOptions = {},
): Promise<App> => {
  let url = config.PUBLIC_URL ?? ''
  const open = await openWorld(config, () => url, { ports, ...(only && { only }) })
  const plan = schedule(jobsOf(only ? [only] : eight, open.reconcile), {
    ports: open.world.ports,
    onReport({ name, ok }, cause) {
      open.observer.job(name, ok)
      // A store that is away has said so itself; every job that meets it would only repeat it.
      if (!ok && toToolError(cause).code !== 'unavailable') logFault(open.log, { job: name }, cause)
    },
  })
  const state: State = { draining: false }
  const { store, payments, operator } = open
  const operations = { owed: () => owed(store), refund: (id: string) => refund(store, payments.rails, id) }
  const site = [
    ...operatorRoutes(operations, operator),
    ...receiptRoutes(id => receiptOf(store, id)),
    ...siteRoutes({
      world: open.world,
      services: only ? [only] : eight,
      ready: () => readiness(open.world, plan, state.draining),
      metrics: open.observer.metrics,
      metricsToken: config.OCTAGENT_METRICS_TOKEN?.reveal(),
    }),
  ]
  const server = openHttpServer(listenerOf(open, config, sitesOf(open, config, site, only), state), {
    perAddress: config.TRUST_PROXY ? undefined : config.OCTAGENT_CONNECTIONS_PER_ADDRESS,
  })
  // A server that cannot accept says so with an event each time; unheard, it would end the process.
  server.on('error', cause => logFault(open.log, { server: 'http' }, cause))
  const close = async () => {
    await plan.stop()
    await open.close()
  }
  try {
    const port = await listen(server, config.PORT, config.OCTAGENT_BIND)
    const shown = config.OCTAGENT_BIND.includes(':') ? `[${config.OCTAGENT_BIND}]` : config.OCTAGENT_BIND
    if (url === '') url = `http://${shown}:${port}`
    setImmediate(() => warm().catch(cause => logFault(open.log, { server: 'mcp' }, cause)))
    const devnetRpc = async (name: NetworkName) => (await payments.devnet?.network(name))?.rpc
    return {
      url: `http://${shown}:${port}`,
      devnetRpc,
      solanaRpc: async () => payments.solanaRpc?.(),
      fatal: (event, thrown) => logFatal(open.log, event, thrown),
      stop: stopper(server, state, close, drainMs, graceMs(config)),
    }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

/** How long load balancers have to see `/readyz` turn before the port closes. */
const graceMs = ({ OCTAGENT_BIND, PUBLIC_URL, OCTAGENT_DRAIN_GRACE }: Config): number => {
  const isPublic = PUBLIC_URL !== undefined || !isLoopback(OCTAGENT_BIND)
  return (OCTAGENT_DRAIN_GRACE ?? (isPublic ? 5 : 0)) * 1000
}

const stopper = (
  server: Server,
  state: State,
  close: () => Promise<void>,
  drainMs: number,
  grace: number,
) => {
  const hurry = new AbortController()
  let stopping: Promise<void> | undefined
  return (now = false): Promise<void> => {
    state.draining = true
    if (now) {
      hurry.abort()
      server.closeAllConnections()
    }
    stopping ??= (async () => {
      if (grace > 0 && !now) await wait(grace, undefined, { signal: hurry.signal }).catch(() => {})
      const closed = new Promise<void>(done => server.close(() => done()))
      server.closeIdleConnections()
      const late = setTimeout(() => server.closeAllConnections(), drainMs)
      await closed
      clearTimeout(late)
      await close()
    })()
    return stopping
  }
}
