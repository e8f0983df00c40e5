import type { AnyTool } from '../../kernel/tool.ts'
import authorizationCheck from './authorization-check.ts'
import authorizationStatus from './authorization-status.ts'
import basketSignals from './basket-signals.ts'
import bridgeQuote from './bridge-quote.ts'
import bridgeRoutes from './bridge-routes.ts'
import bridgeStatus from './bridge-status.ts'
import bridgeTransfer from './bridge-transfer.ts'
import buyStocks from './buy-stocks.ts'
import createVault from './create-vault.ts'
import discoverIndex from './discover-index.ts'
import gasQuote from './gas-quote.ts'
import gasSponsor from './gas-sponsor.ts'
import gasStatus from './gas-status.ts'
import gasSubmit from './gas-submit.ts'
import paymentExplain from './payment-explain.ts'
import priceToBeat from './price-to-beat.ts'
import priceWindows from './price-windows.ts'
import rebalance from './rebalance.ts'
import redeem from './redeem.ts'
import setWeights from './set-weights.ts'
import stablecoinAccount from './stablecoin-account.ts'
import vaultStatus from './vault-status.ts'
import x402Decode from './x402-decode.ts'
import x402Probe from './x402-probe.ts'

/** The tools that are finished. The service lists them once all 26 of the specification are here. */
export const tools: readonly AnyTool[] = [
  bridgeRoutes,
  bridgeQuote,
  bridgeTransfer,
  bridgeStatus,
  priceToBeat,
  priceWindows,
  discoverIndex,
  vaultStatus,
  createVault,
  buyStocks,
  setWeights,
  rebalance,
  redeem,
  basketSignals,
  gasQuote,
  gasSponsor,
  gasSubmit,
  gasStatus,
  x402Probe,
  x402Decode,
  authorizationCheck,
  authorizationStatus,
  stablecoinAccount,
  paymentExplain,
]
