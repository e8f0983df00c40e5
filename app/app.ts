import type { RequestListener, Server } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import proxyAddress from 'proxy-addr'
import { a2aRoutes, confirmTasks, sweepTasks } from '../a2a-adapter/index.ts'
import { openActivity } from '../mcp/accounts/activity.ts'
import { balancePart } from '../mcp/accounts/balance-part.ts'
import { profilesPart } from '../mcp/accounts/claim.ts'
import { accountSettings } from '../mcp/accounts/config.ts'
import type { AccountDeps } from '../mcp/accounts/deps.ts'
import { exportAccount } from '../mcp/accounts/export.ts'
import { setFrozen } from '../mcp/accounts/freeze.ts'
import { eventsPath } from '../mcp/accounts/inbox/endpoint.ts'
import { inboxPart } from '../mcp/accounts/inbox/webhook.ts'
import { deleteAccount } from '../mcp/accounts/manage.ts'
import { moveAccounts } from '../mcp/accounts/move.ts'
import { openClients } from '../mcp/accounts/oauth/connections.ts'
import type { ProtectedResource } from '../mcp/accounts/oauth/resources.ts'
import accountService, { cardEventsPath, inboxService } from '../mcp/accounts/service.ts'
import { countAccounts, sweepSignIns } from '../mcp/accounts/sweep.ts'
import { recountBudgets } from '../mcp/kernel/allowance.ts'
import type { World } from '../mcp/kernel/call.ts'
import { openCallHistory } from '../mcp/kernel/call-history.ts'
import { ToolError, toToolError } from '../mcp/kernel/error.ts'
import { type Request, type Route, toClient } from '../mcp/kernel/http.ts'
import { type AnyJob, job } from '../mcp/kernel/job.ts'
import { logFatal, logFault } from '../mcp/kernel/log.ts'
import { sweepDaily, takeRegistration } from '../mcp/kernel/pipeline/daily.ts'
import { sweepKeys } from '../mcp/kernel/pipeline/idempotency.ts'
import { identifyBalance, resourceOf } from '../mcp/kernel/pipeline/identify.ts'
import { overLimit } from '../mcp/kernel/pipeline/limits.ts'
import { sweepWindows } from '../mcp/kernel/pipeline/shared-limits.ts'
import type { Provision } from '../mcp/kernel/port.ts'
import { openRecentCalls } from '../mcp/kernel/recent-calls.ts'
import { schedule } from '../mcp/kernel/schedule.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { usd } from '../mcp/kernel/tool.ts'
import { upgradeDocuments } from '../mcp/kernel/upgrade.ts'
import { setHeld } from '../mcp/kernel/whole-answer.ts'
import { prunePayments } from '../mcp/payment/gate/prune.ts'
import { loadStanding } from '../mcp/payment/gate/standing.ts'
import type { PaymentMethod } from '../mcp/payment/method.ts'
import type { NetworkName } from '../mcp/ports/chain/port.ts'
import type { Ports } from '../mcp/ports/ports.ts'
import { bundleRoutes, mcpRoutes, openToolSearch, warm } from '../mcp/server/index.ts'
import { collectRoute } from '../rest-adapter/collect.ts'
import { guard } from '../rest-adapter/guard.ts'
import { openHttpServer } from '../rest-adapter/http-server.ts'
import { restRoutes } from '../rest-adapter/index.ts'
import { operatorRoutes } from '../rest-adapter/operator.ts'
import { receiptRoutes } from '../rest-adapter/receipts.ts'
import { refuse } from '../rest-adapter/refuse.ts'
import { openRouter, type Site } from '../rest-adapter/router.ts'
import { siteRoutes } from '../rest-adapter/site.ts'
import { payablePage } from '../web/paywall/paywall.ts'
import { openAlerts } from './alerts.ts'
import { openCapabilities } from './capabilities.ts'
import { type Config, isLoopback, readConfig, readSettings, writeSettings } from './config.ts'
import { addMetrics } from './metrics.ts'
import { type OpenAccounts, openAccounts, openIssuer } from './open-accounts.ts'
import { requireSoundNetworks } from './open-payments.ts'
import { openPaymentOperations } from './payment-operations.ts'
import { loadPeers } from './peers.ts'
import { lookAt, readiness, toPublicReadiness } from './ready.ts'
import { readVersion } from './version.ts'
import { type Open, openWorld, toOrigin } from './world.ts'

/** An installation: its services, opened and not yet listening. */
export type App = {
  services: readonly Service[]
  /** Answers a request of Node's own server; what `listen` serves, for a server of somebody else's. */
  handler: RequestListener
  /** Listens where the configuration says, or on another port. Resolves to the address, without a trailing slash. */
  listen(port?: number): Promise<string>
  /** JSON-RPC address of a local chain that payments are taken on; undefined where they are taken elsewhere. */
  devnetRpc(name: NetworkName): Promise<string | undefined>
  /** JSON-RPC address of the local Solana; undefined where payments are taken elsewhere. */
  solanaRpc(): Promise<string | undefined>
  /** Logs what ends the process, at once. */
  fatal(event: string, failure: unknown): void
  /** Refuses new work, waits for what runs, then closes everything. `now` waits for nothing. */
  close(now?: boolean): Promise<void>
}

export type AppOptions = {
  services: readonly Service[]
  /** Default: `readConfig(process.env, services)`. */
  config?: Config
  /** Address for clients, its path included. Counts as PUBLIC_URL unless it is this machine. Default: PUBLIC_URL, then the address that is listened on. */
  url?: string
  /** Replaces ports, as tests do with the internet. */
  ports?: Partial<Ports>
  /** Replaces ports of the services' own: `[tides.as(fake)]`. */
  replaced?: readonly Provision[]
  /** Serves this one service at the root. */
  only?: Service
  /** Serves what the conformance suites of MCP and A2A call, at `/conformance`, beside everything else. */
  conformance?: boolean | undefined
  /** Milliseconds that closing waits for calls under way. Default 10,000. */
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

const adapterRoutes = ({ world, observer }: Open, service: Service, config: Config): Route[] => [
  ...restRoutes(world, service, (quote, card) => payablePage(quote, world.shell, card)),
  ...a2aRoutes(world, service, { cardView: config.OCTAGENT_CARD_VIEW }),
  ...mcpRoutes(world, service, { shim: config.OCTAGENT_MCP_SHIM, onClient: observer.mcpClient }),
]

/** A service's routes at the root of a host, with the site's routes where the service has none of its own. */
const atRoot = (routes: readonly Route[], site: readonly Route[]): Route[] => {
  const paths = new Set(routes.map(({ path }) => path))
  return [...routes, ...site.filter(({ path }) => !paths.has(path))]
}

type ServeOptions = { services: readonly Service[]; only: Service | undefined; config: Config }

/** Opens conformance-suite routes, loaded only where asked for. */
const openConformance = async (open: Open, config: Config): Promise<Site> => {
  const { conformanceRoutes } = await import('../mcp/server/conformance/routes.ts')
  const { scriptedAgent, scriptedService } = await import('../a2a-adapter/conformance.ts')
  const options = { shim: config.OCTAGENT_MCP_SHIM, onClient: open.observer.mcpClient }
  const a2a = a2aRoutes(open.world, scriptedService, { cardView: 'v1', agent: scriptedAgent })
  return { prefix: `/${scriptedService.slug}`, routes: [...conformanceRoutes(options), ...a2a] }
}

const buildSites = (open: Open, { services, only, config }: ServeOptions, site: readonly Route[]): Site[] => {
  const accountRoutes = restRoutes(open.world, accountService, (quote, card) =>
    payablePage(quote, open.world.shell, card),
  )
  const cardEvents = accountRoutes.filter(({ path }) => path === cardEventsPath)
  const routesOf = (service: Service): Route[] => [
    ...adapterRoutes(open, service, config),
    // Where processors of earlier installations send what they tell of payments to verification.
    ...(service.slug === 'proof' ? cardEvents.map(route => ({ ...route, path: `/topup${route.path}` })) : []),
  ]
  const accountSites: Site[] = [
    { prefix: `/${accountService.slug}`, routes: accountRoutes },
    { prefix: '/auth', routes: cardEvents },
  ]
  if (only) return [{ prefix: '', routes: atRoot(routesOf(only), site) }, ...accountSites]
  const shim = { shim: config.OCTAGENT_MCP_SHIM, onClient: open.observer.mcpClient }
  const routesBySlug = new Map(services.map(service => [service.slug, routesOf(service)]))
  return [
    {
      prefix: '',
      routes: [
        ...site,
        ...accountRoutes.filter(({ path }) => path === eventsPath),
        ...bundleRoutes(open.world, [...services, inboxService], shim),
      ],
    },
    ...Array.from(routesBySlug, ([slug, routes]) => ({ prefix: `/${slug}`, routes })),
    ...accountSites,
    ...(config.HOSTS ?? []).map(({ host, slug }) => {
      const routes = routesBySlug.get(slug)
      if (!routes) throw new Error(`HOSTS names the service "${slug}", which does not exist`)
      return { host, prefix: '', routes: atRoot(routes, site) }
    }),
  ]
}

type State = {
  draining: boolean
  /** An operator took it out of rotation. */
  isOut: boolean
  underWay: number
  onIdle?: () => void
}

/** The address that was given, without a trailing slash. Throws `invalid_input` for what is no address to build others on. */
const parseUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isBase = url && /^https?:$/.test(url.protocol) && `${url.username}${url.search}${url.hash}` === ''
  if (isBase) return url.href.replace(/\/+$/, '')
  throw new ToolError('invalid_input', 'url: an absolute http or https address without query is needed.', {
    hint: 'Give the address that clients use, with the path it is mounted at: https://example.org/agents.',
  })
}

/** Adds a public address to a configuration: without it, payments would be taken on local chains. */
const configFor = (config: Config, publicUrl: string | undefined): Config =>
  publicUrl === undefined || isLoopback(new URL(publicUrl).hostname)
    ? config
    : { ...config, PUBLIC_URL: publicUrl }

/** Reads the client's address through the proxies that are trusted; undefined when none is. */
const addressReader = (trusted: string | undefined): ((req: Request) => string) | undefined => {
  if (!trusted) return undefined
  const hops = Number(trusted)
  if (Number.isInteger(hops)) return req => proxyAddress(req, (_, hop) => hop < hops)
  const trust = proxyAddress.compile(trusted.split(',').map(part => part.trim()))
  return req => proxyAddress(req, trust)
}

const allowedHosts = ({ PUBLIC_URL, HOSTS = [] }: Config, url: string | undefined): string[] => [
  ...(PUBLIC_URL ? [new URL(PUBLIC_URL).host] : []),
  ...(url ? [new URL(url).host] : []),
  ...HOSTS.map(({ host }) => host),
]

/** A response that is written to after its end says so with an event; unheard, it would end the process. */
const ignore = (): void => undefined

/** Guard, then router, on Node's own server: a framework in between costs as much as the whole of a small call. */
const buildListener = (
  open: Open,
  config: Config,
  sites: readonly Site[],
  state: State,
  { publicUrl, accounts }: { publicUrl: string | undefined; accounts: OpenAccounts },
): RequestListener => {
  const address = addressReader(config.TRUST_PROXY)
  const pass = guard({
    loopback:
      publicUrl === undefined ? isLoopback(config.OCTAGENT_BIND) : isLoopback(new URL(publicUrl).hostname),
    hosts: allowedHosts(config, publicUrl),
    origins: config.OCTAGENT_ORIGINS ?? (config.PUBLIC_URL ? ['*'] : []),
  })
  const route = openRouter(sites, {
    shell: open.world.shell,
    onError: (failure, at) => logFault(open.log, at, failure),
  })
  return (message, res) => {
    const req = message as Request
    res.on('error', ignore)
    req.site = open.world.site.url
    // Express has a getter there.
    if (address) Object.defineProperty(req, 'ip', { value: address(req) })
    if (state.draining || state.isOut) res.setHeader('Connection', 'close')
    if (!pass(req, res)) return
    const query = req.url.indexOf('?')
    const path = query < 0 ? req.url : req.url.slice(0, query)
    if (!accounts.owns(path)) return route(req, res)
    setHeld(res)
    accounts.handle(req, res, () => route(req, res))
  }
}

const collectJobs = (
  services: readonly Service[],
  {
    world,
    reconcile,
    accounts,
    scanIncoming,
  }: Pick<Open, 'world' | 'reconcile'> & { accounts: OpenAccounts; scanIncoming: () => Promise<void> },
): { owner: string; job: AnyJob }[] => [
  {
    owner: 'octagent',
    job: job({ name: 'payment-reconcile', every: 30, needs: [] }).run(async () => void (await reconcile())),
  },
  {
    owner: 'octagent',
    job: job({ name: 'payment-incoming', every: 600, needs: [] }).run(scanIncoming),
  },
  {
    owner: 'octagent',
    job: job({ name: 'a2a-confirm', every: 10, needs: [] }).run(({ signal }) =>
      confirmTasks(world, services, signal),
    ),
  },
  {
    owner: 'octagent',
    job: job({ name: 'account-sweep', every: 60, needs: ['store', 'clock'] }).run(sweepSignIns),
  },
  { owner: 'octagent', job: sweepKeys },
  { owner: 'octagent', job: sweepDaily },
  { owner: 'octagent', job: recountBudgets },
  { owner: 'octagent', job: sweepWindows },
  { owner: 'octagent', job: sweepTasks },
  { owner: 'octagent', job: prunePayments },
  ...accounts.jobs.map(job => ({ owner: 'octagent', job })),
  ...[...services, accountService].flatMap(({ slug, jobs = [] }) => jobs.map(job => ({ owner: slug, job }))),
]

const closing = () =>
  new ToolError('unavailable', 'The server is closing.', { hint: 'Try again.', retryAfter: 5 })

/** A listener for a server of somebody else's: counts what is under way, and refuses what comes once it closes. */
const countRequests =
  (listener: RequestListener, state: State): RequestListener =>
  (req, res) => {
    if (state.draining) return refuse(res, closing())
    state.underWay++
    res.once('close', () => {
      state.underWay--
      if (state.underWay === 0) state.onIdle?.()
    })
    listener(req, res)
  }

/** Resolves when no request is under way on a server of somebody else's, or after a time. */
const idle = (state: State, ms: number): Promise<void> =>
  new Promise(resolve => {
    if (state.underWay === 0) return resolve()
    const late = setTimeout(resolve, ms)
    state.onIdle = () => {
      clearTimeout(late)
      resolve()
    }
  })

const requirePort = <port>(name: string, port: port | undefined): port => {
  if (port !== undefined) return port
  throw new Error(`the port ${name} is not open`)
}

/** Prefix of the keys of each service, by its slug. */
const keyPrefixOf = (services: readonly Service[]): ((slug: string) => string) => {
  const prefixes = new Map(
    services.map(({ slug, identify = {} }) => [
      slug,
      Object.values(identify).find(({ prefix }) => prefix !== undefined)?.prefix ?? '',
    ]),
  )
  return slug => prefixes.get(slug) ?? ''
}

/** How requests of pages can be paid: a wallet by what is priced in dollars, as tools are. */
const listWays = (methods: readonly PaymentMethod[]): ('wallet' | 'lightning')[] => {
  const takesDollars = methods.some(({ kind, takes }) => kind === 'eip3009' && takes(usd('1')))
  const takesSats = methods.some(({ kind }) => kind === 'bolt11')
  return [...(takesDollars ? (['wallet'] as const) : []), ...(takesSats ? (['lightning'] as const) : [])]
}

/** The MCP endpoints that people let clients into: the bundle, unless one service has the root, and each service. */
const listResources = (
  world: World,
  services: readonly Service[],
  only: Service | undefined,
): ProtectedResource[] => [
  ...(only
    ? []
    : [
        {
          slug: undefined,
          name: `${world.site.organization}: all services`,
          url: () => `${world.site.url}/mcp`,
        },
      ]),
  ...services.map(service => ({
    slug: service.slug,
    name: service.name,
    url: () => resourceOf(world, service),
    terms:
      service.link?.terms === undefined ? undefined : () => `${world.base(service)}${service.link?.terms}`,
  })),
]

/** Opens services over one configuration: config → store → ports → jobs → http. The one file that knows everybody. */
export const createApp = async ({
  services,
  config: baseConfig = readConfig(process.env, services),
  url: address,
  ports = {},
  replaced = [],
  only,
  conformance = false,
  drainMs = 10_000,
}: AppOptions): Promise<App> => {
  const publicUrl = address === undefined ? undefined : parseUrl(address)
  const config = configFor(baseConfig, publicUrl)
  let url = publicUrl ?? config.PUBLIC_URL ?? ''
  const servedServices = only ? [only] : services
  const open = await openWorld(config, () => url, {
    services: servedServices,
    ports,
    replaced,
    ...(only && { only }),
  })
  const { store, payments, operator } = open
  const { limits } = open.world
  const clock = open.world.ports.clock ?? { now: () => new Date() }
  const onMoved = (what: string, rows: number) =>
    open.log.info({ detail: `${rows}: ${what}` }, 'rows have moved')
  try {
    await requireSoundNetworks(payments)
    await moveAccounts(store, { now: clock.now(), onMoved })
    await upgradeDocuments(store, { onMoved })
  } catch (refused) {
    await open.close()
    throw refused
  }
  const operations = openPaymentOperations({
    store,
    methods: payments.methods,
    limits,
    clock,
    gate: open.gate,
    ledger: open.world.ports.ledger,
    card: open.world.ports.card,
    chainRefundsPerDay: config.OCTAGENT_CHAIN_REFUNDS_PER_DAY,
    onRefund: ({ network, service, tool, amount }) =>
      open.observer.money('refunded', { network, tool: `${service}.${tool}`, amount: BigInt(amount) }),
    identify: ({ credentials, request }) =>
      identifyBalance(open.world, servedServices, { credentials, request }),
  })
  const { ledger, fetch, card, keys, evm, lightning, payouts } = open.world.ports
  const external = openIssuer(config)
  const activity = openActivity({ store, now: () => clock.now(), prefixOf: keyPrefixOf(servedServices) })
  const version = await readVersion()
  const calls = openCallHistory(() => clock.now())
  const { operators = [] } = readSettings(config, accountSettings)
  const recent = operators.length > 0 ? openRecentCalls(() => clock.now()) : undefined
  const { record } = open.world
  open.world.record = entry => {
    record(entry)
    activity.note(entry)
    calls.note(entry)
    recent?.note(entry)
  }
  const accountDeps: AccountDeps = {
    store,
    clock,
    keys: requirePort('keys', keys),
    clients: openClients({ store, clock, keys: requirePort('keys', keys) }),
    ledger: requirePort('ledger', ledger),
    rates: open.rates,
    fetch: requirePort('fetch', fetch),
    card,
    evm,
    services: servedServices.map(({ slug, name }) => ({ slug, name })),
    serviceBooks: servedServices.flatMap(({ slug, name, book }) => (book ? [{ ...book, slug, name }] : [])),
    lightning,
    payouts,
    ways: listWays(payments.methods),
    parts: [
      balancePart({ store, ledger: requirePort('ledger', ledger), clock }),
      profilesPart({ store, keys: requirePort('keys', open.world.ports.keys) }),
      inboxPart({ store, keys: requirePort('keys', open.world.ports.keys) }),
      activity.part,
    ],
    activity,
    external,
    take: async (key, quota, seconds) => (await limits.take(key, quota, 1, seconds)).ok,
    resources: listResources(open.world, servedServices, only),
    origin: () => toOrigin(url),
    url: () => url,
    report: (at, cause) => logFault(open.log, { accounts: at }, cause),
    takeLimit: async (what, address, perMinute) => {
      const standing = await limits.take(`accounts.${what}:${toClient(address)}`, perMinute)
      if (!standing.ok) throw overLimit(what, standing)
    },
    countRegistration: (tx, address) => takeRegistration(tx, toClient(address), clock.now()),
  }
  if (recent)
    accountDeps.desk = {
      operators,
      ...operations.operator,
      calls,
      findCalls: id => recent.find(id),
      queues: () => open.world.ports.scheduler?.use?.(),
      networks: () => lookAt(payments.networks),
      peers: () => loadPeers(open.world, servedServices),
      accounts: () => countAccounts(accountDeps),
      setFrozen: async (account, freeze, by) => {
        await setFrozen(accountDeps, account, freeze)
        open.log.info({ account, freeze, by }, 'an operator froze or thawed an account')
      },
      alerts: () => alerts.firing(),
      capabilities: () => capabilities(),
      settings: () => writeSettings(config, servedServices),
      freeze: store.freeze,
      isOut: () => state.isOut,
      setOut: isOut => {
        state.isOut = isOut
        open.log.info({ isOut }, 'an operator changed the rotation')
      },
    }
  const accounts = openAccounts(accountDeps, open.world.shell)
  open.world.signIn = accounts.signIn
  open.world.visitor = accounts.visitor
  open.world.findTools = openToolSearch(servedServices)
  const scanIncoming = async () => void (await operations.operator.scan())
  const plan = schedule(collectJobs(servedServices, { ...open, accounts, scanIncoming }), {
    world: open.world,
    onReport({ name, ok }, cause) {
      open.observer.job(name, ok)
      // A store that is away has said so itself; every job that meets it would only repeat it.
      if (!ok && toToolError(cause).code !== 'unavailable') logFault(open.log, { job: name }, cause)
    },
  })
  addMetrics(open.observer, {
    world: open.world,
    plan,
    networks: payments.networks,
    folder: config.OCTAGENT_DATA,
    tracesDelivered: open.tracesDelivered,
  })
  /** A store that is away has an alert of its own, and must not hide the others. */
  const readMoney = async () => {
    const { parts } = await loadStanding(store, clock.now()).catch(() => ({ parts: [] }))
    const age = (since: string) => Math.max(0, (clock.now().getTime() - Date.parse(since)) / 1000)
    open.observer.openMoney(parts.map(part => ({ ...part, ageSeconds: age(part.since) })))
  }
  const alerts = openAlerts(async () => {
    await readMoney()
    return open.observer.samples()
  })
  const capabilities = openCapabilities(open.world, servedServices)
  const state: State = { draining: false, isOut: false, underWay: 0 }
  const site = [
    ...operatorRoutes(
      {
        ...operations.operator,
        freeze: store.freeze,
        chains: async () => ({ solana: await payments.solanaRpc?.() }),
        accounts: {
          count: () => countAccounts(accountDeps),
          export: id => exportAccount(accountDeps, id),
          delete: id => deleteAccount(accountDeps, id),
        },
      },
      operator,
    ),
    ...receiptRoutes(operations.receipts, open.world.shell, {
      serviceName: slug => servedServices.find(service => service.slug === slug)?.name,
      isPublic: payments.devnet === undefined,
    }),
    collectRoute(open.world, servedServices),
    ...siteRoutes({
      world: open.world,
      services: servedServices,
      ready: async inDetail => {
        const found = await readiness(
          open.world,
          servedServices,
          plan,
          state.draining || state.isOut,
          payments.networks,
          alerts.firing,
          capabilities,
        )
        return inDetail ? found : toPublicReadiness(found)
      },
      operator,
      calls,
      version,
      metrics: async () => {
        await readMoney()
        return open.observer.metrics()
      },
      metricsAccess: {
        token: config.OCTAGENT_METRICS_TOKEN?.reveal(),
        isPublic: config.PUBLIC_URL !== undefined,
      },
      securityContact: config.OCTAGENT_SECURITY_CONTACT,
    }),
  ]
  let closed: Promise<void> | undefined
  const closeAll = (): Promise<void> => {
    alerts.close()
    closed ??= plan
      .stop()
      .then(() => external?.close())
      .then(() => activity.close())
      .then(() => open.log.info('the server has stopped'))
      .then(open.close)
    return closed
  }
  let stop = async (now: boolean): Promise<void> => {
    if (!now) await idle(state, drainMs)
    await closeAll()
  }
  try {
    const sites = [
      ...buildSites(open, { services, only, config }, site),
      ...(conformance ? [await openConformance(open, config)] : []),
    ]
    const listener = buildListener(open, config, sites, state, { publicUrl, accounts })
    const listenOn = async (requestedPort = config.PORT): Promise<string> => {
      const server = openHttpServer(listener, {
        perAddress: config.TRUST_PROXY ? undefined : config.OCTAGENT_CONNECTIONS_PER_ADDRESS,
        site: () => url,
      })
      // A server that cannot accept says so with an event each time; unheard, it would end the process.
      server.on('error', cause => logFault(open.log, { server: 'http' }, cause))
      const port = await listen(server, requestedPort, config.OCTAGENT_BIND)
      stop = stopper(server, state, closeAll, drainMs, graceMs(config))
      const host = config.OCTAGENT_BIND.includes(':') ? `[${config.OCTAGENT_BIND}]` : config.OCTAGENT_BIND
      if (url === '') url = `http://${host}:${port}`
      setImmediate(() => warm().catch(cause => logFault(open.log, { server: 'mcp' }, cause)))
      return `http://${host}:${port}`
    }
    let closing: Promise<void> | undefined
    return {
      services: servedServices,
      handler: countRequests(listener, state),
      listen: listenOn,
      devnetRpc: async name => (await payments.devnet?.network(name))?.rpc,
      solanaRpc: async () => payments.solanaRpc?.(),
      fatal: (event, failure) => logFatal(open.log, event, failure),
      close(now = false) {
        if (!state.draining) open.log.info({ now }, 'the server stops')
        state.draining = true
        closing = now ? stop(true) : (closing ?? stop(false))
        return closing
      },
    }
  } catch (failure) {
    await closeAll()
    throw failure
  }
}

/** How long load balancers have to see `/readyz` turn before the port closes. */
const graceMs = ({ OCTAGENT_BIND, PUBLIC_URL, OCTAGENT_DRAIN_GRACE }: Config): number => {
  const isPublic = PUBLIC_URL !== undefined || !isLoopback(OCTAGENT_BIND)
  return (OCTAGENT_DRAIN_GRACE ?? (isPublic ? 5 : 0)) * 1000
}

/** Milliseconds without a request after which a kept connection is closed while the server ends. */
const quietMs = 200

/** Turns of the event loop for connections that the system has taken already; each turn takes one in. */
const maxTakingTurns = 2000

/** Takes in the connections that wait for the server: closing the port would reset them, with what they have asked. */
const takeWaiting = async (server: Server): Promise<void> => {
  let taken = 0
  const count = () => void taken++
  server.on('connection', count)
  for (let turns = 0, before = -1; before !== taken && turns < maxTakingTurns; turns += 2) {
    before = taken
    await turn()
    await turn()
  }
  server.off('connection', count)
}

/**
 * Takes no more connections, and closes those that are kept once they have been quiet and all that came over them has been read. Until
 * then each request is answered, and its answer says that it is the last. Node's own `close` would end them at once, with requests
 * that have arrived and are not read yet.
 */
const drain = async (server: Server, signal: AbortSignal): Promise<void> => {
  await takeWaiting(server)
  const closed = new Promise<void>(resolve => {
    NetServer.prototype.close.call(server, () => resolve())
  })
  server.keepAliveTimeout = quietMs
  await Promise.race([closed, wait(quietMs, undefined, { signal }).catch(() => undefined)])
  // One turn of the loop takes connections in, the next reads them.
  await turn()
  await turn()
  server.closeIdleConnections()
  await closed
  // Ends the timer that looks after the times of connections.
  server.close(() => undefined)
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
      const late = setTimeout(() => server.closeAllConnections(), drainMs)
      await drain(server, hurry.signal)
      clearTimeout(late)
      await close()
    })()
    return stopping
  }
}
