import { createHash, randomBytes } from 'node:crypto'
import { collection } from '../kernel/collection.ts'
import { ToolError } from '../kernel/error.ts'
import type { Clock } from '../ports/clock/port.ts'
import type { Store } from '../ports/store/port.ts'

/** Purpose of a key's proof: `prove` is a sign-in again, to the account that is signed in and to no other. */
export type Purpose = 'sign-in' | 'prove' | 'create' | 'add'

/** Text for one browser's key to sign, once, within five minutes. */
export type SignInChallenge = {
  id: string
  /** Hash of what the cookie of that browser holds. */
  browser: string
  kind: 'passkey' | 'wallet'
  purpose: Purpose
  /** 32 random bytes in base64url for a passkey; the whole message for a wallet. */
  text: string
  /** The account that a passkey is made for, that a key is added to, or that it must be of. */
  account?: string
  /** The session that adds a key or is renewed. */
  session?: string
  /** Name of a new account. */
  name?: string | null
  wallet?: { address: string; chain_id: number }
  expires_at: string
}

const indexes = [{ name: 'expires', fields: ['expires_at'] }]

export const challengesIn = collection<SignInChallenge>({
  name: 'accounts.challenges',
  indexes,
  budget: {
    what: 'sign-ins under way',
    network: { rows: 2000, bytes: 4 << 20 },
    allBytes: 32 << 20,
    ends: 'A sign-in is over after five minutes.',
  },
})

/** How long a challenge is good. */
export const challengeSeconds = 5 * 60

const hash = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Makes the cookie value of a browser that is signing in. */
export const newBrowserToken = (): string => randomBytes(32).toString('base64url')

/** Names a challenge; 128 random bits. */
export const newChallengeId = (): string => randomBytes(16).toString('hex')

/** Keeps a challenge for one browser. */
export const keepChallenge = async (
  { store, clock }: { store: Store; clock: Clock },
  browser: string,
  challenge: Omit<SignInChallenge, 'browser' | 'expires_at'>,
): Promise<void> => {
  const expires_at = new Date(clock.now().getTime() + challengeSeconds * 1000).toISOString()
  await challengesIn(store).insert({ ...challenge, browser: hash(browser), expires_at })
}

const isOver = (): ToolError =>
  new ToolError(
    'gone',
    'This attempt is over: it was used, is older than five minutes, or began elsewhere.',
    {
      hint: 'Start again.',
    },
  )

/**
 * Takes a challenge away, before anything is verified: whatever comes of it, it is used. `gone` for one that is over, that another
 * browser began, or that is of another kind.
 */
export const takeChallenge = async (
  { store, clock }: { store: Store; clock: Clock },
  id: string,
  browser: string | undefined,
  kind: SignInChallenge['kind'],
): Promise<SignInChallenge> => {
  if (browser === undefined) throw isOver()
  const challenge = await challengesIn(store).get(id)
  if (challenge?.browser !== hash(browser) || challenge.kind !== kind) throw isOver()
  // One of two that come at once finds it here.
  const isTaken = await challengesIn(store).delete(id)
  if (!isTaken || challenge.expires_at <= clock.now().toISOString()) throw isOver()
  return challenge
}
