import { asList, asRecord, type JsonRecord } from '../../../lib/json.ts'
import { computeDigest } from '../source/fetch-registry.ts'
import { type Execution, type MoneyState, toMoneyState } from './execution.ts'
import type { ProviderReply } from './provider.ts'
import { checkSettlement, decideOutcome, gaveNothing, type ResultCheck } from './result.ts'
import type { OnchainSettlement } from './settlement.ts'

/** Tells receipts from verdicts, which are signed with the same key and expire. */
export const receiptType = 'octagent/route-receipt/v1'

type Paid = Pick<Execution, 'authorization' | 'network' | 'asset' | 'payment_digest'>

type Facts = {
  issuer: string
  need: unknown
  verdict_id: string
  provider: string
  quote: object | null
  request_digest: string
  started_at: string
}

/** The statement of an execution that has just begun: nothing is known of its result. */
export const beginStatement = (facts: Facts, paid: Paid | null): JsonRecord => ({
  type: receiptType,
  ...facts,
  payment: paid && {
    digest: paid.payment_digest,
    network: paid.network,
    asset: paid.asset,
    ...paid.authorization,
  },
  settlement: null,
  result: null,
  provider_status: null,
  failure_class: null,
  checks: [],
  refund: null,
  money_state: paid ? 'sent_unknown' : 'not_sent',
  outcome: 'unverifiable',
  observed_at: facts.started_at,
})

/** Facts to claim a refund with, where money was taken and nothing given. */
const toRefund = (statement: JsonRecord, settlement: OnchainSettlement) => {
  const { from, to, value, asset, network } = asRecord(statement.payment)
  return {
    document: 'This receipt shows that the payment was taken and that no result was given for it.',
    owed_by: to,
    owed_to: from,
    amount: value,
    asset,
    network,
    transaction_hash: settlement.transaction_hash,
  }
}

/** The statement after the chain was asked again: what the settlement decides follows, the rest stays. */
export const withSettlement = (
  statement: JsonRecord,
  settlement: OnchainSettlement | null,
  isNothing: boolean,
  now: Date,
): { statement: JsonRecord; state: MoneyState } => {
  const state = settlement ? toMoneyState(statement.result !== null, settlement) : 'not_sent'
  const isTakenForNothing = isNothing && state === 'paid'
  const claimed = typeof statement.claimed_transaction === 'string' ? statement.claimed_transaction : null
  const before = asList(statement.checks) as Pick<ResultCheck, 'name' | 'status'>[]
  const checks = before.filter(({ name }) => name !== 'settlement')
  if (settlement) checks.push({ name: 'settlement', status: checkSettlement(settlement, claimed).status })
  return {
    state,
    statement: {
      ...statement,
      settlement,
      checks,
      money_state: state,
      outcome: decideOutcome(checks, isTakenForNothing),
      refund: isTakenForNothing && settlement ? toRefund(statement, settlement) : null,
      observed_at: now.toISOString(),
    },
  }
}

/** The statement with what the provider answered. */
export const withReply = (
  statement: JsonRecord,
  reply: ProviderReply,
  checks: readonly ResultCheck[],
  settlement: OnchainSettlement | null,
  now: Date,
) => {
  const { output, status, failure, claimed } = reply
  const answered = {
    ...statement,
    result: output
      ? {
          sha256: computeDigest(output.bytes),
          bytes: output.bytes.length,
          content_type: output.contentType.slice(0, 200),
        }
      : null,
    provider_status: status,
    failure_class: failure,
    claimed_transaction: claimed,
    checks: checks.map(({ name, status }) => ({ name, status })),
  }
  return withSettlement(answered, settlement, gaveNothing(reply), now)
}
