import { ToolError } from '../kernel/error.ts'
import { type AccountKey, accountKeysIn } from '../kernel/person.ts'
import { clean } from '../lib/text/clean.ts'
import { formatUsd } from '../lib/usd.ts'
import type { Tx } from '../ports/store/port.ts'
import { type Account, accountsIn, balanceUnit, toWallet } from './account.ts'
import { formatMoney } from './amount.ts'
import type { AccountDeps } from './deps.ts'
import { limitsIn } from './limits.ts'
import { type BrowserSession, browserSessionsIn } from './session.ts'

type Deps = Pick<AccountDeps, 'store'>

/** Longest name of an account or of a key, in characters. */
const maxName = 60

/** Reads a name from a person as one line; null for nothing. */
export const readName = (text: unknown): string | null => clean(text, maxName)

export const findAccount = ({ store }: Deps, id: string): Promise<Account | undefined> =>
  accountsIn(store).get(id)

/** The keys of an account, the oldest first. */
export const listKeys = async (tx: Pick<Tx, 'collection'>, account: string): Promise<AccountKey[]> => {
  const { rows } = await accountKeysIn(tx).find({ index: 'account', where: { account }, limit: 1000 })
  return rows.sort((a, b) => a.created_at.localeCompare(b.created_at))
}

/** The browsers that are signed in to an account, the newest first. */
export const listSessions = async (
  tx: Pick<Tx, 'collection'>,
  account: string,
): Promise<BrowserSession[]> => {
  const { rows } = await browserSessionsIn(tx).find({ index: 'account', where: { account }, limit: 1000 })
  return rows.sort((a, b) => b.created_at.localeCompare(a.created_at))
}

export const nameAccount = ({ store }: Deps, account: string, name: string | null): Promise<unknown> =>
  accountsIn(store).update(account, row => ({ ...row, name }))

const noKey = (): ToolError =>
  new ToolError('not_found', 'Your account has no such key.', { hint: 'It may have been removed just now.' })

/** Calls a key something else. */
export const nameKey = async ({ store }: Deps, account: string, id: string, name: string | null) => {
  if (name === null) throw new ToolError('invalid_input', 'name: say what to call the key.')
  await store.transaction(async tx => {
    const key = await accountKeysIn(tx).get(id)
    if (key?.account !== account) throw noKey()
    await accountKeysIn(tx).put({ ...key, name })
  })
}

/** Takes a key away, never the last one, and ends what it signed in. */
export const removeKey = ({ store }: Deps, account: string, id: string): Promise<void> =>
  store.transaction(async tx => {
    const keys = await listKeys(tx, account)
    if (!keys.some(key => key.id === id)) throw noKey()
    if (keys.length === 1)
      throw new ToolError(
        'conflict',
        'This is the last key of your account: without it nobody could sign in.',
        {
          hint: 'Add another key first, or delete the account.',
        },
      )
    await accountKeysIn(tx).delete(id)
    for (const session of await listSessions(tx, account))
      if (session.key === id) await browserSessionsIn(tx).delete(session.id)
  })

/** Signs browsers out: one by its id, or all. */
export const endSessions = ({ store }: Deps, account: string, id?: string): Promise<void> =>
  store.transaction(async tx => {
    for (const session of await listSessions(tx, account))
      if (id === undefined || session.id === id) await browserSessionsIn(tx).delete(session.id)
  })

type ObstacleDeps = Pick<AccountDeps, 'ledger' | 'parts' | 'keys' | 'serviceBooks'>
type RemovalDeps = ObstacleDeps & Pick<AccountDeps, 'store' | 'clients'>

/** Lists obstacles to deletion, in sentences for the owner. Money is one: whoever deletes would lose it. */
export const listObstacles = async (
  { ledger, parts = [], keys, serviceBooks = [] }: ObstacleDeps,
  tx: Tx,
  account: string,
): Promise<string[]> => {
  const { total, held } = await ledger.balance(tx, balanceUnit, toWallet(account))
  const obstacles: string[] = []
  if (held.value > 0n)
    obstacles.push(`${formatUsd(held.value)} USD of the balance are held for calls that are under way.`)
  if (total.value > 0n) obstacles.push(`There are ${formatUsd(total.value)} USD on the balance.`)
  if (total.value < 0n) obstacles.push(`The balance owes ${formatUsd(-total.value)} USD.`)
  // A profile leads to nobody afterwards. What a wallet has at a service stays the wallet's.
  for (const { prefix, holder } of (await keys.listOf(tx, account)).profiles)
    for (const { slug, name, unit } of serviceBooks.filter(book => book.prefix === prefix)) {
      const { total } = await ledger.balance(tx, unit, `agent:${slug}:${holder}`)
      if (total.value !== 0n) obstacles.push(`${name} has ${formatMoney(unit, total.value)} of yours.`)
    }
  for (const { blocks } of parts) {
    const obstacle = await blocks?.(tx, account)
    if (obstacle !== undefined) obstacles.push(obstacle)
  }
  return obstacles
}

/**
 * Deletes an account: its clients lose their access, then name, keys, sessions and limits go in one transaction. What bookkeeping keeps
 * stays under its id: entries of the ledger, receipts. `conflict` with what is in the way while there is money.
 */
export const deleteAccount = async (deps: RemovalDeps, account: string): Promise<void> => {
  const { store, clients, parts = [] } = deps
  const refuseWithMoney = async (tx: Tx): Promise<void> => {
    if (!(await accountsIn(tx).get(account))) throw new ToolError('not_found', 'There is no such account.')
    const obstacles = await listObstacles(deps, tx, account)
    if (obstacles.length > 0)
      throw new ToolError('conflict', `The account cannot be deleted yet. ${obstacles.join(' ')}`, {
        hint: 'Spend it or take it back first.',
      })
  }
  await store.transaction(refuseWithMoney)
  await clients?.disconnectAll(account)
  await store.transaction(async tx => {
    await refuseWithMoney(tx)
    for (const { remove } of parts) await remove?.(tx, account)
    for (const { id } of await listKeys(tx, account)) await accountKeysIn(tx).delete(id)
    for (const { id } of await listSessions(tx, account)) await browserSessionsIn(tx).delete(id)
    const limits = await limitsIn(tx).find({ index: 'account', where: { account }, limit: 1000 })
    for (const { id } of limits.rows) await limitsIn(tx).delete(id)
    await accountsIn(tx).delete(account)
  })
  // A client that was let in meanwhile.
  await clients?.disconnectAll(account)
}
