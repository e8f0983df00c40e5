import { help } from '../../kernel/help.ts'
import type { AnyJob } from '../../kernel/job.ts'
import type { Port } from '../../kernel/port.ts'
import { service } from '../../kernel/service.ts'
import { followTransfers, watchTransfers } from './bridge/jobs.ts'
import { bridge } from './bridge/port.ts'
import { capabilities } from './capabilities.ts'
import { moneySettings } from './config.ts'
import { gasParts } from './gas/parts.ts'
import guidePage from './guide-page.ts'
import { localMarket, openingPrices, twaps } from './market/twaps.ts'
import { skillGroups } from './skill-groups.ts'
import { tools } from './tools.ts'

/** The edges of the world that the service brings along. */
const ports: readonly Port[] = [twaps, openingPrices, localMarket, bridge, ...gasParts.ports]

/** Jobs that the service does by itself. */
const jobs: readonly AnyJob[] = [followTransfers, watchTransfers, ...gasParts.jobs]

export default service({
  label: 'E',
  slug: 'money',
  icon: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zM7 4v8h2V4z',
  name: 'Money tools',
  description:
    'Stablecoin bridge, gas sponsorship, tokenized-stock vaults and market data. No account, no API key; reads are free.',
  version: '1.0.0',
  license: 'MIT',
  interfaces: [{ binding: 'JSONRPC', path: '/', version: null }],
  card: {
    path: '/.well-known/agent-card.json',
    inputModes: ['text/plain', 'application/json'],
    outputModes: ['text/plain', 'application/json'],
  },
  auth: ['public'],
  tools: [...tools, help({ mcp: false })],
  skillGroups,
  endpoints: gasParts.endpoints,
  documents: [guidePage],
  documentation: '/guide',
  jobs,
  capabilities,
  settings: moneySettings,
  ports,
  fallback: 'help',
})
