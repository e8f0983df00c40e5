import { randomBytes } from 'node:crypto'
import type { NewKey } from '../../../ports/keys/port.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { newId } from '../id.ts'
import { type Account, accountsIn, keyPrefix } from './account.ts'

type NewAccount = {
  now: Date
  /** Digest of the network address; a person who signed in is counted by no address. */
  origin?: string
  isPerson?: boolean
  /** The first payment, where that opens the account. */
  paid?: { wallet: string; receipt: string }
  registration?: string | undefined
}

/** Makes an account and its key, which nobody can show again. */
export const openAccount = async (
  tx: Tx,
  keys: Ports['keys'],
  { now, origin, isPerson = false, paid, registration }: NewAccount,
): Promise<{ account: Account } & NewKey> => {
  const account: Account = {
    id: newId('acc', now),
    handle: randomBytes(6).toString('hex'),
    origin: origin ?? null,
    registration: registration ?? null,
    wallet: paid?.wallet ?? null,
    opened_by: paid?.receipt ?? null,
    contact_name: null,
    contact_email: null,
    contact_url: null,
    deal_route: null,
    route_protocol_binding: null,
    agent_card_url: null,
    funded: false,
    free_listings_used: 0,
    granted_domain: null,
    challenge: randomBytes(20).toString('base64url'),
    created_at: now.toISOString(),
  }
  if (!(await accountsIn(tx).insert(account))) throw new Error('an account id or handle came up twice')
  // A person has a key when they make one.
  if (isPerson) return { account, api_key: '', key_preview: '' }
  return { account, ...(await keys.issue(tx, { prefix: keyPrefix, holder: account.id, now })) }
}
