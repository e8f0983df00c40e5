import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput } from '../../lib/paging.ts'
import { statementKinds } from '../../lib/statement.ts'
import { countText } from '../../lib/text/count.ts'
import type { StatementLine } from '../../ports/books/port.ts'
import { requireAccount } from './account/caller.ts'
import { toWalletBook } from './account/wallet.ts'

export default tool({
  name: 'get_statement',
  title: 'Read the statement',
  description:
    'What moved the balance of your account, the newest first: every debit with its tool, price and receipt, and every top-up. As CSV: GET /balance/statement.csv. Free.',
  keywords: ['transactions', 'spending', 'history', 'billing', 'charges', 'list'],
  input: z.object({ ...pageInput('Lines') }),
  output: z.object({
    lines: z
      .array(
        z.object({
          created_at: z.iso.datetime().describe('When it was booked'),
          kind: z.enum(statementKinds).describe('What moved it'),
          tool: z.string().nullable().describe('The tool that a call was of'),
          sats: z.string().describe('What came, or with a minus what went'),
          receipt: z.string().nullable().describe('Id of its receipt, at /receipts/{id}'),
          entry: z.string().describe('Id of the entry in the ledger'),
        }),
      )
      .describe('What moved the balance'),
    next: nextCursor,
  }),
  needs: ['store', 'books'],
  price: free,
  auth: ['bearer'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['account', 'free'] },
  rest: { routes: ['GET /balance/statement'] },
  examples: [{}],
  needsSetup: true,
  summary: ({ lines }) => `${countText(lines.length, 'line')}.`,
}).run(async ({ store, books, caller }, page) => {
  const { id } = await requireAccount(store, caller)
  const { lines, next } = await books.statement(store, [toWalletBook(id)], page)
  const toOwn = ({ created_at, kind, tool, amount: sats, receipt, entry }: StatementLine) => ({
    created_at,
    kind,
    tool,
    sats,
    receipt,
    entry,
  })
  return { lines: lines.map(toOwn), next }
})
