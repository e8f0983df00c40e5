import { randomBytes } from 'node:crypto'
import { collection } from '../kernel/collection.ts'

/** A person's account, one for all services. Nobody knows its name: keys sign in to it. */
export type Account = {
  /** `acct_` and 24 hexadecimal digits. */
  id: string
  /** The owner's name for it; shown to nobody else. */
  name: string | null
  created_at: string
  /** Day of the last sign-in, `2026-01-31`. */
  last_used: string
}

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

const keyIndexes = [{ name: 'account', fields: ['account'] }]

export const accountsIn = collection<Account>({
  name: 'accounts',
  budget: {
    what: 'accounts of people',
    network: { rows: 2000, bytes: 2 << 20 },
    allBytes: 64 << 20,
    ends: 'An account stays until its owner deletes it.',
  },
})
export const accountKeysIn = collection<AccountKey>({
  name: 'accounts.keys',
  indexes: keyIndexes,
  bounded: 'A few for each account.',
})

export const newAccountId = (): string => `acct_${randomBytes(12).toString('hex')}`

/** The unit of an account's balance: millionths of a dollar. */
export const balanceUnit = 'USDC' as const

/** An account's name in the ledger. */
export const toWallet = (account: string) => `agent:account:${account}` as const
