import { lookup } from 'node:dns/promises'
import { join } from 'node:path'
import { openBooks } from '../mcp/accounts/ports.ts'
import { openLedger } from '../mcp/payment/ledger/index.ts'
import { configuredRates, openRates } from '../mcp/payment/rates.ts'
import { browserSettings } from '../mcp/ports/browser/config.ts'
import { openBrowsers } from '../mcp/ports/browser/open.ts'
import { openCache } from '../mcp/ports/cache/cache.ts'
import { cardSettings } from '../mcp/ports/card/config.ts'
import { openStripe } from '../mcp/ports/card/stripe.ts'
import { networks } from '../mcp/ports/chain/networks.ts'
import type { NetworkName } from '../mcp/ports/chain/port.ts'
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
import type { Installation } from '../mcp/ports/installation.ts'
import { openKeys } from '../mcp/ports/keys/keys.ts'
import { maxQuestions, openLlm } from '../mcp/ports/llm/llm.ts'
import type { Llm } from '../mcp/ports/llm/port.ts'
import type { Ports } from '../mcp/ports/ports.ts'
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
import { viesSettings } from '../mcp/ports/vies/config.ts'
import { openVies } from '../mcp/ports/vies/vies.ts'
import { defaultThreads, openWorkers } from '../mcp/ports/workers/workers.ts'
import { type Config, isLoopback, readNodes, readSettings } from './config.ts'

/** Closers of what was opened, in the order of opening. */
export type Closing = (() => void | Promise<void>)[]

/** Everything but the ports that only some configurations have. */
type Some = 'card' | 'transfers' | 'purchases' | 'payouts' | 'lightning' | 'chains' | 'solana' | 'llm'
type OpenPorts = Omit<Ports, Some> & Partial<Ports>

/** A way out of its own to addresses that the operator names, wherever they are. */
export const openOperatorFetch = (
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
export const openPorts = async (
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
