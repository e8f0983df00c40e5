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
  /** Since when the operator keeps it from acting. */
  frozen_at?: string | null
}

export const accountsIn = collection<Account>({
  name: 'accounts',
  indexes: [{ name: 'created', fields: ['created_at'] }],
  budget: {
    what: 'accounts of people',
    network: { rows: 2000, bytes: 2 << 20 },
    allBytes: 64 << 20,
    ends: 'An account stays until its owner deletes it.',
  },
})
export const newAccountId = (): string => `acct_${randomBytes(12).toString('hex')}`

/** The unit of an account's balance: millionths of a dollar. */
export const balanceUnit = 'USDC' as const

/** An account's name in the ledger. */
export const toWallet = (account: string) => `agent:account:${account}` as const
