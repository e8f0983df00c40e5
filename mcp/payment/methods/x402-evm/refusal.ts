import type { Refusal } from '../../method.ts'

/** Error codes of facilitators (x402, exact EVM scheme), as a Refusal. The first match counts. */
const table: readonly [RegExp, Refusal][] = [
  [/factory_not_allowed/, 'factory_not_allowed'],
  [/valid_before|expired/, 'expired'],
  [/valid_after|not_yet_valid/, 'not_yet_valid'],
  [/network/, 'wrong_network'],
  [/asset_not_deployed/, 'wrong_asset'],
  [/recipient/, 'wrong_recipient'],
  [/authorization_value|value_mismatch/, 'too_little'],
  [/nonce_already_used/, 'already_used'],
  [/insufficient/, 'insufficient_funds'],
  [/signature|eip6492|eip712|token_name|token_version/, 'invalid_signature'],
  [/scheme|payload_type|invalid_payload/, 'unreadable'],
]

/** A facilitator's reason as a Refusal; what it says besides, calldata and all, goes no further. */
export const toRefusal = (reason: string | undefined): Refusal =>
  table.find(([pattern]) => reason !== undefined && pattern.test(reason))?.[1] ?? 'settlement_failed'
