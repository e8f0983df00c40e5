import { z } from 'zod'
import { paidBy, tool, usd } from '../../kernel/tool.ts'
import { formatUsd } from '../../lib/usd.ts'
import { ensureAccount } from './account.ts'
import { addPayment, BalanceOut, loadSpendableBalance, parseUsd, usdInput } from './money.ts'

export default tool({
  name: 'deposit_funds',
  title: 'Put money on your balance',
  description:
    'Puts USDC on your balance by an x402 payment on Base, from where escrows and bonuses are taken. Costs exactly amount_usd.',
  keywords: ['add', 'top', 'account', 'hiring', 'tasks', 'pay'],
  input: z.object({
    amount_usd: usdInput({ min: '0.01', max: '10000' })
      .default('1.00')
      .describe('How much, 0.01 to 10,000 USD'),
  }),
  output: BalanceOut,
  needs: ['store', 'clock', 'ledger'],
  price: usd('1.00'),
  quote: (_, { amount_usd }) => usd(formatUsd(parseUsd(amount_usd))),
  settle: 'before',
  credits: true,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'payments' },
  rest: { routes: ['POST /api/v1/payments/deposit'] },
  examples: [{ amount_usd: '1.00' }],
  summary: ({ available_usd }) => `${available_usd} USD can be spent.`,
}).run(({ commit, clock, ledger, caller: { id: account }, receipt }, { amount_usd }) => {
  const payment = paidBy(receipt)
  return commit(async tx => {
    await ensureAccount(tx, account, clock.now())
    await addPayment(tx, ledger, { receipt: payment.id, account, amount: parseUsd(amount_usd) })
    return { account_id: account, available_usd: formatUsd(await loadSpendableBalance(tx, ledger, account)) }
  })
})
