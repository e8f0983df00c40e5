import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { addressOf } from './account.ts'
import { parseUsd, toPublicWithdrawal, usdInput, WithdrawalOut, walletBook } from './money.ts'

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
  needs: ['store', 'books', 'payouts'],
  price: free,
  limits: [{ perMinute: 5, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  a2a: { group: 'payments' },
  rest: { routes: ['POST /api/v1/payments/withdraw'], status: 201 },
  needsSetup: true,
  examples: [{ amount_usd: '0.10' }],
  summary: ({ amount_usd, to }) => `${amount_usd} USDC are on their way to ${to}.`,
}).run(({ commit, books, caller: { id: account } }, { amount_usd }) => {
  const value = amount_usd === undefined ? undefined : parseUsd(amount_usd)
  const order = { book: walletBook(account), to: addressOf(account), value }
  return commit(async tx => toPublicWithdrawal(await books.withdrawUsdc(tx, order)))
})
