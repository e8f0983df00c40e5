import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'

/** Sats on their way from a balance to an invoice. */
export type Withdrawal = {
  id: string
  account: string
  invoice: string
  payment_hash: string
  sats: number
  fee_sats: number
  /** `queued` also while nobody knows what became of it; the money is on hold until somebody does. */
  state: 'queued' | 'sent' | 'failed'
  /** When the node was first asked to pay; from then on it may have. */
  begun_at: string | null
  /** Worker's lease: until then nobody else asks the node. */
  lease: string | null
  tries: number
  /** When it is worked on next. */
  next_at: string
  /** Why the last try did not go. */
  problem: string | null
  preimage: string | null
  expires_at: string
  created_at: string
  ended_at: string | null
}

const withdrawalFeeSats = 100
export const minWithdrawalSats = 5000
export const maxWithdrawalSats = 1_000_000

const indexes = [
  { name: 'due', fields: ['state', 'next_at'] },
  { name: 'account', fields: ['account', 'created_at'] },
] as const

export const withdrawalsIn = collection<Withdrawal>({
  name: 'proof.withdrawals',
  indexes,
  bounded: 'Each takes money from a balance.',
})

type Order = Pick<Withdrawal, 'id' | 'account' | 'invoice' | 'payment_hash' | 'sats' | 'expires_at'>

/** A withdrawal that nobody has worked on yet. */
export const newWithdrawal = (order: Order, now: string): Withdrawal => ({
  ...order,
  fee_sats: withdrawalFeeSats,
  state: 'queued',
  begun_at: null,
  lease: null,
  tries: 0,
  next_at: now,
  problem: null,
  preimage: null,
  created_at: now,
  ended_at: null,
})

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
  sats: withdrawal.sats,
  fee_sats: withdrawal.state === 'failed' ? 0 : withdrawal.fee_sats,
  payment_hash: withdrawal.payment_hash,
  state: withdrawal.state,
  preimage: withdrawal.preimage,
  problem: withdrawal.problem,
  created_at: withdrawal.created_at,
  ended_at: withdrawal.ended_at,
})
