import { randomBytes } from 'node:crypto'
import { collection } from '../../../kernel/collection.ts'

/** Prepaid account. Its money is in the ledger. */
export type Account = {
  /** 24 hexadecimal digits. */
  id: string
  label: string | null
  created_at: string
}

export const accountsIn = collection<Account>({
  name: 'proof.accounts',
  budget: {
    what: 'accounts',
    network: { rows: 400, bytes: 1 << 20 },
    allBytes: 32 << 20,
    ends: 'An account that is not used and holds nothing is dropped after 90 days.',
  },
})

export const keyPrefix = 'prf'

export const newAccountId = (): string => randomBytes(12).toString('hex')
