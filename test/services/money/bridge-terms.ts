import type { BridgeTerms } from '../../../mcp/services/money/bridge/bridge.ts'

/** Settings as they are by default, but for the attestation service. */
export const testTerms: BridgeTerms = {
  lanes: {},
  owners: [],
  costBps: 1_000,
  costFloor: 100_000_000n,
  off: {},
  attestations: 'https://iris.example.com',
  marginBps: 100,
  gas: 5_000n,
  referralBps: 2_500,
  max: 10_000_000_000_000n,
  upfront: true,
}
