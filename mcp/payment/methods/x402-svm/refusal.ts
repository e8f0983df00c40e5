import type { Refusal } from '../../method.ts'

/** Error codes of the exact scheme for Solana (x402), in the words of a rail. The first match counts. */
const table: readonly [RegExp, Refusal][] = [
  [/simulation_failed/, 'settlement_failed'],
  [/network/, 'wrong_network'],
  [/mint_mismatch/, 'wrong_asset'],
  [/recipient/, 'wrong_recipient'],
  [/amount/, 'too_little'],
  [/duplicate/, 'already_used'],
  [/signature|signers/, 'invalid_signature'],
  [/./, 'unreadable'],
]

/** A facilitator's reason as a Refusal; what it says besides goes no further. */
export const toSvmRefusal = (reason: string | undefined): Refusal =>
  table.find(([pattern]) => pattern.test(reason ?? ''))?.[1] ?? 'settlement_failed'
