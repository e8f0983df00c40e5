import { port } from '../../../kernel/port.ts'
import { ownerSettings } from '../owners.ts'
import { openBridge } from './bridge.ts'
import { bridgeSettings } from './settings.ts'

const {
  attestations,
  bridgeCostBps,
  bridgeCostFloor,
  bridgeGas,
  bridgeLanes,
  bridgeMargin,
  bridgeMax,
  bridgeOff,
  bridgeReferral,
  bridgeUpfront,
} = bridgeSettings

/** The bridge; local chains and their contracts start with the first use. */
export const bridge = port({
  name: 'bridge',
  needs: [
    'chains',
    'evm',
    'fetch',
    'cache',
    'store',
    'clock',
    attestations,
    ownerSettings.contractOwners,
    bridgeCostBps,
    bridgeCostFloor,
    bridgeGas,
    bridgeLanes,
    bridgeMargin,
    bridgeMax,
    bridgeOff,
    bridgeReferral,
    bridgeUpfront,
  ],
}).open(({ chains, evm, fetch, cache, store, clock, ...set }) =>
  openBridge({
    chains,
    evm,
    fetch,
    cache,
    store,
    clock,
    terms: {
      lanes: set.bridgeLanes,
      owners: set.contractOwners,
      costBps: set.bridgeCostBps,
      costFloor: set.bridgeCostFloor,
      off: set.bridgeOff,
      attestations: set.attestations,
      marginBps: set.bridgeMargin,
      gas: set.bridgeGas,
      referralBps: set.bridgeReferral,
      max: set.bridgeMax,
      upfront: set.bridgeUpfront,
    },
  }),
)
