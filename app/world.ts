import { balanceUnit } from '../mcp/accounts/account.ts'
import { openPeople } from '../mcp/accounts/people.ts'
import { openSpending } from '../mcp/accounts/spending.ts'
import type { World } from '../mcp/kernel/call.ts'
import { type Log, logCall, openLog, scrub } from '../mcp/kernel/log.ts'
import type { OwnNeed } from '../mcp/kernel/need.ts'
import { openObserver } from '../mcp/kernel/observe.ts'
import { checkOwnNeeds, openOwnPorts } from '../mcp/kernel/own-needs.ts'
import { openLimits } from '../mcp/kernel/pipeline/limits.ts'
import { openSharedLimits, storeWindows } from '../mcp/kernel/pipeline/shared-limits.ts'
import type { Provision } from '../mcp/kernel/port.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { Tracer } from '../mcp/lib/trace/span.ts'
import { openAccountDialect } from '../mcp/payment/dialects/account/account.ts'
import { openL402Dialect } from '../mcp/payment/dialects/l402/l402.ts'
import { openPaymentDialect } from '../mcp/payment/dialects/payment/payment.ts'
import { toListing } from '../mcp/payment/dialects/x402/listing.ts'
import { x402 } from '../mcp/payment/dialects/x402/x402.ts'
import { type Alarm, alarmTexts } from '../mcp/payment/gate/alarm.ts'
import { type OpenGate, openGate } from '../mcp/payment/gate/open.ts'
import { thisProcess } from '../mcp/payment/gate/payment-records.ts'
import { requireSettlementOrder } from '../mcp/payment/gate/settlement.ts'
import { openLightningPayouts } from '../mcp/payment/lightning-payouts.ts'
import { balanceUnits } from '../mcp/payment/methods/balance/amount.ts'
import { openBalanceMethod } from '../mcp/payment/methods/balance/method.ts'
import { openPurchases } from '../mcp/payment/methods/broadcast/purchases.ts'
import { openPayouts } from '../mcp/payment/payouts.ts'
import { type Rates, withDevelopmentRate } from '../mcp/payment/rates.ts'
import { openTransfers } from '../mcp/payment/transfers/transfers.ts'
import { openChains } from '../mcp/ports/chain/chains.ts'
import { openDemoPayment } from '../mcp/ports/devnet/demo-payment.ts'
import { type Ports, portNames } from '../mcp/ports/ports.ts'
import type { Store } from '../mcp/ports/store/port.ts'
import { traceSettings } from '../mcp/ports/trace/config.ts'
import { openShell } from '../web/shell.ts'
import { type Config, isLoopback, readNodes, readSettings } from './config.ts'
import { openPayments, type Payments } from './open-payments.ts'

import { type Closing, openOperatorFetch, openPorts } from './open-ports.ts'
import { openSecrets, openStore, toHmacKeys } from './open-store.ts'

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

/** Origin of pages for people: `localhost` on this machine, because passkeys refuse its addresses. */
export const toOrigin = (url: string): string => {
  const { protocol, hostname, host, port } = new URL(url)
  return `${protocol}//${isLoopback(hostname) ? `localhost${port && `:${port}`}` : host}`
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
