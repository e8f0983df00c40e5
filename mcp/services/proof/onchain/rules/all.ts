import type { OnchainRule } from '../rule.ts'
import { addressRules } from './addresses.ts'
import { allowanceRules } from './allowances.ts'
import { controlRules } from './control.ts'
import { paymentRules } from './payments.ts'
import { signatureRules } from './signatures.ts'
import { stateRules } from './state.ts'
import { tradeRules } from './trades.ts'

/** Every rule about what is signed, in the order in which their findings are told. */
export const onchainRules: readonly OnchainRule[] = [
  ...signatureRules,
  ...controlRules,
  ...allowanceRules,
  ...paymentRules,
  ...addressRules,
  ...tradeRules,
  ...stateRules,
]
