import type { Context } from '../../../kernel/tool.ts'
import { moneySettings } from '../config.ts'
import type { VaultDeps } from './basket.ts'

/** Needs of the tools of the vaults. */
export const vaultNeeds = ['evm', 'cache', 'clock', moneySettings.stocks] as const

/** Further needs of a real chain; a local one has contracts of its own. */
export const vaultWants = [moneySettings.vaultFactory, moneySettings.vaultVenue] as const

/** Context those tools are called with. */
export type VaultContext = Context<(typeof vaultNeeds)[number], (typeof vaultWants)[number]>

export const toVaultDeps = ({
  evm,
  cache,
  clock,
  signal,
  stocks,
  vaultFactory,
  vaultVenue,
}: VaultContext): VaultDeps => ({
  evm,
  cache,
  signal,
  stocks,
  vaultFactory,
  vaultVenue,
  now: () => clock.now(),
})
