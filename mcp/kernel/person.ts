import type { ApiKey, KeyHolder } from '../ports/keys/port.ts'
import type { Tx } from '../ports/store/port.ts'
import { collection } from './collection.ts'
import { ToolError } from './error.ts'

export const apiKeysIn = collection<ApiKey>({
  name: 'accounts.api_keys',
  indexes: [
    { name: 'holder', fields: ['prefix', 'holder', 'created_at'] },
    { name: 'unused', fields: ['prefix', 'used_on', 'created_at'] },
    { name: 'person', fields: ['person', 'created_at'] },
    { name: 'preview', fields: ['preview'] },
  ],
  bounded: 'A few for each account, which has a budget of its service.',
})

/** The refusal of whoever acts for an account that the operator froze. */
export const isFrozen = (): ToolError =>
  new ToolError('forbidden', 'This account is frozen.', {
    reason: 'account_frozen',
    hint: 'Ask the operator of this installation.',
  })

/** Whom a person is at a service. `id` is the prefix of its keys and the person. */
export type Profile = KeyHolder & { id: string; person: string }

export const profilesIn = collection<Profile>({
  name: 'accounts.profiles',
  indexes: [
    { name: 'person', fields: ['person'] },
    { name: 'holder', fields: ['prefix', 'holder'], unique: true },
  ],
  bounded: 'One for each person and service that they call.',
})

/** A key that signs in to an account: a passkey (WebAuthn) or an Ethereum wallet. */
export type AccountKey = {
  /**
   * `passkey:<credential id, base64url>`; `wallet:<address in lower case>` of a key, or `wallet:<chain id>:<address>` of a smart account,
   * whose address may be somebody else's on another chain.
   */
  id: string
  account: string
  kind: 'passkey' | 'wallet'
  /** The owner's name for it. */
  name: string
  created_at: string
  last_used: string
  passkey?: {
    /** COSE public key, base64url. */
    public_key: string
    counter: number
    transports: readonly string[]
    /** True when it is copied between devices. */
    is_synced: boolean
  }
}

export const accountKeysIn = collection<AccountKey>({
  name: 'accounts.keys',
  indexes: [{ name: 'account', fields: ['account'] }],
  bounded: 'A few for each account.',
})

/** The names under which a wallet signs in: a key on every chain, or a smart account on its own. */
const toSignInKeys = (holder: string): string[] => {
  const [, chain = '', address = ''] = /^eip155:(\d+):(0x[0-9a-f]{40})$/.exec(holder) ?? []
  return address === '' ? [] : [`wallet:${address}`, `wallet:${chain}:${address}`]
}

/** The person who signs in with the wallet of a name such as `eip155:8453:0x…`. */
export const findWalletOwner = async (
  tx: Pick<Tx, 'collection'>,
  wallet: string,
): Promise<string | undefined> => {
  for (const id of toSignInKeys(wallet)) {
    const key = await accountKeysIn(tx).get(id)
    if (key) return key.account
  }
  return undefined
}

/** The person whose account of a service this is: by profile, by a key that they claimed, or by a wallet that they sign in with. */
export const findPerson = async (
  tx: Pick<Tx, 'collection'>,
  { prefix, holder }: KeyHolder,
): Promise<string | undefined> => {
  const where = { prefix, holder }
  const [profile] = (await profilesIn(tx).find({ index: 'holder', where, limit: 1 })).rows
  if (profile) return profile.person
  const keys = await apiKeysIn(tx).find({ index: 'holder', where, limit: 20 })
  const claimed = keys.rows.find(({ person }) => person !== undefined)
  return claimed ? claimed.person : findWalletOwner(tx, holder)
}

/** True when two accounts of a service are one person's. */
export const areOfOnePerson = async (
  tx: Pick<Tx, 'collection'>,
  prefix: string,
  one: string,
  other: string,
): Promise<boolean> => {
  const person = await findPerson(tx, { prefix, holder: one })
  return person !== undefined && person === (await findPerson(tx, { prefix, holder: other }))
}

/** Addresses of wallets that sign in to an account, the oldest first: `<address>`, or `<chain id>:<address>` of a smart account. */
export const listWallets = async (
  tx: Pick<Tx, 'collection'>,
  account: string,
): Promise<readonly string[]> => {
  const { rows } = await accountKeysIn(tx).find({ index: 'account', where: { account }, limit: 100 })
  return rows
    .filter(({ kind }) => kind === 'wallet')
    .sort((one, other) => (one.created_at < other.created_at ? -1 : 1))
    .map(({ id }) => id.slice('wallet:'.length).toLowerCase())
}
