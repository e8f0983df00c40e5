import { ToolError } from '../kernel/error.ts'
import { accountsIn, balanceUnit, toWallet } from './account.ts'
import type { AccountDeps } from './deps.ts'
import { limitsIn } from './limits.ts'
import { listKeys, listSessions } from './manage.ts'

type Deps = Pick<AccountDeps, 'store' | 'ledger' | 'clock' | 'clients' | 'parts'>

/** How many lines of a statement are read at a time. */
const pageLines = 500

const readFacts = async ({ store, ledger, clock, clients, parts = [] }: Deps, id: string) => {
  const account = await accountsIn(store).get(id)
  if (!account) throw new ToolError('not_found', 'There is no such account.')
  const limits = await limitsIn(store).find({ index: 'account', where: { account: id }, limit: 1000 })
  const { total, held } = await ledger.balance(store, balanceUnit, toWallet(id))
  const more: Record<string, unknown> = {}
  for (const { name, read } of parts) more[name] = await read(id)
  return {
    exported_at: clock.now().toISOString(),
    account,
    keys: await listKeys(store, id),
    sessions: (await listSessions(store, id)).map(({ account: _, ...session }) => session),
    clients: (await clients?.list(id)) ?? [],
    limits: limits.rows,
    balance: { unit: balanceUnit, total: total.value.toString(), held: held.value.toString() },
    ...more,
  }
}

/**
 * Everything that is stored about an account, as the pieces of one JSON text: however long its statement is, one page of it is in memory.
 * Amounts are whole millionths of a dollar. Throws `not_found` with the first piece.
 */
export async function* exportAccount(deps: Deps, id: string): AsyncGenerator<string> {
  const facts = JSON.stringify(await readFacts(deps, id), null, 2)
  yield `${facts.slice(0, -2)},\n  "statement": [`
  let after: string | undefined
  let separator = '\n'
  do {
    const page = await deps.ledger.statement(deps.store, balanceUnit, toWallet(id), {
      order: 'asc',
      limit: pageLines,
      ...(after !== undefined && { after }),
    })
    for (const { entry, time, memo, amount } of page.lines) {
      yield `${separator}    ${JSON.stringify({ entry, time, memo, amount: amount.value.toString() })}`
      separator = ',\n'
    }
    after = page.next
  } while (after !== undefined)
  yield '\n  ]\n}\n'
}
