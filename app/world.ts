import { createHmac } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { join } from 'node:path'
import { balanceUnit } from '../mcp/accounts/account.ts'
import { openPeople } from '../mcp/accounts/people.ts'
import { openBooks } from '../mcp/accounts/ports.ts'
import { openSpending } from '../mcp/accounts/spending.ts'
import type { World } from '../mcp/kernel/call.ts'
import { type Log, logCall, logFault, openLog, scrub } from '../mcp/kernel/log.ts'
import type { OwnNeed } from '../mcp/kernel/need.ts'
import { openObserver } from '../mcp/kernel/observe.ts'
import { checkOwnNeeds, openOwnPorts } from '../mcp/kernel/own-needs.ts'
import { openLimits } from '../mcp/kernel/pipeline/limits.ts'
import { openSharedLimits, storeWindows } from '../mcp/kernel/pipeline/shared-limits.ts'
import type { Provision } from '../mcp/kernel/port.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { Tracer } from '../mcp/lib/trace/span.ts'
import type { HmacKeys } from '../mcp/payment/derived-keys.ts'
import { openAccountDialect } from '../mcp/payment/dialects/account/account.ts'
import { openL402Dialect } from '../mcp/payment/dialects/l402/l402.ts'
import { openPaymentDialect } from '../mcp/payment/dialects/payment/payment.ts'
import { toListing } from '../mcp/payment/dialects/x402/listing.ts'
import { x402 } from '../mcp/payment/dialects/x402/x402.ts'
import { type Alarm, alarmTexts } from '../mcp/payment/gate/alarm.ts'
import { type OpenGate, openGate } from '../mcp/payment/gate/open.ts'
import { thisProcess } from '../mcp/payment/gate/payment-records.ts'
import { requireSettlementOrder } from '../mcp/payment/gate/settlement.ts'
import { openLedger } from '../mcp/payment/ledger/index.ts'
import { openLightningPayouts } from '../mcp/payment/lightning-payouts.ts'
import { balanceUnits } from '../mcp/payment/methods/balance/amount.ts'
import { openBalanceMethod } from '../mcp/payment/methods/balance/method.ts'
import { openPurchases } from '../mcp/payment/methods/broadcast/purchases.ts'
import { openPayouts } from '../mcp/payment/payouts.ts'
import { configuredRates, openRates, type Rates, withDevelopmentRate } from '../mcp/payment/rates.ts'
import { openTransfers } from '../mcp/payment/transfers/transfers.ts'
import { browserSettings } from '../mcp/ports/browser/config.ts'
import { openBrowsers } from '../mcp/ports/browser/open.ts'
import { openCache } from '../mcp/ports/cache/cache.ts'
import { cardSettings } from '../mcp/ports/card/config.ts'
import { openStripe } from '../mcp/ports/card/stripe.ts'
import { openChains } from '../mcp/ports/chain/chains.ts'
import { networks } from '../mcp/ports/chain/networks.ts'
import type { NetworkName } from '../mcp/ports/chain/port.ts'
import { openDemoPayment } from '../mcp/ports/devnet/demo-payment.ts'
import type { Devnet } from '../mcp/ports/devnet/devnet.ts'
import { openDns } from '../mcp/ports/dns/dns.ts'
import { systemServers } from '../mcp/ports/dns/server.ts'
import { openEvm } from '../mcp/ports/evm/evm.ts'
import { openFetch } from '../mcp/ports/fetch/fetch.ts'
import { type HostAddress, openGuard } from '../mcp/ports/fetch/guard.ts'
import type { Fetch } from '../mcp/ports/fetch/port.ts'
import { resolveWith } from '../mcp/ports/fetch/resolve.ts'
import { filesSettings } from '../mcp/ports/files/config.ts'
import { openFiles } from '../mcp/ports/files/files.ts'
import { openGeo } from '../mcp/ports/geo/geo.ts'
import { type Installation, openInstallation, readSecrets, secretsFile } from '../mcp/ports/installation.ts'
import { checkPepper, openKeys, type Peppers, rememberPepper } from '../mcp/ports/keys/keys.ts'
import { maxQuestions, openLlm } from '../mcp/ports/llm/llm.ts'
import type { Llm } from '../mcp/ports/llm/port.ts'
import { type Ports, portNames } from '../mcp/ports/ports.ts'
import { rdapSettings } from '../mcp/ports/rdap/config.ts'
import { openRdap } from '../mcp/ports/rdap/rdap.ts'
import { sandboxSettings } from '../mcp/ports/sandbox/config.ts'
import { openSandboxes } from '../mcp/ports/sandbox/open.ts'
import type { Lane } from '../mcp/ports/scheduler/lane.ts'
import { openScheduler } from '../mcp/ports/scheduler/scheduler.ts'
import { openSign } from '../mcp/ports/sign/sign.ts'
import { openSockets } from '../mcp/ports/sockets/sockets.ts'
import type { Store } from '../mcp/ports/store/port.ts'
import { tlsSettings } from '../mcp/ports/tls/config.ts'
import { openTls } from '../mcp/ports/tls/tls.ts'
import { traceSettings } from '../mcp/ports/trace/config.ts'
import { viesSettings } from '../mcp/ports/vies/config.ts'
import { openVies } from '../mcp/ports/vies/vies.ts'
import { defaultThreads, openWorkers } from '../mcp/ports/workers/workers.ts'
import type { Availability } from '../store/index.ts'
import { openShell } from '../web/shell.ts'
import { type Config, isLoopback, readNodes, readSettings } from './config.ts'
import { openPayments, type Payments } from './open-payments.ts'

/** A world that is open: its ports, and what closes them. */
export type Open = {
  world: World
  store: Store
  log: Log
  observer: ReturnType<typeof openObserver>
  /** False while spans are lost; undefined where none are recorded. */
  tracesDelivered: (() => boolean) | undefined
  payments: Payments
  /** Rates of what is paid here; on local chains a made-up one where none is stated. */
  rates: Rates
  /** Undefined where nothing can be paid. */
  gate: OpenGate | undefined
  /** The token of the command line. */
  operator: string
  /** Data the embedded store has read of its files and dropped, in a sentence. */
  storeStart: string | undefined
  /** Asks the chains what became of payments that nobody works on. */
  reconcile(): Promise<number>
  close(): Promise<void>
}

/** Addresses of services: hosts of their own, below that of the installation, or, the only one there is, at it. */
export const openBases = ({ HOSTS = [] }: Pick<Config, 'HOSTS'>, url: () => string, only?: Service) => {
  const hosts = new Map(HOSTS.map(({ host, slug }) => [slug, host]))
  return ({ slug }: Pick<Service, 'slug'>): string => {
    if (slug === only?.slug) return url()
    const host = hosts.get(slug)
    return host === undefined ? `${url()}/${slug}` : `${new URL(url()).protocol}//${host}`
  }
}

/** Opens the store that a configuration names. */
export const openStore = async (
  config: Config,
  log: Log,
  onStart: (report: string) => void,
): Promise<Store> => {
  const { DATABASE_URL, OCTAGENT_DATA, OCTAGENT_STORE_MAX_MB } = config
  const report = (problem: unknown) => logFault(log, { store: 'listener' }, problem)
  const onAvailability = ({ available, detail }: Availability) =>
    available
      ? log.info({ detail: scrub(detail) }, 'store is back')
      : log.error({ detail: scrub(detail) }, 'store is away')
  if (DATABASE_URL) {
    const { openPostgres } = await import('../store/postgres/open.ts')
    return openPostgres({
      url: DATABASE_URL.reveal(),
      direct: config.OCTAGENT_DATABASE_DIRECT_URL?.reveal(),
      connections: config.OCTAGENT_DATABASE_CONNECTIONS,
      report,
      onAvailability,
    })
  }
  const { openEmbedded } = await import('../store/embedded/open.ts')
  return openEmbedded({
    dir: join(OCTAGENT_DATA, 'store'),
    maxBytes: OCTAGENT_STORE_MAX_MB && OCTAGENT_STORE_MAX_MB * 1_000_000,
    report,
    onStart,
    onAvailability,
  })
}

/** The secrets, the same under which the store holds keys of callers; else a refusal, before any is made. */
export const openSecrets = async (config: Config, store: Store): Promise<Installation> => {
  const file = secretsFile(config.OCTAGENT_DATA)
  const configured = {
    ...(config.OCTAGENT_PEPPER && {
      pepper: config.OCTAGENT_PEPPER.reveal(),
      previousPepper: config.OCTAGENT_PEPPER_PREVIOUS?.reveal(),
    }),
    ...(config.OCTAGENT_SIGNING_KEY && {
      signingKey: config.OCTAGENT_SIGNING_KEY.reveal(),
      previousSigningKey: config.OCTAGENT_SIGNING_KEY_PREVIOUS?.reveal(),
    }),
  }
  await checkPepper(store, { ...(await readSecrets(config.OCTAGENT_DATA)), ...configured }, file)
  const secrets = { ...(await openInstallation(config.OCTAGENT_DATA)), ...configured }
  await rememberPepper(store, secrets, file)
  return secrets
}

/** The keys that payments are signed and encrypted with follow from the pepper. */
export const toHmacKeys = ({ pepper, previousPepper }: Peppers): HmacKeys => {
  const derive = (secret: string) => createHmac('sha256', secret).update('quotes').digest()
  return {
    hmacKey: derive(pepper),
    previousHmacKey: previousPepper === undefined ? undefined : derive(previousPepper),
  }
}

/** Closers of what was opened, in the order of opening. */
type Closing = (() => void | Promise<void>)[]

/** Closes the last one first. One that fails keeps none of the others open. */
const closeAll = async (closing: Closing): Promise<void> => {
  const faults: unknown[] = []
  for (const close of closing.splice(0).reverse()) {
    try {
      await close()
    } catch (error) {
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
}

/** Everything but the ports that only some configurations have. */
type Some = 'card' | 'transfers' | 'purchases' | 'payouts' | 'lightning' | 'chains' | 'solana' | 'llm'
type OpenPorts = Omit<Ports, Some> & Partial<Ports>

/** A way out of its own to addresses that the operator names, wherever they are. */
const openOperatorFetch = (
  userAgent: string,
  closing: Closing,
  more: Pick<
    Parameters<typeof openFetch>[0],
    'maxMs' | 'timeouts' | 'maxSockets' | 'maxSocketsPerOrigin'
  > = {},
): Fetch => {
  const fetch = openFetch({
    resolve: async host => (await lookup(host, { all: true })) as HostAddress[],
    allow: () => true,
    userAgent,
    ...more,
  })
  closing.push(fetch.close)
  return fetch
}

/**
 * The model that is configured. It has a way out of its own: to that one address, wherever it is, without redirects, and slow enough
 * for a model.
 */
const openConfiguredLlm = (
  config: Config,
  userAgent: string,
  lane: Lane,
  closing: Closing,
): Llm | undefined => {
  const { LLM_URL: url, LLM_MODEL: model, LLM_API_KEY: key, LLM_API: api, LLM_TIMEOUT: seconds } = config
  if (!url || !model) return undefined
  const deadlineMs = seconds * 1000
  const fetch = openOperatorFetch(userAgent, closing, {
    maxMs: deadlineMs,
    timeouts: { headersMs: deadlineMs, idleMs: deadlineMs },
    // The lane of the model bounds them: here the house asks all of them, and nobody alone has more than half.
    maxSockets: 2 * maxQuestions,
    maxSocketsPerOrigin: 2 * maxQuestions,
  })
  return openLlm({ fetch, url, model, key: key?.reveal(), api, deadlineMs, lane })
}

/** Recorder of spans, loaded only where a collector is named. It has a way out of its own: to that one address, wherever it is. */
const openConfiguredTracer = async (
  config: Config,
  log: Log,
  closing: Closing,
): Promise<(Tracer & { isDelivering(): boolean }) | undefined> => {
  const { endpoint, headers, serviceName, resource, ratio } = readSettings(config, traceSettings)
  if (endpoint === undefined) return undefined
  const { openTracer } = await import('../mcp/ports/trace/otlp.ts')
  const fetch = openOperatorFetch('Octagent/0.1', closing)
  const delivery = { ok: true }
  const tracer = openTracer({
    fetch,
    endpoint,
    headers: headers?.reveal(),
    resource: { 'service.name': serviceName, ...resource },
    ratio,
    onDelivery({ ok, detail }) {
      delivery.ok = ok
      if (ok) log.info({ endpoint }, 'traces are delivered')
      else log.warn({ endpoint, detail: scrub(detail) }, 'traces are lost')
    },
  })
  closing.push(tracer.close)
  return { ...tracer, isDelivering: () => delivery.ok }
}

const isNetworkName = (name: string): name is NetworkName => Object.hasOwn(networks, name)

/** The processor of cards, where its key and the secret of its webhooks are configured. */
const openCard = (config: Config, openOwnFetch: () => Fetch, clock: Ports['clock']): Partial<Ports> => {
  const { stripeKey, stripeWebhookSecret, stripeApi: api } = readSettings(config, cardSettings)
  if (!stripeKey || !stripeWebhookSecret) return {}
  return {
    card: openStripe({
      fetch: openOwnFetch(),
      clock,
      api,
      key: stripeKey.reveal(),
      webhookSecret: stripeWebhookSecret.reveal(),
    }),
  }
}

/** Origin of pages for people: `localhost` on this machine, because passkeys refuse its addresses. */
export const toOrigin = (url: string): string => {
  const { protocol, hostname, host, port } = new URL(url)
  return `${protocol}//${isLoopback(hostname) ? `localhost${port && `:${port}`}` : host}`
}

/**
 * Opens the guard to the address at which an installation with play money answers on this machine, so that its gateway can be tried on its
 * own services. Whoever asks it is on this machine as well.
 */
const openOwnMachine = (devnet: Devnet | undefined, own: () => string) =>
  devnet && {
    allow: (address: string, port: number) => {
      const url = own()
      return url !== '' && isLoopback(address) && new URL(url).host === `${address}:${port}`
    },
  }

/**
 * Opens the guard to servers on this machine that a setting names, such as a proxy or a stand-in of a service elsewhere, for the requests
 * that the operator names: nobody else gets there.
 */
const openConfiguredServers = (config: Config) => {
  const ports = new Set(
    Object.values(config).flatMap(value => {
      const url = typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value) && new URL(value)
      return url && isLoopback(url.hostname)
        ? [Number(url.port || (url.protocol === 'https:' ? 443 : 80))]
        : []
    }),
  )
  return { allowOperator: (address: string, port: number) => isLoopback(address) && ports.has(port) }
}

/** Ports of a configuration; `more` replaces some, as tests do with the internet. */
const openPorts = async (
  config: Config,
  { pepper, previousPepper, signingKey, previousSigningKey }: Installation,
  devnet: Devnet | undefined,
  own: () => string,
  more: Partial<Ports> & { store: Store },
  closing: Closing,
): Promise<OpenPorts> => {
  const dns = openDns({ servers: config.DNS_SERVERS ?? systemServers() })
  const userAgent = `Octagent/0.1 (+${config.PUBLIC_URL ?? 'http://localhost'}/data/peer-network)`
  const clock = more.clock ?? { now: () => new Date() }
  const fetch =
    more.fetch ??
    openFetch({
      resolve: resolveWith(dns),
      userAgent,
      ...openOwnMachine(devnet, own),
      ...openConfiguredServers(config),
    })
  const ownSandboxes = readSettings(config, sandboxSettings)
  const ownBrowsers = readSettings(config, browserSettings)
  const scheduler = openScheduler({
    workers: defaultThreads,
    sandboxes: ownSandboxes.concurrency,
    browsers: ownBrowsers.concurrency,
    llm: maxQuestions,
  })
  const { lanes } = scheduler
  const workers = openWorkers({ lane: lanes.workers })
  closing.push(workers.close)
  const fileSettings = readSettings(config, filesSettings)
  const sockets = openSockets()
  closing.push(sockets.close)
  const llm = more.llm ?? openConfiguredLlm(config, userAgent, lanes.llm, closing)
  const sandboxes = openSandboxes(ownSandboxes, Date.now, lanes.sandboxes)
  closing.push(sandboxes.close)
  const browsers = openBrowsers({
    guard: openGuard({ resolve: resolveWith(more.dns ?? dns) }),
    ...ownBrowsers,
    lane: lanes.browsers,
  })
  closing.push(browsers.close)
  const ledger = more.ledger ?? openLedger()
  const cards = {
    ...openCard(config, () => more.fetch ?? openOperatorFetch(userAgent, closing), clock),
    ...more,
  }
  return {
    ...(llm && { llm }),
    books: openBooks({ store: more.store, clock, ledger, card: cards.card }),
    clock,
    cache: openCache({ clock }),
    scheduler,
    workers,
    sandboxes,
    browsers,
    dns,
    evm: openEvm({
      rpc: readNodes(config),
      local: chain => (devnet && isNetworkName(chain) ? () => devnet.network(chain) : undefined),
    }),
    fetch,
    sockets,
    tls: openTls({
      fetch,
      resolve: resolveWith(more.dns ?? dns),
      helo: new URL(config.PUBLIC_URL ?? 'http://localhost').hostname,
      ...readSettings(config, tlsSettings),
    }),
    vies: openVies({ fetch, ...readSettings(config, viesSettings) }),
    rdap: openRdap({
      fetch,
      clock,
      resolve: resolveWith(more.dns ?? dns),
      ...readSettings(config, rdapSettings),
    }),
    files: openFiles(
      { ...fileSettings, folder: fileSettings.folder ?? join(config.OCTAGENT_DATA, 'files') },
      { fetch, clock, store: more.store },
    ),
    geo: more.geo ?? (await openGeo(config.OCTAGENT_GEO_FILE)),
    keys: openKeys(
      Buffer.from(pepper),
      previousPepper === undefined ? undefined : Buffer.from(previousPepper),
    ),
    ledger,
    rates: openRates([configuredRates(config.OCTAGENT_RATES ?? {}, clock.now)]),
    sign: openSign(signingKey, previousSigningKey),
    ...cards,
  }
}

/** Reads the settings that services declare from the configuration. */
const readOwnSettings = (config: Config, services: readonly Service[]): Map<OwnNeed, unknown> =>
  new Map(
    services.flatMap(({ settings = {} }) => {
      const values: Readonly<Record<string, unknown>> = readSettings(config, settings)
      return Object.values(settings).map(setting => [setting, values[setting.name]] as const)
    }),
  )

type WorldOptions = {
  /** Services to serve; boot checks look at these. */
  services: readonly Service[]
  ports?: Partial<Ports>
  /** Replaces ports of the services' own: `[tides.as(fake)]`. */
  replaced?: readonly Provision[]
  /** Serves this one at the root. */
  only?: Service
}

/**
 * Opens everything a call needs, without a server. `url` is where clients reach this installation. Throws what cannot be opened, with
 * everything closed again that was.
 */
export const openWorld = async (config: Config, url: () => string, options: WorldOptions): Promise<Open> => {
  const closing: Closing = []
  try {
    return await openParts(config, url, options, closing)
  } catch (error) {
    await closeAll(closing).catch(() => undefined)
    throw error
  }
}

const openParts = async (
  config: Config,
  url: () => string,
  { services, ports: given = {}, replaced = [], only }: WorldOptions,
  closing: Closing,
): Promise<Open> => {
  requireSettlementOrder(services)
  checkOwnNeeds(services, portNames)
  const own = readOwnSettings(config, services)
  const log = openLog(config.OCTAGENT_LOG)
  closing.push(() => log.close())
  let storeStart: string | undefined
  const store =
    given.store ??
    (await openStore(config, log, report => {
      storeStart = report
      log.info({ detail: report }, 'store has started')
    }))
  // A store of somebody else's is theirs until everything is open.
  if (!given.store) closing.push(() => store.close())
  const secrets = await openSecrets(config, store)
  const payments = await openPayments(config)
  closing.push(payments.close)
  const purchases = openPurchases(payments.transfers.get('base'))
  const transfers = payments.transfers.size > 0 ? { transfers: openTransfers(payments.transfers) } : {}
  const payouts = payments.payouts ? { payouts: openPayouts(payments.payouts) } : {}
  const lightning = payments.lightning ? { lightning: openLightningPayouts(payments.lightning) } : {}
  const nodes = readNodes(config)
  const chains = openChains({
    devnet: payments.devnet,
    relayerKey: payments.relayerKey,
    shared: name => payments.transfers.get(name)?.chain,
    node: name => nodes[name][0]?.reveal(),
  })
  const ports = await openPorts(
    config,
    secrets,
    payments.devnet,
    url,
    {
      purchases,
      chains,
      ...(payments.solana && { solana: payments.solana }),
      ...transfers,
      ...payouts,
      ...lightning,
      ...given,
      store,
    },
    closing,
  )
  const hmacKeys = toHmacKeys(secrets)
  const { clock, ledger } = ports
  const rates = payments.devnet ? withDevelopmentRate(ports.rates, () => clock.now()) : ports.rates
  // A quote names balances last: whoever has none reads of the other ways first.
  const people = openPeople({
    store,
    clock,
    ledger,
    origin: () => toOrigin(url()),
    isOpen: () => world.signIn !== undefined,
  })
  const spending = openSpending({ clock, page: people.page })
  // People add to their balances by whatever is taken here: where nothing is, there are none.
  const hasPeople = payments.methods.length > 0 || ports.card !== undefined
  const hasPrepaid = services.some(({ prepaid }) => prepaid)
  const balances = balanceUnits
    .filter(unit => hasPrepaid || (hasPeople && unit === balanceUnit))
    .map(unit => openBalanceMethod({ unit, ledger, store, now: () => clock.now(), spending }))
  const methods = [...payments.methods, ...balances]
  // In the order of their challenges: clients of L402 read the first line only.
  const dialects = [
    x402,
    openL402Dialect({ ...hmacKeys, now: () => clock.now() }),
    openPaymentDialect({ ...hmacKeys, now: () => clock.now(), realm: () => new URL(url()).host }),
    openAccountDialect({ base: service => base(service), page: people.page }),
  ]
  const observer = openObserver(() => store.use())
  const watchMs = config.OCTAGENT_PAYMENT_WATCH * 1000
  const onAlarm = (alarm: Alarm) => {
    if (alarm.event === 'restored') log.warn(alarm, alarmTexts.restored)
    else log.error(alarm, alarmTexts[alarm.event])
    observer.payment(alarm.event)
  }
  const gate =
    methods.length > 0
      ? openGate({
          methods,
          dialects,
          rates,
          people,
          list: toListing,
          store,
          clock,
          ...hmacKeys,
          watchMs,
          onAlarm,
          onSettled: ({ network, service, tool, amount }) =>
            observer.money('settled', { network, tool: `${service}.${tool}`, amount: BigInt(amount) }),
          onSettlement: observer.settlement,
          process: thisProcess,
        })
      : undefined
  const base = openBases(config, url, only)
  closing.push(await openOwnPorts(services, { ports, own }, replaced))
  const tracer = await openConfiguredTracer(config, log, closing)
  const world: World = {
    ports,
    own,
    gate,
    base,
    site: {
      organization: config.OCTAGENT_ORGANIZATION,
      registrations: config.OCTAGENT_AGENT_IDS,
      get url() {
        return url()
      },
    },
    shell: openShell({
      site: url,
      rooms: () =>
        services.flatMap(one => (one.header ? [{ ...one.header, url: base(one) + one.header.url }] : [])),
    }),
    ...(payments.devnet && { demoPayment: openDemoPayment(config.OCTAGENT_DATA) }),
    limits: config.DATABASE_URL ? openSharedLimits(storeWindows(store)) : openLimits(),
    perMinute: config.OCTAGENT_RATE_LIMIT,
    tracer,
    record(entry) {
      logCall(log, entry)
      observer.call(entry)
    },
  }
  if (given.store) closing.splice(1, 0, () => store.close())
  return {
    world,
    store,
    log,
    observer,
    tracesDelivered: tracer?.isDelivering,
    payments: { ...payments, methods },
    rates,
    gate,
    operator: secrets.operator,
    storeStart,
    reconcile: async () => (await gate?.reconcile()) ?? 0,
    close: () => closeAll(closing),
  }
}
