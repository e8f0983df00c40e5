import type { ServiceScenarios } from '../../contract/scenario.ts'
import { vaultScenarios } from './vault-scenarios.ts'

/** They go on with a payment, sign a transaction of Solana, or sell what a market tells that is not here; tests of their own do that. */
const unanswerable = new Set([
  'bridge_transfer',
  'bridge_status',
  'gas_submit',
  'gas_status',
  'gas_solana',
  'price_to_beat',
])

export const moneyScenarios: ServiceScenarios = {
  tools: vaultScenarios,
  isUnanswerable: tool => unanswerable.has(tool),
}
