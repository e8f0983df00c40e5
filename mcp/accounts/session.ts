import { createHash, randomBytes } from 'node:crypto'
import { collection } from '../kernel/collection.ts'
import type { Clock } from '../ports/clock/port.ts'
import type { Store, Tx } from '../ports/store/port.ts'

/** A browser that is signed in. Its id is the hash of what the cookie holds. */
export type BrowserSession = {
  id: string
  account: string
  /** The key that signed in. */
  key: string
  created_at: string
  expires_at: string
}

const indexes = [
  { name: 'account', fields: ['account'] },
  { name: 'expires', fields: ['expires_at'] },
]

export const browserSessionsIn = collection<BrowserSession>({
  name: 'accounts.sessions',
  indexes,
  bounded: 'Each takes a key that signs in; over after a day. Sign-ins have a budget.',
})

const hash = (token: string): string => createHash('sha256').update(token).digest('hex')

/** How long a browser stays signed in. */
export const sessionSeconds = 24 * 60 * 60

/** Signs a browser in; what its cookie is to hold, which is kept nowhere. */
export const openSession = async (
  tx: Tx,
  { account, key }: Pick<BrowserSession, 'account' | 'key'>,
  now: Date,
): Promise<string> => {
  const token = randomBytes(32).toString('base64url')
  await browserSessionsIn(tx).insert({
    id: hash(token),
    account,
    key,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + sessionSeconds * 1000).toISOString(),
  })
  return token
}

/** The session that a cookie names; undefined for one that is over, or was never. */
export const readSession = async (
  { store, clock }: { store: Store; clock: Clock },
  token: string,
): Promise<BrowserSession | undefined> => {
  const session = await browserSessionsIn(store).get(hash(token))
  return session && session.expires_at > clock.now().toISOString() ? session : undefined
}

/** Signs a browser out. */
export const closeSession = (tx: Tx, token: string): Promise<boolean> =>
  browserSessionsIn(tx).delete(hash(token))

/** How long a sign-in counts as a proof that the person is there: to change keys, and to delete. */
const freshSeconds = 5 * 60

/** True when a session is of a sign-in a moment ago. */
export const isFresh = ({ created_at }: Pick<BrowserSession, 'created_at'>, now: Date): boolean =>
  now.getTime() - Date.parse(created_at) <= freshSeconds * 1000
