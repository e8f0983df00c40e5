import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { connectSettings } from '../connect/config.ts'
import { accountSettings } from '../mcp/accounts/config.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { type Setting, type Settings, settings, type Values } from '../mcp/kernel/setting.ts'
import { issueText } from '../mcp/lib/issue-text.ts'
import { absoluteUrl, flag, list, wholeNumber } from '../mcp/lib/setting-texts.ts'
import { findNearest } from '../mcp/lib/text/nearest.ts'
import { paymentSettings } from '../mcp/payment/config.ts'
import { browserSettings } from '../mcp/ports/browser/config.ts'
import { cardSettings } from '../mcp/ports/card/config.ts'
import { devnetSettings } from '../mcp/ports/devnet/config.ts'
import { dnsSettings } from '../mcp/ports/dns/config.ts'
import { evmSettings } from '../mcp/ports/evm/config.ts'
import { filesSettings } from '../mcp/ports/files/config.ts'
import { geoSettings } from '../mcp/ports/geo/geo.ts'
import { llmSettings } from '../mcp/ports/llm/config.ts'
import { rdapSettings } from '../mcp/ports/rdap/config.ts'
import { sandboxSettings } from '../mcp/ports/sandbox/config.ts'
import { tlsSettings } from '../mcp/ports/tls/config.ts'
import { traceSettings } from '../mcp/ports/trace/config.ts'
import { viesSettings } from '../mcp/ports/vies/config.ts'

const hostMap = list.transform((pairs, context) =>
  pairs.map(pair => {
    const [host = '', slug = '', ...rest] = pair.split('=')
    if (!/^[a-z0-9.-]+(:\d+)?$/i.test(host) || !/^[a-z]+$/.test(slug) || rest.length > 0)
      context.addIssue({ code: 'custom', message: `"${pair}" is not host=service` })
    return { host: host.toLowerCase(), slug }
  }),
)

/** `cat=eip155:8453:0x8004…:22`: the slug of a service, or none for the installation, the registry and the id there. */
const agentIds = list.transform((entries, context) =>
  entries.map(entry => {
    const [, slug, agentRegistry = '', id = ''] =
      /^(?:([a-z]+)=)?(eip155:\d{1,20}:0x[0-9a-fA-F]{40}):(\d{1,15})$/.exec(entry) ?? []
    if (agentRegistry === '')
      context.addIssue({ code: 'custom', message: `"${entry}" is not [service=]eip155:chain:registry:id` })
    return { slug, agentId: Number(id), agentRegistry }
  }),
)

const isProxy = (text: string): boolean =>
  ['loopback', 'linklocal', 'uniquelocal'].includes(text) ||
  /^\d{1,3}$/.test(text) ||
  ipaddr.isValid(text) ||
  ipaddr.isValidCIDR(text)

/** A number of hops, or addresses, subnets and the names that proxy-addr has for some, between commas. */
const proxies = z.string().superRefine((text, context) => {
  const parts = text.split(',').map(part => part.trim())
  const strange = parts.find(part => !isProxy(part) || (/^\d+$/.test(part) && parts.length > 1))
  if (strange !== undefined)
    context.addIssue({
      code: 'custom',
      message: `"${strange}" is neither a number of hops nor the address or subnet of a proxy`,
    })
})

const secretText = (min: number) => z.string().min(min, `must have at least ${min} characters`)

const serverSettings = settings({
  port: {
    variable: 'PORT',
    schema: wholeNumber(0, 65535),
    description: 'Port to listen on; 0 takes a free one.',
    default: '8402',
  },
  bind: {
    variable: 'OCTAGENT_BIND',
    schema: z.string(),
    description: 'Address to listen on. Anything but loopback needs PUBLIC_URL.',
    default: '127.0.0.1',
  },
  publicUrl: {
    variable: 'PUBLIC_URL',
    schema: absoluteUrl,
    description:
      'The address clients use, for every URL in cards and documents. Default: the address listened on.',
    example: 'https://agents.example.org',
  },
  hosts: {
    variable: 'HOSTS',
    schema: hostMap,
    description: 'Host names that serve one service at their root.',
    example: 'cat.example.org=cat,data.example.org=data',
  },
  trustProxy: {
    variable: 'TRUST_PROXY',
    schema: proxies,
    description:
      'Proxies whose X-Forwarded headers count: a number of hops, or addresses and subnets. Default: none.',
    example: '1',
  },
  origins: {
    variable: 'OCTAGENT_ORIGINS',
    schema: list,
    description:
      'Browser origins that may call, or * for any. Default: loopback origins on loopback, any in public.',
    example: 'https://app.example.org',
  },
  organization: {
    variable: 'OCTAGENT_ORGANIZATION',
    schema: z.string(),
    description: 'Who runs this, as cards name it.',
    default: 'Octagent',
  },
  agentIds: {
    variable: 'OCTAGENT_AGENT_IDS',
    schema: agentIds,
    description:
      'Agents of this installation and of its services in identity registries (ERC-8004), as agent-registration.json proves them: [service=]eip155:chain:registry:id, between commas.',
    example: 'cat=eip155:8453:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432:22',
  },
  securityContact: {
    variable: 'OCTAGENT_SECURITY_CONTACT',
    schema: z
      .string()
      .regex(/^(mailto:\S+@\S+|https:\/\/\S+|tel:\S+)$/, 'must begin with mailto: or https://'),
    description: 'Where faults of security are reported, as security.txt names it. Default: the home page.',
    example: 'mailto:security@example.org',
  },
  data: {
    variable: 'OCTAGENT_DATA',
    schema: z.string(),
    description: 'Folder of the embedded store and of the keys that are made here.',
    default: '.octagent',
  },
  storeMaxMb: {
    variable: 'OCTAGENT_STORE_MAX_MB',
    schema: wholeNumber(1),
    description:
      'Megabytes the embedded store may take in memory before it refuses what is new. Default: six tenths of the heap (--max-old-space-size).',
    example: '512',
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    schema: z.string().regex(/^postgres(ql)?:\/\//, 'postgres://…'),
    description: 'PostgreSQL instead of the embedded store, for any number of replicas.',
    example: 'postgres://octagent:password@db.example.net/octagent',
    secret: true,
  },
  databaseConnections: {
    variable: 'OCTAGENT_DATABASE_CONNECTIONS',
    schema: wholeNumber(2, 500),
    description:
      'Transactions of one process that may run in PostgreSQL at the same time. A process holds up to ten connections more.',
    default: '10',
  },
  databasePooler: {
    variable: 'OCTAGENT_DATABASE_POOLER',
    schema: z.enum(['session', 'transaction']),
    description:
      'How a pooler at DATABASE_URL lends its connections (PgBouncer: pool_mode). session is right without one, too; transaction needs OCTAGENT_DATABASE_DIRECT_URL.',
    default: 'session',
  },
  databaseDirectUrl: {
    variable: 'OCTAGENT_DATABASE_DIRECT_URL',
    schema: z.string().regex(/^postgres(ql)?:\/\//, 'postgres://…'),
    description:
      'The same database past the pooler, for all but transactions: what listens, locks of turns, logs. Six connections of a process at most.',
    example: 'postgres://octagent:password@db.example.net:5432/octagent',
    secret: true,
  },
  pepper: {
    variable: 'OCTAGENT_PEPPER',
    schema: secretText(32),
    description:
      'Secret under which caller keys are hashed. Made once per data folder; needed with DATABASE_URL.',
    secret: true,
  },
  previousPepper: {
    variable: 'OCTAGENT_PEPPER_PREVIOUS',
    schema: secretText(32),
    description:
      'The pepper before, while it is rotated: keys under it work, and are hashed under the new one when they are used.',
    secret: true,
  },
  signingKey: {
    variable: 'OCTAGENT_SIGNING_KEY',
    schema: secretText(32),
    description:
      'ES256 private key (PKCS8 PEM or JWK) that signs cards. Made once per data folder; needed with DATABASE_URL.',
    secret: true,
  },
  previousSigningKey: {
    variable: 'OCTAGENT_SIGNING_KEY_PREVIOUS',
    schema: secretText(32),
    description: 'The signing key before, while it is rotated: what it signed is still ours.',
    secret: true,
  },
  metricsToken: {
    variable: 'OCTAGENT_METRICS_TOKEN',
    schema: secretText(16),
    description:
      'Bearer token for /metrics, or two with a comma while it is changed. Without it, /metrics answers loopback only, and with PUBLIC_URL nobody.',
    secret: true,
  },
  rateLimit: {
    variable: 'OCTAGENT_RATE_LIMIT',
    schema: wholeNumber(1),
    description: 'Calls one client may make in a minute, over all tools.',
    default: '600',
  },
  connectionsPerAddress: {
    variable: 'OCTAGENT_CONNECTIONS_PER_ADDRESS',
    schema: wholeNumber(1),
    description:
      'Connections that one address may hold at once. Not counted: this machine, and anybody where TRUST_PROXY is set.',
    default: '256',
  },
  drainGrace: {
    variable: 'OCTAGENT_DRAIN_GRACE',
    schema: z.coerce.number().min(0).max(300),
    description:
      'Seconds that SIGTERM leaves the port open while /readyz says 503, so that load balancers turn away first. Default: 5 in public, 0 on loopback.',
    example: '5',
  },
  mcpShim: {
    variable: 'OCTAGENT_MCP_SHIM',
    schema: flag,
    description:
      'Takes MCP clients of 2025-11-25 and older whose Accept lacks one of the two types. The stateless era is strict.',
    default: 'true',
  },
  cardView: {
    variable: 'OCTAGENT_CARD_VIEW',
    schema: z.enum(['superset', 'v1', 'v03']),
    description: 'The card a client gets that names no A2A version.',
    default: 'superset',
  },
  log: {
    variable: 'OCTAGENT_LOG',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']),
    description: 'Least level that is logged, as JSON lines on stdout.',
    default: 'info',
  },
})

/** Settings of the program and its ports, in the order the documentation prints them. */
const fragments = [
  { title: 'The program', parts: [serverSettings] },
  {
    title: 'The world outside',
    parts: [
      dnsSettings,
      evmSettings,
      rdapSettings,
      geoSettings,
      viesSettings,
      tlsSettings,
      llmSettings,
      sandboxSettings,
      browserSettings,
    ],
  },
  { title: 'Traces', parts: [traceSettings] },
  { title: 'Sign-in', parts: [accountSettings] },
  { title: 'Files', parts: [filesSettings] },
  { title: 'Payments', parts: [paymentSettings, cardSettings, devnetSettings] },
  { title: 'The command `connect`', parts: [connectSettings] },
] as const

type Each<fragment> = fragment extends Settings ? fragment[keyof fragment] : never
type ProgramSetting = Each<(typeof fragments)[number]['parts'][number]>

/** The environment, read: what the program and its ports were told, by variable. Services read theirs by `readSettings`. */
export type Config = {
  readonly [setting in ProgramSetting as setting['variable']]: setting extends Setting<string, infer value>
    ? value
    : never
}

type Declaring = Pick<Service, 'slug' | 'name' | 'settings'>

/** All settings of the program and of some services, under the headings of the documentation. */
export const listSettings = (services: readonly Declaring[]): { title: string; settings: Setting[] }[] => [
  ...fragments.map(({ title, parts }) => ({
    title,
    settings: parts.flatMap(part => Object.values<Setting>(part)),
  })),
  ...services.flatMap(({ slug, name, settings = {} }) =>
    Object.keys(settings).length > 0
      ? [{ title: `${name} (\`${slug}\`)`, settings: Object.values(settings) }]
      : [],
  ),
]

const writeValue = ({ variable, secret }: Setting, values: Readonly<Record<string, unknown>>): string => {
  const value = values[variable]
  if (value === undefined) return 'not set'
  if (secret) return '[secret]'
  const text =
    typeof value === 'object'
      ? JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
      : String(value)
  // An address may bring a password where nobody expects one.
  return text.replace(/\/\/[^/@\s"]+@/g, '//[secret]@')
}

/** Every setting with what it is set to, for the operator; what is secret is hidden. */
export const writeSettings = (config: Config, services: readonly Declaring[]) =>
  listSettings(services).map(({ title, settings }) => ({
    title,
    settings: settings.map(setting => ({
      variable: setting.variable,
      value: writeValue(setting, { ...config }),
    })),
  }))

/** True for an address that only this machine reaches. */
export const isLoopback = (address: string): boolean =>
  /^(127(\.\d{1,3}){3}|::1|\[::1\]|localhost)$/.test(address.toLowerCase())

const missingForNetworks = (config: Config): string[] => {
  const names = (config.OCTAGENT_NETWORKS ?? []).map(({ name }) => name)
  const solana = names.some(name => name.startsWith('solana'))
  const evm = names.some(name => !name.startsWith('solana'))
  const needed = [
    evm && !config.OCTAGENT_PAY_TO && 'OCTAGENT_PAY_TO: needed with an EVM network',
    evm &&
      !config.OCTAGENT_FACILITATOR_KEY &&
      !config.OCTAGENT_FACILITATOR_URL &&
      'OCTAGENT_FACILITATOR_KEY: this or OCTAGENT_FACILITATOR_URL is needed with an EVM network',
    solana && !config.OCTAGENT_SOLANA_PAY_TO && 'OCTAGENT_SOLANA_PAY_TO: needed with a Solana network',
    solana &&
      !config.OCTAGENT_SOLANA_FEE_KEY &&
      !config.OCTAGENT_FACILITATOR_URL &&
      'OCTAGENT_SOLANA_FEE_KEY: this or OCTAGENT_FACILITATOR_URL is needed with a Solana network',
    ...strangeCredentials(config),
  ]
  return needed.filter(line => line !== false)
}

/** Hosts that a credential is for and that no facilitator has: a secret for nobody is a misspelt one. */
const strangeCredentials = (config: Config): string[] => {
  const hosts = (config.OCTAGENT_FACILITATOR_URL ?? []).map(url => new URL(url).host)
  return Object.keys(config.OCTAGENT_FACILITATOR_AUTH?.reveal() ?? {})
    .filter(host => !hosts.includes(host))
    .map(host => `OCTAGENT_FACILITATOR_AUTH: no facilitator of OCTAGENT_FACILITATOR_URL is at ${host}`)
}

/** A pooler of transactions without a way past it, or a way past what is no such pooler. */
const strangePooler = ({
  DATABASE_URL,
  OCTAGENT_DATABASE_POOLER,
  OCTAGENT_DATABASE_DIRECT_URL,
}: Config): string[] => {
  const isTransaction = OCTAGENT_DATABASE_POOLER === 'transaction'
  if (isTransaction && !DATABASE_URL)
    return ['OCTAGENT_DATABASE_POOLER: transaction is about DATABASE_URL, which is not set']
  if (isTransaction && !OCTAGENT_DATABASE_DIRECT_URL)
    return ['OCTAGENT_DATABASE_DIRECT_URL: needed with OCTAGENT_DATABASE_POOLER=transaction']
  if (!isTransaction && OCTAGENT_DATABASE_DIRECT_URL)
    return ['OCTAGENT_DATABASE_POOLER: must be transaction with OCTAGENT_DATABASE_DIRECT_URL']
  return []
}

const findConflicts = (config: Config): string[] => [
  ...(isLoopback(config.OCTAGENT_BIND) || config.PUBLIC_URL
    ? []
    : ['PUBLIC_URL: needed when OCTAGENT_BIND is not loopback']),
  ...(['OCTAGENT_PEPPER', 'OCTAGENT_SIGNING_KEY'] as const).flatMap(name =>
    config.DATABASE_URL && !config[name]
      ? [`${name}: needed with DATABASE_URL, the same on every replica`]
      : [],
  ),
  ...strangePooler(config),
  ...(config.OCTAGENT_FILES_S3 && (!config.OCTAGENT_FILES_S3_KEY_ID || !config.OCTAGENT_FILES_S3_SECRET)
    ? ['OCTAGENT_FILES_S3_KEY_ID and OCTAGENT_FILES_S3_SECRET: needed with OCTAGENT_FILES_S3']
    : []),
  ...(config.OIDC_ISSUER || !(config.OIDC_AUDIENCE || config.OIDC_SCOPE)
    ? []
    : ['OIDC_ISSUER: needed with OIDC_AUDIENCE and OIDC_SCOPE']),
  ...(config.LLM_URL && !config.LLM_MODEL ? ['LLM_MODEL: needed with LLM_URL'] : []),
  ...(config.LLM_API_KEY && !config.LLM_URL ? ['LLM_URL: needed with LLM_API_KEY'] : []),
  ...missingForNetworks(config),
]

/** Prefixes of variables that are ours alone: a misspelt one is an error, not somebody else's. */
const ownPrefixes = (services: readonly Declaring[]): string[] => [
  'OCTAGENT_',
  ...services.flatMap(({ slug, settings = {} }) => {
    const prefix = `${slug.toUpperCase()}_`
    return Object.values(settings).some(({ variable }) => variable.startsWith(prefix)) ? [prefix] : []
  }),
]

const hintAt = (name: string, names: readonly string[]): string => {
  const nearest = findNearest(name, names)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}

/**
 * Variables that are nobody's but look like one of ours which is not set: `DATABSE_URL`. They are not refused, since the environment
 * is everybody's.
 */
export const findMisspelt = (
  environment: NodeJS.ProcessEnv,
  services: readonly Declaring[],
): { name: string; nearest: string }[] => {
  const names = listSettings(services).flatMap(({ settings }) => settings.map(({ variable }) => variable))
  const missing = names.filter(name => !environment[name])
  return Object.keys(environment).flatMap(name => {
    const nearest = names.includes(name) || name.length < 6 ? undefined : findNearest(name, missing)
    return nearest === undefined ? [] : [{ name, nearest }]
  })
}

/** Lists the faults of a variable's text, one line each; never the text itself. */
const readOne = (setting: Setting, text: string | undefined, values: Record<string, unknown>): string[] => {
  try {
    values[setting.variable] = setting.parse(text === '' ? undefined : text, issueText)
    return []
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    const { variable, example } = setting
    return error.issues.map(({ message }) =>
      example === undefined || message.includes(example)
        ? `${variable}: ${message}`
        : `${variable}: ${message}, such as ${example}`,
    )
  }
}

/**
 * Reads the environment once into a frozen object: what the program, its ports and these services may be told. Empty variables count
 * as absent. Throws ToolError `invalid_input` that names every wrong variable, and every unknown one with a prefix of
 * ours beside the nearest there is; it never prints a value.
 */
export const readConfig = (environment: NodeJS.ProcessEnv, services: readonly Declaring[] = []): Config => {
  const all = listSettings(services).flatMap(({ settings }) => settings)
  const names = all.map(({ variable }) => variable)
  for (const [index, name] of names.entries())
    if (names.indexOf(name) !== index) throw new Error(`${name} is declared by two: rename one of them`)
  const prefixes = ownPrefixes(services)
  const values: Record<string, unknown> = {}
  const misfits = all.flatMap(setting => readOne(setting, environment[setting.variable], values))
  const unknown = Object.keys(environment)
    .filter(name => prefixes.some(prefix => name.startsWith(prefix)) && !names.includes(name))
    .map(name => `${name}: there is no such variable${hintAt(name, names)}`)
  const config = values as Config
  const lines = [...unknown, ...misfits, ...(misfits.length === 0 ? findConflicts(config) : [])]
  if (lines.length > 0)
    throw new ToolError(
      'invalid_input',
      `The environment is wrong.\n${lines.map(line => `  ${line}`).join('\n')}`,
      { hint: 'docs/configuration.md lists every variable.' },
    )
  return Object.freeze(config)
}

/**
 * What a configuration says of some settings, by their names: `readSettings(config, evmSettings)`. Throws for a setting that was not
 * there when it was read.
 */
export const readSettings = <all extends Settings>(config: Config, all: all): Values<all> => {
  const values: Readonly<Record<string, unknown>> = config
  return Object.fromEntries(
    Object.entries(all).map(([name, { variable }]) => {
      if (!Object.hasOwn(values, variable))
        throw new Error(`${variable} was not read: give the service to readConfig(environment, services)`)
      return [name, values[variable]]
    }),
  ) as Values<all>
}

/**
 * Addresses of the nodes of each EVM chain, in order of preference: the one that payments are taken on, of OCTAGENT_NETWORKS, comes before
 * those that the chain is only read from.
 */
export const readNodes = (config: Config): Values<typeof evmSettings> => {
  const all = readSettings(config, evmSettings)
  const own = config.OCTAGENT_NETWORKS ?? []
  return Object.fromEntries(
    Object.entries(all).map(([chain, nodes]) => {
      const first = own.filter(({ name }) => name === chain).map(({ rpc }) => rpc)
      const isFirst = (url: string) => first.some(rpc => rpc.reveal() === url)
      return [chain, [...first, ...nodes.filter(node => !isFirst(node.reveal()))]]
    }),
  ) as Values<typeof evmSettings>
}
