import { capability } from '../../kernel/capability.ts'
import { bridge } from './bridge/port.ts'
import { moneySettings } from './config.ts'
import { describeGas, sponsorChains } from './gas/sponsor-chains.ts'
import { localMarket, openingPrices, twaps } from './market/twaps.ts'
import { toVaultDeps, vaultNeeds, vaultWants } from './vault/needs.ts'

const {
  bridgeLanes,
  gasSigner,
  gasSponsor,
  gasSubmitter,
  openPrices,
  twapCredentials,
  vaultFactory,
  vaultVenue,
} = moneySettings

// A look starts no local chain: there, contracts come with the first use.

export const bridgeCapability = capability({
  name: 'bridge',
  variables: ['OCTAGENT_NETWORKS', 'OCTAGENT_RELAYER_KEY', bridgeLanes.variable],
  needs: ['chains', bridge],
}).look(async ({ chains, bridge: opened }) => {
  if (chains.local) return { state: 'on' }
  const { describeBridge } = await import('./bridge/bridge.ts')
  return describeBridge(opened)
})

export const gasCapability = capability({
  name: 'gas',
  variables: ['OCTAGENT_NETWORKS', gasSponsor.variable, gasSigner.variable, gasSubmitter.variable],
  needs: [sponsorChains],
}).look(({ sponsorChains: chains }) => describeGas(chains))

export const vaultCapability = capability({
  name: 'vaults',
  variables: [vaultFactory.variable, vaultVenue.variable],
  needs: ['chains', ...vaultNeeds],
  wants: vaultWants,
}).look(async ctx => {
  if (ctx.chains.local) return { state: 'on' }
  const { describeVaults } = await import('./vault/basket.ts')
  return describeVaults(toVaultDeps(ctx as never))
})

export const priceCapability = capability({
  name: 'prices',
  variables: [twapCredentials.variable, openPrices.variable],
  needs: [],
  wants: [twaps, openingPrices, localMarket],
}).look(({ twaps: socket, openingPrices: address, localMarket: local }) =>
  socket || address || local?.market
    ? { state: 'on' }
    : {
        state: 'off',
        reason: `${twapCredentials.variable} is not set: only windows that are over are told, with start=.`,
      },
)

export const capabilities = [bridgeCapability, gasCapability, vaultCapability, priceCapability]
