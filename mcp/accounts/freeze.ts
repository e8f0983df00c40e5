import { ToolError } from '../kernel/error.ts'
import { accountKeysIn, apiKeysIn, findPerson, isFrozen } from '../kernel/person.ts'
import type { Tx } from '../ports/store/port.ts'
import { type Account, accountsIn } from './account.ts'
import type { AccountDeps } from './deps.ts'
import { listSessions } from './manage.ts'
import { browserSessionsIn } from './session.ts'

/** Throws `forbidden` for an account that the operator froze. */
export const refuseFrozen = async (tx: Pick<Tx, 'collection'>, account: string): Promise<void> => {
  if ((await accountsIn(tx).get(account))?.frozen_at) throw isFrozen()
}

/**
 * Freezes an account: its browsers are signed out, its clients lose their access, nobody signs in to it, and its keys at all services are
 * refused. Its money and what it keeps stay. Thawed, its keys work again; clients sign in anew.
 */
export const setFrozen = async (
  { store, keys, clock, clients }: Pick<AccountDeps, 'store' | 'keys' | 'clock' | 'clients'>,
  account: string,
  freeze: boolean,
): Promise<void> => {
  await store.transaction(async tx => {
    const frozen_at = freeze ? clock.now().toISOString() : null
    if (!(await accountsIn(tx).update(account, row => ({ ...row, frozen_at }))))
      throw new ToolError('not_found', 'There is no such account.')
    await keys.hold(tx, account, freeze)
    if (freeze) for (const { id } of await listSessions(tx, account)) await browserSessionsIn(tx).delete(id)
  })
  if (freeze) await clients?.disconnectAll(account)
}

const pageSize = 20

const previewLength = 8

const ownersOf = async (tx: Pick<Tx, 'collection'>, text: string): Promise<(string | undefined)[]> => {
  if (/^acct_[0-9a-f]{24}$/.test(text)) return [text]
  const wallet = /^(?:eip155:)?((?:\d+:)?0x[0-9a-f]{40})$/.exec(text.toLowerCase())?.[1]
  if (wallet) return [(await accountKeysIn(tx).get(`wallet:${wallet}`))?.account]
  const preview = `${text.slice(0, previewLength)}…`
  const { rows } = await apiKeysIn(tx).find({ index: 'preview', where: { preview }, limit: pageSize })
  return Promise.all(rows.map(async key => key.person ?? (await findPerson(tx, key))))
}

/** Accounts of an id, of a wallet that signs in, or of a key that begins so; without words all, the newest first. */
export const findAccounts = async (
  { store }: Pick<AccountDeps, 'store'>,
  { text, after }: { text?: string | undefined; after?: string | undefined },
): Promise<{ rows: Account[]; next: string | undefined }> => {
  if (text === undefined)
    return accountsIn(store).find({
      index: 'created',
      order: 'desc',
      limit: pageSize,
      ...(after !== undefined && { after }),
    })
  const owners = new Set(await ownersOf(store, text))
  const rows = await Promise.all([...owners].map(id => id && accountsIn(store).get(id)))
  return { rows: rows.filter(row => typeof row === 'object'), next: undefined }
}
