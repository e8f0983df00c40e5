import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { requireCaller } from './account/caller.ts'
import { formatUsd } from './money/amount.ts'
import { loadBalance, walletAccount } from './money/escrow.ts'
import { BalanceOut } from './money/public-balance.ts'
import { LineOut, toPublicLine } from './money/public-line.ts'

export default tool({
  name: 'get_balance',
  title: 'Read your balance',
  description: 'What you can spend here, and every movement of it, the newest first. Free.',
  keywords: ['my earnings', 'payment history', 'how much money do I have'],
  input: z.object({ ...pageInput('Movements') }),
  output: BalanceOut.extend({ events: z.array(LineOut).describe('Movements'), next: nextCursor }),
  needs: ['store', 'ledger'],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  rest: { routes: ['GET /api/v1/payments/balance', 'GET /api/v1/payments/events'] },
  examples: [{}],
  summary: ({ available_usd }) => `${available_usd} USD can be spent.`,
}).run(async ({ store, ledger, caller }, page) => {
  const account = requireCaller(caller)
  const { lines, next } = await ledger.statement(store, 'USDC', walletAccount(account), pageQuery(page))
  const available_usd = formatUsd(await loadBalance(store, ledger, account))
  return { account_id: account, available_usd, events: lines.map(toPublicLine), next: next ?? null }
})
