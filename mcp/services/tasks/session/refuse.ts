import { type Failure, ToolError } from '../../../kernel/error.ts'

/** Why a credential of a session is refused, as `evm/session` names it. */
export type SessionFault =
  | 'invalid_signature'
  | 'amount_exceeds_deposit'
  | 'delta_too_small'
  | 'channel_not_found'
  | 'channel_finalized'
  | 'challenge_not_found'
  | 'insufficient_balance'
  | 'transaction_reverted'

const codes: Readonly<Record<SessionFault, Failure>> = {
  invalid_signature: 'payment_required',
  amount_exceeds_deposit: 'payment_required',
  delta_too_small: 'payment_required',
  challenge_not_found: 'payment_required',
  insufficient_balance: 'payment_required',
  channel_not_found: 'gone',
  channel_finalized: 'gone',
  transaction_reverted: 'conflict',
}

export const refuseSession = (
  fault: SessionFault,
  detail: string,
  params: Readonly<Record<string, string>> = {},
): ToolError => new ToolError(codes[fault], detail, { reason: fault, params })

/** The fault that a refusal is about; undefined for any other refusal. */
export const faultIn = ({ extra }: ToolError): SessionFault | undefined =>
  extra.reason !== undefined && Object.hasOwn(codes, extra.reason)
    ? (extra.reason as SessionFault)
    : undefined
