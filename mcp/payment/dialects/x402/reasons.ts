import type { Refusal } from '../../method.ts'

type Ours = Refusal | 'payment_already_used' | 'payment_rejected'

/** Our reasons in the codes of x402 (specification version 2, section 9, and those of the schemes): EVM, then Solana. */
const codes: Readonly<Record<Ours, readonly [string, string]>> = {
  expired: ['invalid_exact_evm_payload_authorization_valid_before', 'invalid_transaction_state'],
  not_yet_valid: ['invalid_exact_evm_payload_authorization_valid_after', 'invalid_transaction_state'],
  wrong_network: ['invalid_network', 'invalid_network'],
  wrong_asset: ['invalid_payment_requirements', 'invalid_exact_svm_payload_mint_mismatch'],
  wrong_recipient: [
    'invalid_exact_evm_payload_recipient_mismatch',
    'invalid_exact_svm_payload_recipient_mismatch',
  ],
  too_little: [
    'invalid_exact_evm_payload_authorization_value_mismatch',
    'invalid_exact_svm_payload_amount_mismatch',
  ],
  too_much: [
    'invalid_exact_evm_payload_authorization_value_mismatch',
    'invalid_exact_svm_payload_amount_mismatch',
  ],
  insufficient_funds: ['insufficient_funds', 'insufficient_funds'],
  balance_too_low: ['insufficient_funds', 'insufficient_funds'],
  limit_per_call: ['insufficient_funds', 'insufficient_funds'],
  limit_per_day: ['insufficient_funds', 'insufficient_funds'],
  limit_service: ['insufficient_funds', 'insufficient_funds'],
  factory_not_allowed: ['eip6492_factory_not_allowed', 'invalid_payload'],
  invalid_signature: ['invalid_exact_evm_payload_signature', 'invalid_transaction_state'],
  already_used: ['invalid_exact_evm_nonce_already_used', 'duplicate_settlement'],
  payment_already_used: ['invalid_exact_evm_nonce_already_used', 'duplicate_settlement'],
  payment_rejected: ['invalid_payload', 'invalid_payload'],
  unreadable: ['invalid_payload', 'invalid_payload'],
  other_account: ['invalid_payload', 'invalid_payload'],
  ambiguous_payment: ['invalid_payload', 'invalid_payload'],
  settlement_failed: ['unexpected_settle_error', 'unexpected_settle_error'],
}

const isOurs = (reason: string): reason is Ours => Object.hasOwn(codes, reason)

/** A reason of ours as x402 says it on a network; what is none of ours stays. */
export const toStandardReason = (reason: string, network: string): string => {
  if (!isOurs(reason)) return reason
  const [evm, solana] = codes[reason]
  return network.startsWith('solana:') ? solana : evm
}
