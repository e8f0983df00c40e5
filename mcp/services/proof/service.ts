import { help } from '../../kernel/help.ts'
import { service } from '../../kernel/service.ts'
import { accountParts } from './account-parts.ts'
import { browseParts } from './browse-parts.ts'
import conduct from './conduct.ts'
import { proofSettings } from './config.ts'
import { transparencyLog } from './ledger/log.ts'
import { ledgerParts } from './ledger-parts.ts'
import { memorySettings } from './memory/config.ts'
import { pages } from './page-parts.ts'
import { reviewSettings, tradingState } from './review/config.ts'
import { signalSettings } from './signals/config.ts'
import { venues } from './signals/venues.ts'
import { tools } from './tools.ts'
import { workspaceSettings } from './workspace/config.ts'

export default service({
  label: 'F',
  slug: 'proof',
  icon: 'M8 1l6 2v5c0 4-3 6-6 7-3-1-6-3-6-7V3zM7 11l5-5-1-1-4 4-2-2-1 1z',
  name: 'Verification',
  description:
    'An independent verdict before an irreversible action, a signed proof after it, and a public track record to check them by.',
  version: '1.13.0',
  license: 'MIT',
  interfaces: [{ binding: 'JSONRPC', path: '/a2a', version: '0.3.0' }],
  card: {
    path: '/.well-known/agent.json',
    inputModes: ['text/plain', 'application/json'],
    outputModes: ['text/plain', 'application/json'],
    extensions: [
      {
        uri: '/extensions/conduct/v1',
        description:
          'What this service promises of its own conduct: independent verdicts, evidence with each, no keys of callers.',
        params: { version: '1' },
      },
    ],
    schemes: {
      bearer: { kind: 'http', scheme: 'bearer' },
      l402: {
        kind: 'api_key',
        header: 'Authorization',
        description: 'L402 <macaroon>:<preimage>, paid over Lightning',
      },
      x402: { kind: 'api_key', header: 'PAYMENT-SIGNATURE', description: 'x402 version 2 payment payload' },
    },
    requirements: [{ bearer: [] }, { l402: [] }, { x402: [] }],
  },
  auth: ['public'],
  tools: [...tools, help({ mcp: false })],
  ...ledgerParts,
  ...accountParts,
  endpoints: [
    ...(ledgerParts.endpoints ?? []),
    ...accountParts.endpoints,
    ...browseParts.endpoints,
    ...pages,
  ],
  jobs: [...(ledgerParts.jobs ?? []), ...accountParts.jobs, ...browseParts.jobs],
  ports: [transparencyLog, tradingState, venues],
  settings: {
    ...proofSettings,
    ...reviewSettings,
    ...signalSettings,
    ...memorySettings,
    ...browseParts.settings,
    ...workspaceSettings,
  },
  documents: [conduct, ...accountParts.documents],
  fallback: 'help',
})
