import { randomBytes } from 'node:crypto'
import { collection } from '../../../kernel/collection.ts'
import type { Ports } from '../../../ports/index.ts'

/** Who pays calls ahead. Its money is in the ledger. */
export type Account = {
  /** 24 hexadecimal digits. */
  id: string
  label: string | null
  key_hash: string
  /** The first characters of the key, to recognise it by. */
  key_preview: string
  /** The person who signs in to it, where it is one that nobody registered. */
  person?: string
  created_at: string
  /** UTC date of the last call with its key, written once a day; null for one that was never used. */
  used_on: string | null
}

const indexes = [
  { name: 'key', fields: ['key_hash'], unique: true },
  { name: 'use', fields: ['used_on', 'created_at'] },
  { name: 'person', fields: ['person'], unique: true },
] as const

export const accountsIn = collection<Account>({
  name: 'proof.accounts',
  indexes,
  budget: {
    what: 'accounts',
    network: { rows: 400, bytes: 1 << 20 },
    allBytes: 32 << 20,
    ends: 'An account that is not used and holds nothing is dropped after 90 days.',
  },
})

export const keyPrefix = 'prf'

/** A new key, and what of it is stored. */
export const makeKey = (keys: Ports['keys']) => {
  const api_key = keys.make(keyPrefix)
  return { api_key, key_hash: keys.hash(api_key), key_preview: `${api_key.slice(0, 8)}…` }
}

export const newAccountId = (): string => randomBytes(12).toString('hex')
