import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'
import { formatUsd } from '../money/amount.ts'

/** Money on its way from a balance to a wallet. */
export type Withdrawal = {
  /** `wdr_…`; the payout has the same. */
  id: string
  account: string
  to: string
  /** Millionths of a dollar. */
  amount: string
  state: 'queued' | 'sent'
  /** The wallet that pays; set before the first try and never changed, since an id pays once per wallet. */
  from: string | null
  transaction: string | null
  /** Why the last try did not go. */
  problem: string | null
  created_at: string
  sent_at: string | null
}

const table = {
  name: 'tasks.withdrawals',
  indexes: [
    { name: 'state', fields: ['state', 'created_at'] },
    { name: 'account', fields: ['account', 'created_at'] },
  ],
} as const

export const withdrawalsIn = collection<Withdrawal>({
  name: table.name,
  indexes: table.indexes,
  bounded: 'Each takes money from a balance.',
})

export const WithdrawalOut = z.object({
  withdrawal_id: z.string().describe('Id of the withdrawal'),
  amount_usd: z.string().describe('How much, in USDC'),
  to: z.string().describe('The wallet that gets it, on Base'),
  state: z
    .enum(['queued', 'sent'])
    .describe('queued: it is sent within a minute, and tried again until it goes'),
  transaction: z.string().nullable().describe('The transaction on Base'),
  problem: z.string().nullable().describe('Why the last try did not go'),
  created_at: z.iso.datetime().describe('When it was asked for'),
})

export const toPublicWithdrawal = (withdrawal: Withdrawal): z.output<typeof WithdrawalOut> => ({
  withdrawal_id: withdrawal.id,
  amount_usd: formatUsd(withdrawal.amount),
  to: withdrawal.to,
  state: withdrawal.state,
  transaction: withdrawal.transaction,
  problem: withdrawal.problem,
  created_at: withdrawal.created_at,
})
