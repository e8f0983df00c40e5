import { z } from 'zod'
import type { Withdrawal } from '../../ports/books/port.ts'

const toSats = (msat: string): number => Number(BigInt(msat) / 1000n)

export const WithdrawalOut = z
  .object({
    withdrawal_id: z.string().describe('Id of the withdrawal'),
    sats: z.int().describe('What the invoice is over'),
    fee_sats: z.int().describe('What the house keeps; nothing where it failed'),
    payment_hash: z.string().describe('Payment hash of the invoice'),
    state: z
      .enum(['queued', 'sent', 'failed'])
      .describe(
        'queued: it is paid within a minute, or nobody knows yet whether it was; sent: it was paid; failed: it was not, and the sats are back',
      ),
    preimage: z.string().nullable().describe('Proof of the payment, where the node tells it'),
    problem: z.string().nullable().describe('Why the last try did not go'),
    created_at: z.string().describe('When it was asked for'),
    ended_at: z.string().nullable().describe('When it was sent, or failed'),
  })
  .describe('A withdrawal')

export const toWithdrawalOut = (withdrawal: Withdrawal): z.output<typeof WithdrawalOut> => ({
  withdrawal_id: withdrawal.id,
  sats: toSats(withdrawal.value),
  fee_sats: withdrawal.state === 'failed' ? 0 : toSats(withdrawal.fee),
  payment_hash: withdrawal.payment_hash ?? '',
  state: withdrawal.state,
  preimage: withdrawal.proof,
  problem: withdrawal.problem,
  created_at: withdrawal.created_at,
  ended_at: withdrawal.ended_at,
})
