import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { requireAccount } from './account.ts'
import { creditWallet, loadCredits, toUsd } from './money.ts'

export default tool({
  name: 'get_credits',
  title: 'Read the credit statement',
  description: 'Returns your balance in credits and what moved it, the newest first, page by page. Free.',
  keywords: ['week', 'far', 'last', 'pay', 'transactions', 'spending'],
  input: z.object({
    ...pageInput('Lines'),
  }),
  aliases: { after: ['next', 'cursor'] },
  output: z.object({
    total: z.number().int().describe('All credits'),
    held: z.number().int().describe('On hold for open negotiations'),
    available: z.number().int().describe('What can be spent'),
    balance_usd: z.string().describe('The total in USD'),
    lines: z
      .array(
        z.object({
          entry: z.string().describe('Id of the entry'),
          created_at: z.iso.datetime().describe('When it was booked'),
          memo: z.string().describe('What for'),
          credits: z.number().int().describe('What came (+) or went (-)'),
        }),
      )
      .describe('What moved the balance'),
    count: z.number().int().describe('Lines on this page'),
    next: nextCursor,
  }),
  needs: ['store', 'ledger'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['account', 'free'] },
  rest: { routes: ['GET /v1/account/credits'] },
  examples: [{}],
  summary: ({ available }) => `${available} credits to spend.`,
}).run(async ({ store, ledger, caller }, { limit, after }) => {
  const account = await requireAccount(store, caller)
  const [credits, { lines, next }] = await Promise.all([
    loadCredits(store, ledger, account.id),
    ledger.statement(store, 'credit', creditWallet(account.id), { ...pageQuery({ limit, after }) }),
  ])
  return {
    ...credits,
    balance_usd: toUsd(credits.total),
    lines: lines.map(({ amount, time, ...line }) => ({
      ...line,
      created_at: time,
      credits: Number(amount.value),
    })),
    count: lines.length,
    next: next ?? null,
  }
})
