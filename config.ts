import { z } from 'zod'
import {
  absoluteUrl,
  flag,
  hostMap,
  list,
  networkList,
  policy,
  privateKey,
  rpcList,
  secret,
  secretOf,
  solanaKey,
} from './config-values.ts'
import { ToolError } from './mcp/kernel/error.ts'

/** Every variable there is, in the order the documentation prints them. Descriptions are product text. */
export const variables = {
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(8402)
    .describe('Port to listen on; 0 takes a free one.'),
  OCTAGENT_BIND: z
    .string()
    .default('127.0.0.1')
    .describe('Address to listen on. Anything but loopback needs PUBLIC_URL.'),
  PUBLIC_URL: absoluteUrl
    .optional()
    .describe(
      'The address clients use, for every URL in cards and documents. Default: the address listened on.',
    ),
  HOSTS: hostMap
    .optional()
    .describe('Host names that serve one service at their root: cat.example.org=cat,data.example.org=data.'),
  TRUST_PROXY: z
    .string()
    .optional()
    .describe(
      'Proxies whose X-Forwarded headers count: a number of hops, or addresses and subnets. Default: none.',
    ),
  OCTAGENT_ORIGINS: list
    .optional()
    .describe(
      'Browser origins that may call, or * for any. Default: loopback origins on loopback, any in public.',
    ),
  OCTAGENT_ORGANIZATION: z.string().default('Octagent').describe('Who runs this, as cards name it.'),
  OCTAGENT_DATA: z
    .string()
    .default('.octagent')
    .describe('Folder of the embedded store and of the keys that are made here.'),
  OCTAGENT_STORE_MAX_MB: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe(
      'Megabytes the embedded store may take in memory before it refuses what is new. Default: six tenths of the heap (--max-old-space-size).',
    ),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'postgres://…')
    .transform(secretOf)
    .optional()
    .describe('PostgreSQL instead of the embedded store, for any number of replicas.'),
  OCTAGENT_PEPPER: secret(32)
    .optional()
    .describe(
      'Secret under which caller keys are hashed. Made once per data folder; needed with DATABASE_URL.',
    ),
  OCTAGENT_SIGNING_KEY: secret(32)
    .optional()
    .describe(
      'ES256 private key (PKCS8 PEM or JWK) that signs cards. Made once per data folder; needed with DATABASE_URL.',
    ),
  OCTAGENT_METRICS_TOKEN: secret(16)
    .optional()
    .describe('Bearer token for /metrics. Without it, /metrics answers loopback only.'),
  OCTAGENT_RATE_LIMIT: z.coerce
    .number()
    .int()
    .min(1)
    .default(600)
    .describe('Calls one client may make in a minute, over all tools.'),
  OCTAGENT_CONNECTIONS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .default(256)
    .describe(
      'Connections that one address may hold at once. Not counted: this machine, and anybody where TRUST_PROXY is set.',
    ),
  OCTAGENT_DRAIN_GRACE: z.coerce
    .number()
    .min(0)
    .max(300)
    .optional()
    .describe(
      'Seconds that SIGTERM leaves the port open while /readyz says 503, so that load balancers turn away first. Default: 5 in public, 0 on loopback.',
    ),
  DNS_SERVERS: list
    .optional()
    .describe(
      'Resolvers: addresses with optional :port, or https:// DoH URLs. Default: those of the system.',
    ),
  OCTAGENT_RPC_ETH: rpcList(
    'Ethereum',
    'ethereum-rpc.publicnode.com eth.drpc.org public.1rpc.io/eth eth.merkle.io eth.meowrpc.com',
  ),
  OCTAGENT_RPC_BASE: rpcList(
    'Base',
    'mainnet.base.org base-rpc.publicnode.com base.drpc.org public.1rpc.io/base base.meowrpc.com',
  ),
  OCTAGENT_RPC_ARBITRUM: rpcList(
    'Arbitrum One',
    'arb1.arbitrum.io/rpc arbitrum-one-rpc.publicnode.com arbitrum.drpc.org public.1rpc.io/arb',
  ),
  OCTAGENT_RPC_OPTIMISM: rpcList(
    'OP Mainnet',
    'mainnet.optimism.io optimism-rpc.publicnode.com optimism.drpc.org public.1rpc.io/op',
  ),
  OCTAGENT_RPC_POLYGON: rpcList(
    'Polygon PoS',
    'polygon-bor-rpc.publicnode.com polygon.drpc.org public.1rpc.io/matic polygon.meowrpc.com',
  ),
  GATEWAY_POLICY: policy.describe(
    'What the gateway may assume where a request does not say: JSON with max_cost_usd, accepted_licenses, budget_usd, min_domain_age_days. Default: nothing, so that an unknown holds.',
  ),
  GATEWAY_A2A_REGISTRY: absoluteUrl
    .prefault('https://a2aregistry.org/api')
    .describe('Registry of A2A agents that the gateway asks.'),
  GATEWAY_MCP_REGISTRY: absoluteUrl
    .prefault('https://registry.modelcontextprotocol.io')
    .describe('Registry of MCP servers that the gateway asks.'),
  GATEWAY_X402_BAZAAR: absoluteUrl
    .prefault('https://api.cdp.coinbase.com/platform/v2/x402/discovery')
    .describe('List of x402 resources that the gateway asks.'),
  GATEWAY_RELEASES: absoluteUrl
    .prefault('https://api.github.com')
    .describe('API that releases of A2A and MCP are read from.'),
  OCTAGENT_RDAP_BOOTSTRAP: absoluteUrl
    .default('https://data.iana.org/rdap')
    .describe(
      'Where the files lie that name the RDAP server of each registry: dns.json, ipv4.json, ipv6.json and asn.json.',
    ),
  OCTAGENT_WHOIS: flag
    .default(true)
    .describe('Whether registries without RDAP are asked over WHOIS, on port 43.'),
  OCTAGENT_GEO_FILE: z
    .string()
    .optional()
    .describe('MaxMind DB file (.mmdb) of cities, for ip-geo. Without it, places are known by country.'),
  OCTAGENT_VIES_URL: absoluteUrl
    .default('https://ec.europa.eu/taxation_customs/vies/rest-api')
    .describe('REST API of VIES, which is asked about EU VAT numbers.'),
  OCTAGENT_NETWORKS: networkList
    .optional()
    .describe(
      'Networks that payments are taken on, name=RPC URL: base=https://…, with the names base, base-sepolia, arbitrum, solana and solana-devnet. Default: local chains, on loopback only.',
    ),
  OCTAGENT_PAY_TO: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'an EVM address')
    .optional()
    .describe('EVM address that is paid. Needed with an EVM network.'),
  OCTAGENT_FACILITATOR_KEY: privateKey
    .optional()
    .describe(
      'Private key that pays the gas of settlements from this process. This or OCTAGENT_FACILITATOR_URL is needed with an EVM network.',
    ),
  OCTAGENT_FACILITATOR_URL: absoluteUrl.optional().describe('An x402 facilitator elsewhere that settles.'),
  OCTAGENT_REFUND_KEY: privateKey
    .optional()
    .describe('Private key of OCTAGENT_PAY_TO, for refunds by command. Without it refunds are unavailable.'),
  OCTAGENT_SOLANA_PAY_TO: z
    .string()
    .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'a Solana address')
    .optional()
    .describe('Solana wallet that is paid; it must have a USDC token account. Needed with a Solana network.'),
  OCTAGENT_SOLANA_FEE_KEY: solanaKey
    .optional()
    .describe(
      'Secret key of the wallet that pays the fees of settlements, another than the one that is paid. Needed with a Solana network.',
    ),
  OCTAGENT_SOLANA_REFUND_KEY: solanaKey
    .optional()
    .describe(
      'Secret key of OCTAGENT_SOLANA_PAY_TO, for refunds by command. Without it refunds are unavailable.',
    ),
  OCTAGENT_DEVNET: flag
    .default(true)
    .describe('Local chains for payments when no network is configured. false turns payments off.'),
  OCTAGENT_PARTNERS: list
    .default(['partner'])
    .describe('Path segments that tips are claimed under: /cat/api/{partner}/tip/claim.'),
  ANVIL: z
    .string()
    .optional()
    .describe('Path of anvil, the local chain. Default: the installed package, then PATH.'),
  OCTAGENT_MCP_SHIM: flag
    .default(true)
    .describe('Mends the protocol headers of MCP clients that contradict their own body.'),
  OCTAGENT_CARD_VIEW: z
    .enum(['superset', 'v1', 'v03'])
    .default('superset')
    .describe('The card a client gets that names no A2A version.'),
  OCTAGENT_LOG: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least level that is logged, as JSON lines on stdout.'),
} as const

const schema = z.object(variables)

export type Config = Readonly<z.output<typeof schema>>

const prefix = 'OCTAGENT_'

const unknownNames = (environment: NodeJS.ProcessEnv): string[] =>
  Object.keys(environment).filter(name => name.startsWith(prefix) && !(name in variables))

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
    solana && !config.OCTAGENT_SOLANA_FEE_KEY && 'OCTAGENT_SOLANA_FEE_KEY: needed with a Solana network',
  ]
  return needed.filter(line => line !== false)
}

const combined = (config: Config): string[] => [
  ...(isLoopback(config.OCTAGENT_BIND) || config.PUBLIC_URL
    ? []
    : ['PUBLIC_URL: needed when OCTAGENT_BIND is not loopback']),
  ...(['OCTAGENT_PEPPER', 'OCTAGENT_SIGNING_KEY'] as const).flatMap(name =>
    config.DATABASE_URL && !config[name]
      ? [`${name}: needed with DATABASE_URL, the same on every replica`]
      : [],
  ),
  ...missingForNetworks(config),
]

/**
 * Reads the environment once into a frozen object. Empty variables count as absent. Throws ToolError `invalid_input`
 * that names every wrong variable and every unknown one with our prefix, and never prints a value.
 */
export const readConfig = (environment: NodeJS.ProcessEnv): Config => {
  const set = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => name in variables && value !== ''),
  )
  const parsed = schema.safeParse(set)
  const wrong = [
    ...unknownNames(environment).map(name => `${name}: there is no such variable`),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
    ...(parsed.data ? combined(parsed.data) : []),
  ]
  if (!parsed.data || wrong.length > 0)
    throw new ToolError(
      'invalid_input',
      `The environment is wrong.\n${wrong.map(line => `  ${line}`).join('\n')}`,
      {
        hint: 'docs/configuration.md lists every variable.',
      },
    )
  return Object.freeze(parsed.data)
}
