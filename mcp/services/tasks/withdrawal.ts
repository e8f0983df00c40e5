import { z } from 'zod'
import { formatUsd } from '../../lib/usd.ts'
import type { Withdrawal } from '../../ports/books/port.ts'

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

export const toPublicWithdrawal = ({
  id,
  value,
  to,
  state,
  proof,
  problem,
  created_at,
}: Withdrawal): z.output<typeof WithdrawalOut> => ({
  withdrawal_id: id,
  amount_usd: formatUsd(value),
  to,
  state: state === 'sent' ? 'sent' : 'queued',
  transaction: proof,
  problem,
  created_at,
})
