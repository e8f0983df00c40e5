import { ToolError } from '../kernel/error.ts'
import { type AccountKey, accountKeysIn } from '../kernel/person.ts'
import type { Tx } from '../ports/store/port.ts'
import { accountsIn, newAccountId } from './account.ts'
import type { AccountDeps } from './deps.ts'
import { refuseFrozen } from './freeze.ts'
import { type BrowserSession, browserSessionsIn, closeSession, openSession } from './session.ts'

type Deps = Pick<AccountDeps, 'store' | 'clock' | 'countRegistration'>

/** The browser that signs in: where it calls from, and the session that it had before. */
export type SignInBrowser = { address: string | undefined; previousToken: string | undefined }

/** A key that has just proved itself. */
export type ProvenKey = Pick<AccountKey, 'id' | 'kind' | 'name' | 'passkey'>

/** Keys that an account may have. */
const maxKeys = 10

/** Browsers that may be signed in to one account at once; the oldest session gives way. */
const maxSessions = 20

const toDay = (now: Date): string => now.toISOString().slice(0, 10)

/** Opens a session under a new token and ends the one that the browser had: nobody's earlier token becomes a signed-in one. */
const enter = async (
  tx: Tx,
  key: Pick<AccountKey, 'id' | 'account'>,
  previousToken: string | undefined,
  now: Date,
): Promise<string> => {
  if (previousToken !== undefined) await closeSession(tx, previousToken)
  const { rows } = await browserSessionsIn(tx).find({
    index: 'account',
    where: { account: key.account },
    limit: 1000,
  })
  const oldestFirst = rows.sort((a, b) => a.created_at.localeCompare(b.created_at))
  for (const { id } of oldestFirst.slice(0, Math.max(0, rows.length - maxSessions + 1)))
    await browserSessionsIn(tx).delete(id)
  return openSession(tx, { account: key.account, key: key.id }, now)
}

/** A key proves itself for the account that is signed in, and belongs to another or to none. */
export const isOfAnother = (): ToolError =>
  new ToolError('conflict', 'This is no key of the account that you are signed in to.', {
    hint: 'Use one of its keys, or sign out and sign in to the other account.',
  })

const unknownKey = (): ToolError =>
  new ToolError('unauthenticated', 'This key belongs to no account here.', {
    reason: 'unknown_key',
    hint: 'It was removed, or its account was deleted. Use another key, or create an account.',
  })

type KnownKey = {
  id: string
  /** Counter of a passkey's uses. */
  counter?: number
  /** The account that it must be of. */
  account?: string | undefined
}

/** Signs a browser in by a key that is known; what its cookie is to hold. */
export const signInByKey = async (
  { store, clock }: Pick<AccountDeps, 'store' | 'clock'>,
  { id, counter, account }: KnownKey,
  { previousToken }: Pick<SignInBrowser, 'previousToken'>,
): Promise<string> => {
  const now = clock.now()
  return store.transaction(async tx => {
    const key = await accountKeysIn(tx).get(id)
    if (!key) throw unknownKey()
    if (account !== undefined && key.account !== account) throw isOfAnother()
    await refuseFrozen(tx, key.account)
    const { passkey } = key
    const hasStoodStill = passkey && counter !== undefined && counter <= passkey.counter
    if (hasStoodStill && counter + passkey.counter > 0)
      throw new ToolError('unauthenticated', 'This passkey has counted fewer uses than are known here.', {
        hint: 'It may have been copied: sign in with another key and remove it.',
      })
    await accountKeysIn(tx).put({
      ...key,
      last_used: now.toISOString(),
      ...(passkey && counter !== undefined && { passkey: { ...passkey, counter } }),
    })
    await accountsIn(tx).update(key.account, account => ({ ...account, last_used: toDay(now) }))
    return enter(tx, key, previousToken, now)
  })
}

const isTaken = (): ToolError =>
  new ToolError('conflict', 'This key already belongs to an account here.', {
    hint: 'Sign in with it, or remove it there first.',
  })

/** Makes an account with its first key and signs the browser in, all or nothing; what its cookie is to hold. */
export const createAccount = async (
  { store, clock, countRegistration }: Deps,
  { key, account = newAccountId(), name = null }: { key: ProvenKey; account?: string; name?: string | null },
  { address, previousToken }: SignInBrowser,
): Promise<string> => {
  const now = clock.now()
  const created_at = now.toISOString()
  return store.transaction(async tx => {
    const row = { ...key, account, created_at, last_used: created_at }
    if (!(await accountKeysIn(tx).insert(row))) throw isTaken()
    await countRegistration(tx, address)
    const isNew = await accountsIn(tx).insert({ id: account, name, created_at, last_used: toDay(now) })
    if (!isNew) throw isTaken()
    return enter(tx, row, previousToken, now)
  })
}

/** Lets a further key sign in to the account of a session. `conflict` where it belongs to an account, or where there are ten. */
export const addKey = async (
  { store, clock }: Pick<AccountDeps, 'store' | 'clock'>,
  { id, account }: Pick<BrowserSession, 'id' | 'account'>,
  key: ProvenKey,
): Promise<void> => {
  const created_at = clock.now().toISOString()
  await store.transaction(async tx => {
    const isThere =
      (await browserSessionsIn(tx).get(id))?.account === account && (await accountsIn(tx).get(account))
    if (!isThere) throw new ToolError('unauthenticated', 'You are signed out.', { hint: 'Sign in again.' })
    const count = await accountKeysIn(tx).count({ index: 'account', where: { account } })
    if (count >= maxKeys)
      throw new ToolError('conflict', `An account has ${maxKeys} keys at most.`, {
        hint: 'Remove one that you do not use.',
      })
    if (!(await accountKeysIn(tx).insert({ ...key, account, created_at, last_used: created_at })))
      throw isTaken()
  })
}
