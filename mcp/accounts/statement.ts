import { ToolError } from '../kernel/error.ts'
import { hasReceipt, toCsvRow, toStatementKind } from '../lib/statement.ts'
import type { Book, Books, StatementLine } from '../ports/books/port.ts'
import type { Ledger } from '../ports/payment/port.ts'
import { BadCursor, type Tx } from '../ports/store/port.ts'
import { balanceUnit } from './account.ts'
import { writtenUnits } from './amount.ts'
import { bookKind, personKind, toEscrow } from './books.ts'
import { paymentRequestsIn } from './payment-requests.ts'
import { clientSpendsIn } from './spending.ts'

type Facts = Pick<StatementLine, 'service' | 'tool' | 'client'>

const none: Facts = { service: null, tool: null, client: null }

/** The receipt of the call that took what was set aside for it; null while none did. */
const findReceipt = async (tx: Tx, ledger: Ledger, request: string): Promise<string | null> => {
  const { lines } = await ledger.statement(tx, balanceUnit, toEscrow(request), { limit: 10 })
  const captureLine = lines.find(({ entry }) => entry.startsWith('capture:'))
  return captureLine?.entry.slice('capture:'.length) ?? null
}

/** Which call an entry of a person paid, and for which client. */
const readCall = async (tx: Tx, prefix: string, id: string): Promise<Facts> => {
  if (prefix === 'capture' || prefix === 'refund') return (await clientSpendsIn(tx).get(id)) ?? none
  if (prefix === 'cover' || prefix === 'return') return (await paymentRequestsIn(tx).get(id))?.call ?? none
  return none
}

type LedgerLine = Awaited<ReturnType<Ledger['statement']>>['lines'][number]

const toLine = async (
  tx: Tx,
  ledger: Ledger,
  book: Book,
  { entry, time, memo, amount }: LedgerLine,
): Promise<StatementLine> => {
  const [prefix = '', id = ''] = entry.split(':')
  const isPerson = bookKind(book) === personKind
  const call = isPerson ? await readCall(tx, prefix, id) : none
  const [service = null, tool = null] = prefix === 'cover' || prefix === 'capture' ? memo.split('.') : []
  const { name, format } = writtenUnits[book.unit]
  return {
    created_at: time,
    book: toBookName(book),
    service: call.service ?? service ?? (isPerson ? null : bookKind(book)),
    kind: toStatementKind(entry, amount.value < 0n),
    tool: call.tool ?? tool,
    client: call.client,
    amount: format(amount.value),
    unit: name,
    receipt: prefix === 'cover' ? await findReceipt(tx, ledger, id) : hasReceipt(entry) ? id : null,
    entry,
    memo,
  }
}

/** The name of a book in statements: `account` for that of a person, else its service and its account there. */
export const toBookName = (book: Book): string =>
  bookKind(book) === personKind ? personKind : book.account.slice('agent:'.length)

/** Where each book is read on, null where it ends. */
type Position = Readonly<Record<string, string | null>>

const badCursor = (cause?: unknown): ToolError =>
  new ToolError('invalid_input', 'after: not a page of this statement.', {
    issues: [{ path: 'after', message: 'not a page of this statement' }],
    cause,
  })

const parsePosition = (after: string | undefined): Position => {
  if (after === undefined) return {}
  try {
    const position: unknown = JSON.parse(Buffer.from(after, 'base64url').toString())
    const entries = Object.entries(position as object)
    if (entries.every(([, at]) => at === null || typeof at === 'string')) return Object.fromEntries(entries)
  } catch (cause) {
    throw badCursor(cause)
  }
  throw badCursor()
}

/** Times that a filter reads on before it answers with what it has. */
const maxReads = 20

type Query = Parameters<Books['statement']>[2]

/** One page of movements of all books, the newest first. */
const readPage = async (
  tx: Tx,
  ledger: Ledger,
  books: readonly Book[],
  limit: number,
  position: Position,
): Promise<{ lines: { book: Book; line: LedgerLine }[]; position: Position | undefined }> => {
  const read = ({ account, unit }: Book, count: number, after: string | null | undefined) =>
    ledger
      .statement(tx, unit, account, { limit: count, ...(after != null && { after }) })
      .catch((cause: unknown) => {
        throw cause instanceof BadCursor ? badCursor(cause) : cause
      })
  const pages = await Promise.all(
    books.map(async book => {
      const after = position[book.account]
      return {
        book,
        after,
        ...(after === null ? { lines: [], next: undefined } : await read(book, limit, after)),
      }
    }),
  )
  const lines = pages
    .flatMap(({ book, lines }) => lines.map(line => ({ book, line })))
    .sort((one, other) => other.line.time.localeCompare(one.line.time))
    .slice(0, limit)
  const next: Record<string, string | null> = {}
  for (const { book, after, lines: read_, next: end } of pages) {
    const taken = lines.filter(line => line.book === book).length
    // A page of which only a part is taken is read on in its middle.
    const at = taken === read_.length ? end : taken === 0 ? after : (await read(book, taken, after)).next
    if (taken < read_.length && taken === 0 && after == null) continue
    next[book.account] = at ?? null
  }
  const isOver = books.every(({ account }) => next[account] === null)
  return { lines, position: isOver ? undefined : next }
}

/** Movements of books, the newest first, page by page; a filter leaves out those of other services and tools. */
export const listStatementLines = async (
  tx: Tx,
  ledger: Ledger,
  books: readonly Book[],
  { limit, after, service, tool }: Query,
): Promise<{ lines: StatementLine[]; next: string | null }> => {
  const found: StatementLine[] = []
  let position: Position | undefined = parsePosition(after)
  for (let reads = 0; position && found.length < limit && reads < maxReads; reads++) {
    const page = await readPage(tx, ledger, books, limit - found.length, position)
    const lines = await Promise.all(page.lines.map(({ book, line }) => toLine(tx, ledger, book, line)))
    for (const line of lines)
      if ((service === undefined || line.service === service) && (tool === undefined || line.tool === tool))
        found.push(line)
    position = page.position
  }
  const next = position && Buffer.from(JSON.stringify(position)).toString('base64url')
  return { lines: found, next: next ?? null }
}

const columns = [
  'created_at',
  'book',
  'service',
  'kind',
  'tool',
  'client',
  'amount',
  'unit',
  'receipt',
  'entry',
] as const

const pageLines = 500

/** The whole statement as CSV, the newest first, page by page. */
export async function* writeStatement(
  tx: Tx,
  ledger: Ledger,
  books: readonly Book[],
  filter: Pick<Query, 'service' | 'tool'> = {},
): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`
  for (let after: string | null | undefined; after !== null; ) {
    const page = { limit: pageLines, ...filter, ...(after !== undefined && { after }) }
    const { lines, next }: Awaited<ReturnType<typeof listStatementLines>> = await listStatementLines(
      tx,
      ledger,
      books,
      page,
    )
    yield lines.map(line => toCsvRow(columns, line, ['client'])).join('')
    after = next
  }
}
