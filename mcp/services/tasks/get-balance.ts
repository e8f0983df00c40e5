import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { formatUsd } from '../../lib/usd.ts'
import { addressOf } from './account.ts'
import { BalanceOut, LineOut, loadSpendableBalance, toPublicLine, walletAccount } from './money.ts'

export default tool({
  name: 'get_balance',
  title: 'Read your balance',
  description: 'What you can spend here, and every movement of it, the newest first. Free.',
  keywords: ['earnings', 'wallet', 'money', 'history', 'marketplace', 'far'],
  input: z.object({
    address: z
      .string()
      .trim()
      .toLowerCase()
      .max(100)
      .optional()
      .describe('Your wallet or account, for clients that name it; a balance is read by its owner only'),
    ...pageInput('Movements'),
  }),
  output: BalanceOut.extend({ events: z.array(LineOut).describe('Movements'), next: nextCursor }),
  needs: ['store', 'ledger'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'payments' },
  rest: {
    routes: [
      'GET /api/v1/payments/balance',
      'GET /api/v1/payments/balance/:address',
      'GET /api/v1/payments/events',
    ],
  },
  examples: [{}],
  summary: ({ available_usd }) => `${available_usd} USD can be spent.`,
}).run(async ({ store, ledger, caller: { id: account } }, { address, ...page }) => {
  if (address !== undefined && address !== account && address !== addressOf(account))
    throw new ToolError(
      'forbidden',
      'address is not the wallet that asks: a balance is its owner’s to read.',
      {
        reason: 'not_your_wallet',
        hint: `Leave address out, or send ${account}.`,
      },
    )
  const { lines, next } = await ledger.statement(store, 'USDC', walletAccount(account), pageQuery(page))
  const available_usd = formatUsd(await loadSpendableBalance(store, ledger, account))
  return { account_id: account, available_usd, events: lines.map(toPublicLine), next: next ?? null }
})
