import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { addressOf } from './account/account.ts'
import { requireCaller } from './account/caller.ts'
import { newId } from './id.ts'
import { formatUsd, parseUsd, usdInput } from './money/amount.ts'
import { holdWithdrawal, loadBalance } from './money/escrow.ts'
import { toPublicWithdrawal, type Withdrawal, WithdrawalOut, withdrawalsIn } from './withdrawal/withdrawal.ts'

export default tool({
  name: 'withdraw_funds',
  title: 'Withdraw money',
  description:
    'Sends money from your balance to your own wallet, in USDC on Base, within a minute. Nobody else can be named. Free: the house pays the gas.',
  keywords: ['earned', 'cash', 'out', 'payout', 'transfer', 'paid'],
  input: z.object({
    amount_usd: usdInput({ min: '0.10', max: '100000' })
      .optional()
      .describe('How much, 0.10 USD at least; all of it by default'),
  }),
  output: WithdrawalOut,
  needs: ['store', 'clock', 'ledger', 'payouts'],
  price: free,
  limits: [{ perMinute: 5, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  a2a: { group: 'payments' },
  rest: { routes: ['POST /api/v1/payments/withdraw'], status: 201 },
  needsSetup: true,
  examples: [{ amount_usd: '0.10' }],
  summary: ({ amount_usd, to }) => `${amount_usd} USDC are on their way to ${to}.`,
}).run(({ commit, clock, ledger, caller }, { amount_usd }) => {
  const account = requireCaller(caller)
  return commit(async tx => {
    const available = await loadBalance(tx, ledger, account)
    const amount = amount_usd === undefined ? available : parseUsd(amount_usd)
    if (amount > available || amount < 100_000n)
      throw new ToolError('conflict', `Your balance is ${formatUsd(available)} USD; 0.10 is the least.`, {
        reason: 'insufficient_balance',
        params: { available_usd: formatUsd(available) },
      })
    const now = clock.now()
    const withdrawal: Withdrawal = {
      id: newId('wdr', now),
      account,
      to: addressOf(account),
      amount: amount.toString(),
      state: 'queued',
      from: null,
      transaction: null,
      problem: null,
      created_at: now.toISOString(),
      sent_at: null,
    }
    await holdWithdrawal(tx, ledger, { id: withdrawal.id, account, amount })
    await withdrawalsIn(tx).insert(withdrawal)
    return toPublicWithdrawal(withdrawal)
  })
})
