import { help } from '../../kernel/help.ts'
import { service } from '../../kernel/service.ts'
import { accountParts } from './account-parts.ts'
import { stampCheckpoints, upgradeStamps } from './anchors/bitcoin.ts'
import { announceCheckpoints, publishEvents } from './anchors/nostr.ts'
import { artifactSettings, downloadArtifact, sweepArtifacts } from './artifact.ts'
import conduct from './conduct.ts'
import { proofSettings } from './config.ts'
import { ledgerEndpoints } from './ledger/endpoints.ts'
import { transparencyLog } from './ledger/log.ts'
import { askWitnesses } from './ledger/witnesses.ts'
import { memorySettings } from './memory.ts'
import boardPage from './pages/board-page.ts'
import entryPage from './pages/entry-page.ts'
import ledgerPage from './pages/ledger-page.ts'
import proofPage from './pages/proof-page.ts'
import reviewPage from './pages/review-page.ts'
import threadPage from './pages/thread-page.ts'
import { recordEndpoint } from './proofs/record.ts'
import verifyPage from './proofs/verify-page-endpoint.ts'
import verifyScript from './proofs/verify-script-endpoint.ts'
import { reviewSettings, tradingState } from './review/config.ts'
import { signalSettings } from './signals/venue.ts'
import { venues } from './signals/venues.ts'
import { tools } from './tools.ts'
import { workspaceSettings } from './workspace.ts'

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
  ...accountParts,
  endpoints: [
    ...ledgerEndpoints,
    recordEndpoint,
    verifyPage,
    ...accountParts.endpoints,
    downloadArtifact,
    ledgerPage,
    entryPage,
    proofPage,
    reviewPage,
    boardPage,
    threadPage,
    verifyScript,
  ],
  jobs: [
    stampCheckpoints,
    upgradeStamps,
    announceCheckpoints,
    publishEvents,
    askWitnesses,
    ...accountParts.jobs,
    sweepArtifacts,
  ],
  ports: [transparencyLog, tradingState, venues],
  settings: {
    ...proofSettings,
    ...reviewSettings,
    ...signalSettings,
    ...memorySettings,
    ...artifactSettings,
    ...workspaceSettings,
  },
  documents: [conduct, ...accountParts.documents],
  fallback: 'help',
})
