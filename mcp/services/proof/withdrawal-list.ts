import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { requireAccount } from './account/caller.ts'
import { toWalletBook } from './account/wallet.ts'
import { toWithdrawalOut, WithdrawalOut } from './withdrawal.ts'

export default tool({
  name: 'withdrawal_list',
  title: 'List withdrawals',
  description: 'Your withdrawals and what became of each, the newest first, or one by its id. Free.',
  keywords: ['payouts', 'history', 'status', 'past', 'arrive'],
  input: z.object({
    withdrawal_id: z
      .string()
      .regex(/^(?:wdr_)?[0-9a-f]{24}$/, 'must be an id as withdraw gives it')
      .optional()
      .describe('Only this one'),
    ...pageInput('Withdrawals'),
  }),
  output: z.object({ withdrawals: z.array(WithdrawalOut).describe('Withdrawals'), next: nextCursor }),
  needs: ['store', 'books'],
  price: free,
  auth: ['bearer'],
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['account', 'free'] },
  rest: { routes: ['GET /withdrawals'] },
  examples: [{}],
  needsSetup: true,
  summary: ({ withdrawals }) => `${countText(withdrawals.length, 'withdrawal')}.`,
}).run(async ({ store, books, caller }, { withdrawal_id, ...page }) => {
  const book = toWalletBook((await requireAccount(store, caller)).id)
  if (withdrawal_id !== undefined) {
    const withdrawal = await books.findWithdrawal(store, book, withdrawal_id)
    if (!withdrawal) throw new ToolError('not_found', `You have no withdrawal ${withdrawal_id}.`)
    return { withdrawals: [toWithdrawalOut(withdrawal)], next: null }
  }
  const { rows, next } = await books.listWithdrawals(store, book, pageQuery(page))
  return { withdrawals: rows.map(toWithdrawalOut), next: next ?? null }
})
