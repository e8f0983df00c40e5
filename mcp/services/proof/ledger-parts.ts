import type { Service } from '../../kernel/service.ts'
import { stampCheckpoints, upgradeStamps } from './anchors/bitcoin.ts'
import { announceCheckpoints, publishEvents } from './anchors/nostr.ts'
import { proofSettings } from './config.ts'
import { askWitnesses } from './ledger/ask-witnesses.ts'
import { ledgerEndpoints } from './ledger/endpoints.ts'
import { transparencyLog } from './ledger/log.ts'
import record from './proofs/record-endpoint.ts'
import verifyPage from './proofs/verify-page-endpoint.ts'

/** Parts that the ledger adds to the service beside its tools; the service takes both in together. */
export const ledgerParts: Pick<Service, 'endpoints' | 'settings' | 'ports' | 'jobs'> = {
  endpoints: [...ledgerEndpoints, record, verifyPage],
  jobs: [stampCheckpoints, upgradeStamps, announceCheckpoints, publishEvents, askWitnesses],
  settings: proofSettings,
  ports: [transparencyLog],
}
