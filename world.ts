import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { type Config, readSettings } from './config.ts'
import type { World } from './mcp/kernel/call.ts'
import { logCall, logFault, openLog, scrub } from './mcp/kernel/log.ts'
import type { OwnNeed } from './mcp/kernel/need.ts'
import { openObserver } from './mcp/kernel/observe.ts'
import { checkOwnNeeds, openOwnPorts } from './mcp/kernel/own-needs.ts'
import { openLimits } from './mcp/kernel/pipeline/limits.ts'
import { openSharedLimits, storeWindows } from './mcp/kernel/pipeline/shared-limits.ts'
import type { Provision } from './mcp/kernel/port.ts'
import type { Service } from './mcp/kernel/service.ts'
import { openL402Dialect } from './mcp/payment/dialects/l402/l402.ts'
import { openPaymentDialect } from './mcp/payment/dialects/payment/payment.ts'
import { toListing } from './mcp/payment/dialects/x402/listing.ts'
import { x402 } from './mcp/payment/dialects/x402/x402.ts'
import { type Alarm, alarmTexts } from './mcp/payment/gate/alarm.ts'
import { openGate } from './mcp/payment/gate/open.ts'
import { thisProcess } from './mcp/payment/gate/payment-records.ts'
import { checkSettlement } from './mcp/payment/gate/settlement.ts'
import { openLedger } from './mcp/payment/ledger/index.ts'
import { openPurchases } from './mcp/payment/methods/broadcast/purchases.ts'
import { openPayouts } from './mcp/payment/payouts.ts'
import { configuredRates, openRates } from './mcp/payment/rates.ts'
import { openTransfers } from './mcp/payment/transfers/transfers.ts'
import { openCache } from './mcp/ports/cache.ts'
import { openChains } from './mcp/ports/chain/chains.ts'
import { type NetworkName, networks } from './mcp/ports/chain/networks.ts'
import type { Devnet } from './mcp/ports/devnet/devnet.ts'
import { openDns } from './mcp/ports/dns/dns.ts'
import { systemServers } from './mcp/ports/dns/server.ts'
import { evmSettings } from './mcp/ports/evm/config.ts'
import { openEvm } from './mcp/ports/evm/evm.ts'
import { openFetch } from './mcp/ports/fetch/fetch.ts'
import { resolveWith } from './mcp/ports/fetch/resolve.ts'
import { openGeo } from './mcp/ports/geo.ts'
import { type Ports, portNames, type Store } from './mcp/ports/index.ts'
import { type Installation, openInstallation, readPepper, secretsFile } from './mcp/ports/installation.ts'
import { checkPepper, openKeys, rememberPepper } from './mcp/ports/keys.ts'
import { rdapSettings } from './mcp/ports/rdap/config.ts'
import { openRdap } from './mcp/ports/rdap/rdap.ts'
import { openSign } from './mcp/ports/sign.ts'
import { openSockets } from './mcp/ports/sockets.ts'
import { tlsSettings } from './mcp/ports/tls/config.ts'
import { openTls } from './mcp/ports/tls/tls.ts'
import { viesSettings } from './mcp/ports/vies/config.ts'
import { openVies } from './mcp/ports/vies/vies.ts'
import { openWorkers } from './mcp/ports/workers/workers.ts'
import { openPayments, type Payments } from './payments.ts'
import type { Availability } from './store/index.ts'

export type Log = ReturnType<typeof openLog>

/** A world that is open: its ports, and what closes them. */
export type Open = {
  world: World
  store: Store
  log: Log
  observer: ReturnType<typeof openObserver>
  payments: Payments
  /** The token of the command line. */
  operator: string
  /** What the embedded store has read of its files and dropped, in a sentence. */
  storeStart: string | undefined
  /** Asks the chains what became of payments that nobody works on. */
  reconcile(): Promise<number>
  close(): Promise<void>
}

/** Opens the store that a configuration names. */
export const openStore = async (
  { DATABASE_URL, OCTAGENT_DATA, OCTAGENT_STORE_MAX_MB }: Config,
  log: Log,
  onStart: (report: string) => void,
): Promise<Store> => {
  const report = (problem: unknown) => logFault(log, { store: 'listener' }, problem)
  const onAvailability = ({ available, detail }: Availability) =>
    available
      ? log.info({ detail: scrub(detail) }, 'store is back')
      : log.error({ detail: scrub(detail) }, 'store is away')
  if (DATABASE_URL) {
    const { openPostgres } = await import('./store/postgres/open.ts')
    return openPostgres({ url: DATABASE_URL.reveal(), report, onAvailability })
  }
  const { openEmbedded } = await import('./store/embedded/open.ts')
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
  await checkPepper(store, config.OCTAGENT_PEPPER?.reveal() ?? (await readPepper(config.OCTAGENT_DATA)), file)
  const installation = await openInstallation(config.OCTAGENT_DATA)
  const secrets = {
    ...installation,
    pepper: config.OCTAGENT_PEPPER?.reveal() ?? installation.pepper,
    signingKey: config.OCTAGENT_SIGNING_KEY?.reveal() ?? installation.signingKey,
  }
  await rememberPepper(store, secrets.pepper, file)
  return secrets
}

/** What closes what was opened, in the order of opening. */
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
type Some = 'transfers' | 'purchases' | 'payouts' | 'chains'
type OpenPorts = Omit<Ports, Some> & Partial<Ports>

const isNetworkName = (name: string): name is NetworkName => Object.hasOwn(networks, name)

/** Ports of a configuration; `more` replaces some, as tests do with the internet. */
const openPorts = async (
  config: Config,
  { pepper, signingKey }: Installation,
  devnet: Devnet | undefined,
  more: Partial<Ports> & { store: Store },
  closing: Closing,
): Promise<OpenPorts> => {
  const dns = openDns({ servers: config.DNS_SERVERS ?? systemServers() })
  const userAgent = `Octagent/0.1 (+${config.PUBLIC_URL ?? 'http://localhost'}/data/peer-network)`
  const clock = more.clock ?? { now: () => new Date() }
  const fetch = more.fetch ?? openFetch({ resolve: resolveWith(dns), userAgent })
  const workers = openWorkers()
  closing.push(workers.close)
  const sockets = openSockets()
  closing.push(sockets.close)
  return {
    clock,
    cache: openCache({ clock }),
    workers,
    dns,
    evm: openEvm({
      rpc: readSettings(config, evmSettings),
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
    geo: more.geo ?? (await openGeo(config.OCTAGENT_GEO_FILE)),
    keys: openKeys(Buffer.from(pepper)),
    ledger: openLedger(),
    sign: openSign(signingKey),
    ...more,
  }
}

/** What the configuration says of the settings that services declare. */
const readOwnSettings = (config: Config, services: readonly Service[]): Map<OwnNeed, unknown> =>
  new Map(
    services.flatMap(({ settings = {} }) => {
      const values: Readonly<Record<string, unknown>> = readSettings(config, settings)
      return Object.values(settings).map(setting => [setting, values[setting.name]] as const)
    }),
  )

type WorldOptions = {
  /** What is served; boot checks look at these. */
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
  checkSettlement(services)
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
  const nodes = readSettings(config, evmSettings)
  const chains = openChains({
    devnet: payments.devnet,
    relayerKey: payments.relayerKey,
    shared: name => payments.transfers.get(name)?.chain,
    node: name =>
      (config.OCTAGENT_NETWORKS?.find(network => network.name === name)?.rpc ?? nodes[name]?.[0])?.reveal(),
  })
  const ports = await openPorts(
    config,
    secrets,
    payments.devnet,
    { purchases, chains, ...transfers, ...payouts, ...given, store },
    closing,
  )
  const hmacKey = createHmac('sha256', secrets.pepper).update('quotes').digest()
  const { clock } = ports
  const { methods } = payments
  const rates = openRates([configuredRates(config.OCTAGENT_RATES ?? {}, clock.now)])
  // In the order of their challenges: clients of L402 read the first line only.
  const dialects = [
    x402,
    openL402Dialect({ hmacKey, now: () => clock.now() }),
    openPaymentDialect({ hmacKey, now: () => clock.now(), realm: () => new URL(url()).host }),
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
          list: toListing,
          store,
          clock,
          hmacKey,
          watchMs,
          onAlarm,
          process: thisProcess,
        })
      : undefined
  const hosts = new Map(config.HOSTS?.map(({ host, slug }) => [slug, host]))
  const base = ({ slug }: Service): string => {
    if (only) return url()
    const host = hosts.get(slug)
    return host === undefined ? `${url()}/${slug}` : `${new URL(url()).protocol}//${host}`
  }
  closing.push(await openOwnPorts(services, { ports, own }, replaced))
  const world: World = {
    ports,
    own,
    gate,
    base,
    site: {
      organization: config.OCTAGENT_ORGANIZATION,
      get url() {
        return url()
      },
    },
    limits: config.DATABASE_URL ? openSharedLimits(storeWindows(store)) : openLimits(),
    perMinute: config.OCTAGENT_RATE_LIMIT,
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
    payments,
    operator: secrets.operator,
    storeStart,
    reconcile: async () => (await gate?.reconcile()) ?? 0,
    close: () => closeAll(closing),
  }
}
