import type { Service } from '../../kernel/service.ts'
import { proofSettings } from './config.ts'
import { ledgerEndpoints } from './ledger/endpoints.ts'
import { transparencyLog } from './ledger/log.ts'
import record from './proofs/record-endpoint.ts'
import verifyPage from './proofs/verify-page-endpoint.ts'

/** What the ledger brings to the service beside its tools; the service takes it in together with them. */
export const ledgerParts: Pick<Service, 'endpoints' | 'settings' | 'ports'> = {
  endpoints: [...ledgerEndpoints, record, verifyPage],
  settings: proofSettings,
  ports: [transparencyLog],
}
