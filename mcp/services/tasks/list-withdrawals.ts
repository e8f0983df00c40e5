import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { toPublicWithdrawal, WithdrawalOut, walletBook } from './money.ts'

export default tool({
  name: 'list_withdrawals',
  title: 'List withdrawals',
  keywords: ['payouts', 'history', 'status', 'arrive', 'far', 'past'],
  description: 'Your withdrawals and what became of each, with its transaction, the newest first. Free.',
  input: z.object({ ...pageInput('Withdrawals') }),
  output: z.object({ withdrawals: z.array(WithdrawalOut).describe('Withdrawals'), next: nextCursor }),
  needs: ['store', 'books'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'payments' },
  rest: { routes: ['GET /api/v1/payments/withdrawals'] },
  examples: [{}],
  summary: ({ withdrawals }) => `${countText(withdrawals.length, 'withdrawal')}.`,
}).run(async ({ store, books, caller }, page) => {
  const book = walletBook(caller.id)
  const { rows, next } = await books.listWithdrawals(store, book, pageQuery(page))
  return { withdrawals: rows.map(toPublicWithdrawal), next: next ?? null }
})
