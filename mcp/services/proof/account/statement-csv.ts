import { endpoint } from '../../../kernel/endpoint.ts'
import { toCsvRow } from '../../../lib/statement.ts'
import { requireAccount } from './caller.ts'
import { toWalletBook } from './wallet.ts'

const columns = ['created_at', 'kind', 'tool', 'sats', 'receipt', 'entry'] as const

/** Lines of one file; what is older is read page by page as JSON. */
const maxLines = 10_000

export default endpoint({
  name: 'statement_csv',
  title: 'Statement as CSV',
  description:
    'What moved the balance of your account, the newest first, up to 10,000 lines: every debit with its tool, price and receipt.',
  method: 'GET',
  path: '/balance/statement.csv',
  body: 'none',
  answers: ['text/csv'],
  needs: ['store', 'books'],
  auth: ['bearer'],
  limits: [{ perMinute: 10, per: 'client' }],
}).run(async ({ store, books, caller }) => {
  const account = await requireAccount(store, caller)
  const rows = [`${columns.join(',')}\r\n`]
  for (let after: string | null = ''; after !== null && rows.length <= maxLines; ) {
    const page = { limit: 1000, ...(after !== '' && { after }) }
    const answer = await books.statement(store, [toWalletBook(account.id)], page)
    rows.push(...answer.lines.map(line => toCsvRow(columns, { ...line, sats: line.amount })))
    after = answer.next
  }
  return {
    kind: 'bytes',
    type: 'text/csv; charset=utf-8',
    bytes: Buffer.from(rows.slice(0, maxLines + 1).join('')),
    cache: 'private, no-store',
    headers: { 'Content-Disposition': 'attachment; filename="statement.csv"' },
  }
})
