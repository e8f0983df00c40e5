import { ToolError } from '../kernel/error.ts'
import { accountsIn } from './account.ts'
import { writtenUnits } from './amount.ts'
import { loadBook } from './books.ts'
import type { AccountDeps } from './deps.ts'
import { limitsIn } from './limits.ts'
import { listKeys, listSessions } from './manage.ts'
import { listOwnBooks, type OwnBook } from './own-books.ts'
import { listStatementLines } from './statement.ts'

type Deps = Pick<AccountDeps, 'store' | 'ledger' | 'clock' | 'clients' | 'parts' | 'keys' | 'serviceBooks'>

/** How many lines of a statement are read at a time. */
const pageLines = 500

const readBook = async ({ store, ledger }: Deps, { book, name }: OwnBook) => {
  const { total, held, debt } = await loadBook(store, ledger, book)
  const { name: unit, format } = writtenUnits[book.unit]
  return { book: name, unit, total: format(total), held: format(held), debt: format(debt) }
}

const readFacts = async (deps: Deps, id: string, books: readonly OwnBook[]) => {
  const { store, clock, clients, parts = [] } = deps
  const account = await accountsIn(store).get(id)
  if (!account) throw new ToolError('not_found', 'There is no such account.')
  const limits = await limitsIn(store).find({ index: 'account', where: { account: id }, limit: 1000 })
  const more: Record<string, unknown> = {}
  for (const { name, read } of parts) more[name] = await read(id)
  return {
    exported_at: clock.now().toISOString(),
    account,
    keys: await listKeys(store, id),
    sessions: (await listSessions(store, id)).map(({ account: _, ...session }) => session),
    clients: (await clients?.list(id)) ?? [],
    limits: limits.rows,
    books: await Promise.all(books.map(book => readBook(deps, book))),
    ...more,
  }
}

/**
 * Everything that is stored about an account, as the pieces of one JSON text, with the statement of all its books: however long that is, one
 * page of it is in memory. Throws `not_found` with the first piece.
 */
export async function* exportAccount(deps: Deps, id: string): AsyncGenerator<string> {
  const books = await listOwnBooks(deps, id)
  const facts = JSON.stringify(await readFacts(deps, id, books), null, 2)
  yield `${facts.slice(0, -2)},\n  "statement": [`
  let separator = '\n'
  for (let after: string | null | undefined; after !== null; ) {
    const page: Awaited<ReturnType<typeof listStatementLines>> = await listStatementLines(
      deps.store,
      deps.ledger,
      books.map(({ book }) => book),
      { limit: pageLines, ...(after !== undefined && { after }) },
    )
    for (const line of page.lines) {
      yield `${separator}    ${JSON.stringify(line)}`
      separator = ',\n'
    }
    after = page.next
  }
  yield '\n  ]\n}\n'
}
