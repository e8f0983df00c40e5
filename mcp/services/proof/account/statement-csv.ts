import { endpoint } from '../../../kernel/endpoint.ts'
import { requireAccount } from './caller.ts'
import { readStatement, type StatementLine } from './statement.ts'

const columns = [
  'time',
  'kind',
  'tool',
  'sats',
  'receipt',
  'entry',
] as const satisfies (keyof StatementLine)[]

/** Lines of one file; what is older is read page by page as JSON. */
const maxLines = 10_000

const toRow = (line: StatementLine): string => columns.map(column => line[column] ?? '').join(',')

export default endpoint({
  name: 'statement_csv',
  title: 'Statement as CSV',
  description:
    'What moved the balance of your account, the newest first, up to 10,000 lines: every debit with its tool, price and receipt.',
  method: 'GET',
  path: '/balance/statement.csv',
  body: 'none',
  answers: ['text/csv'],
  needs: ['store', 'ledger'],
  auth: ['bearer'],
  limits: [{ perMinute: 10, per: 'client' }],
}).run(async ({ store, ledger, caller }) => {
  const account = await requireAccount(store, caller)
  const rows: string[] = [columns.join(',')]
  let after: string | undefined
  do {
    const page = { limit: 1000, ...(after !== undefined && { after }) }
    const { lines, next } = await readStatement(store, ledger, account.id, page)
    rows.push(...lines.map(toRow))
    after = next
  } while (after !== undefined && rows.length <= maxLines)
  return {
    kind: 'bytes',
    type: 'text/csv; charset=utf-8',
    bytes: Buffer.from(`${rows.slice(0, maxLines + 1).join('\r\n')}\r\n`),
    cache: 'private, no-store',
    headers: { 'Content-Disposition': 'attachment; filename="statement.csv"' },
  }
})
