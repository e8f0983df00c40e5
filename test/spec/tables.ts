/** The tables of the interface specification, as data. A row of a later capability is not `built` yet. */

export type ServiceRow = {
  label: string
  slug: string
  card: string
  /** Paths in order of preference, with the A2A version the specification states for each. */
  interfaces: readonly [path: string, binding: string, version: string | null][]
  version: string
  extensions: number
  schemes: Readonly<Record<string, string>>
  requirements: readonly string[]
}

const agentCard = '/.well-known/agent-card.json'
const agent = '/.well-known/agent.json'
const none = { extensions: 0, schemes: {}, requirements: [] } as const

/** Spec §1, §4.1, §5 and §9. */
export const serviceRows: readonly ServiceRow[] = [
  {
    label: 'A',
    slug: 'gateway',
    card: agentCard,
    interfaces: [['/a2a/v1', 'JSONRPC', '1.0']],
    version: '0.8.0',
    ...none,
  },
  {
    label: 'B',
    slug: 'broker',
    card: agentCard,
    interfaces: [['/a2a', 'JSONRPC', '1.0']],
    version: 'v1.1.0',
    extensions: 1,
    schemes: { apiKey: 'api_key' },
    requirements: [],
  },
  {
    label: 'C',
    slug: 'cat',
    card: agentCard,
    interfaces: [
      ['/', 'JSONRPC', '1.0'],
      ['/a2a', 'JSONRPC', '1.0'],
    ],
    version: '1.0.0',
    ...none,
  },
  {
    label: 'D',
    slug: 'data',
    card: agentCard,
    interfaces: [['/a2a', 'JSONRPC', '0.3.0']],
    version: '1.1.0',
    ...none,
  },
  {
    label: 'E',
    slug: 'money',
    card: agentCard,
    interfaces: [['/', 'JSONRPC', null]],
    version: '1.0.0',
    ...none,
  },
  {
    label: 'F',
    slug: 'proof',
    card: agent,
    interfaces: [['/a2a', 'JSONRPC', '0.3.0']],
    version: '1.13.0',
    extensions: 1,
    schemes: { bearer: 'http', l402: 'api_key', x402: 'api_key' },
    requirements: ['bearer', 'l402', 'x402'],
  },
  {
    label: 'G',
    slug: 'tasks',
    card: agent,
    interfaces: [
      ['/a2a/v1', 'JSONRPC', '0.3.0'],
      ['/mcp', 'STREAMABLE_HTTP', null],
      ['/api/v1', 'HTTP+JSON', null],
    ],
    version: '0.1.0',
    extensions: 0,
    schemes: { erc8128: 'http' },
    requirements: ['erc8128'],
  },
  {
    label: 'H',
    slug: 'forecast',
    card: agent,
    interfaces: [['/', 'JSONRPC', '1.0']],
    version: '2.0.0',
    extensions: 3,
    schemes: { x402Payment: 'http', public: 'http' },
    requirements: ['x402Payment', 'public'],
  },
]

/** Spec §4.2 to §4.9: method and path within the service. */
export const routeRows: readonly [slug: string, route: string, built?: 'built'][] = [
  ['gateway', 'POST /commercial/route-intelligence/preflight', 'built'],
  ['gateway', 'GET /commercial/route-intelligence/payment-readiness', 'built'],
  ['gateway', 'POST /commercial/route-intelligence/purchase', 'built'],
  ['gateway', 'POST /actions/verify-callability', 'built'],
  ['gateway', 'GET /docs', 'built'],
  ['broker', 'POST /v1/account/register', 'built'],
  ['broker', 'GET /v1/account/domain', 'built'],
  ['broker', 'POST /v1/account/domain/verify', 'built'],
  ['broker', 'POST /v1/listings', 'built'],
  ['broker', 'GET /openapi.json', 'built'],
  ['cat', 'GET /api/pet', 'built'],
  ['cat', 'POST /api/sign', 'built'],
  ['cat', 'GET /api/guestbook', 'built'],
  ['cat', 'POST /api/feed', 'built'],
  ['cat', 'POST /api/feed/testnet', 'built'],
  ['cat', 'POST /api/partner/tip/claim', 'built'],
  ['cat', 'GET /skill.md', 'built'],
  ['data', 'POST /ally/register', 'built'],
  ['data', 'GET /peer-network', 'built'],
  ['money', 'GET /v1/predmkt/btc-5m', 'built'],
  ['money', 'GET /v1/bridge', 'built'],
  ['money', 'GET /v1/bridge/quote', 'built'],
  ['money', 'POST /v1/gas', 'built'],
  ['money', 'POST /v1/gas/solana', 'built'],
  ['money', 'GET /v1/guide', 'built'],
  ['proof', 'POST /review'],
  ['proof', 'POST /prove'],
  ['proof', 'GET /ledger'],
  ['proof', 'GET /signals'],
  ['proof', 'POST /verify-proof'],
  ['tasks', 'POST /a2a/v1/stream', 'built'],
  ['forecast', 'POST /expertise/consultation/price-estimate'],
]

/** Spec §4.5: the 29 data skills. */
export const dataSkills =
  'verify-email domain-intel email-auth dns-lookup url-metadata tech-detect rss-to-json sitemap-extract security-headers redirect-trace robots-analyze structured-data broken-links html-table whois-rdap ip-geo readability brand-assets seo-audit lang-hreflang evm-address-intel token-metadata gas-tracker tx-status multichain-balance json-repair text-entities source-verify vies-check'.split(
    ' ',
  )

export const builtDataSkills = [
  'brand-assets',
  'broken-links',
  'dns-lookup',
  'domain-intel',
  'email-auth',
  'evm-address-intel',
  'gas-tracker',
  'html-table',
  'ip-geo',
  'json-repair',
  'lang-hreflang',
  'multichain-balance',
  'readability',
  'redirect-trace',
  'robots-analyze',
  'rss-to-json',
  'security-headers',
  'seo-audit',
  'sitemap-extract',
  'source-verify',
  'structured-data',
  'tech-detect',
  'text-entities',
  'token-metadata',
  'tx-status',
  'url-metadata',
  'verify-email',
  'vies-check',
  'whois-rdap',
]

/** Spec §4.2 to §4.9: A2A skills by service. Those of C are its free half. */
export const skillRows: Readonly<Record<string, readonly string[]>> = {
  gateway: ['pre_spend_preflight', 'first_contact', 'live_utility', 'join_svc', 'onboarding'],
  broker: ['onboarding'],
  proof:
    'review reason decision review_onchain signals markets_act execute browse prove witness validate message_post marketplace_buy memory_store residence_me'.split(
      ' ',
    ),
  tasks:
    'publish-task manage-tasks review-submissions worker-management batch-operations analytics payments'.split(
      ' ',
    ),
  forecast:
    'calibration_track_record calibration_history signed_calibration consultation strategy_recommendation epistemic_audit regulatory_filings_financial_intelligence'.split(
      ' ',
    ),
}

/** Spec §4.2, §4.6: how many MCP tools a service lists. */
export const mcpCounts: Readonly<Record<string, number>> = { gateway: 2, data: 29, money: 26 }
