import type { AnyTool } from '../../kernel/tool.ts'
import authorizationCheck from './authorization-check.ts'
import authorizationStatus from './authorization-status.ts'
import basketSignals from './basket-signals.ts'
import gasQuote from './gas-quote.ts'
import gasSponsor from './gas-sponsor.ts'
import gasStatus from './gas-status.ts'
import gasSubmit from './gas-submit.ts'
import paymentExplain from './payment-explain.ts'
import priceToBeat from './price-to-beat.ts'
import priceWindows from './price-windows.ts'
import stablecoinAccount from './stablecoin-account.ts'
import x402Decode from './x402-decode.ts'
import x402Probe from './x402-probe.ts'

/** The tools that are finished. The service lists them once all 26 of the specification are here. */
export const tools: readonly AnyTool[] = [
  priceToBeat,
  priceWindows,
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
