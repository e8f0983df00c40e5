import { randomBytes } from 'node:crypto'
import { collection } from '../kernel/collection.ts'
import { ToolError } from '../kernel/error.ts'
import type { Claimed } from '../ports/keys/port.ts'
import type { Ports } from '../ports/ports.ts'
import type { Json, Store, Tx } from '../ports/store/port.ts'
import { accountsIn } from './account.ts'
import type { AccountDeps, AccountPart } from './deps.ts'
import { listPersonalKeys, personalPrefix } from './personal-keys.ts'

/** That a person made the account of a key one of theirs: what they have of it as a receipt. */
export type AccountClaim = {
  id: string
  account: string
  prefix: string
  holder: string
  preview: string
  at: string
}

const claimsIn = collection<AccountClaim>({
  name: 'accounts.claims',
  indexes: [{ name: 'account', fields: ['account', 'at'] }],
  bounded: 'One for each key that a person claims, which takes the key.',
})

/**
 * Makes the account of an API key one of a person's, once: both keep their history and their books. Throws `not_found` for nobody's key,
 * `conflict` for one that is another person's.
 */
export const claimAccountKey = (
  { store, clock, keys }: Pick<AccountDeps, 'store' | 'clock' | 'keys'>,
  account: string,
  key: string,
): Promise<Claimed> =>
  store.transaction(async tx => {
    if (!(await accountsIn(tx).get(account))) throw new ToolError('not_found', 'There is no such account.')
    if (key.trim().startsWith(`${personalPrefix}_`))
      throw new ToolError('conflict', 'This is a key of a person, for all services: it cannot be claimed.')
    const now = clock.now()
    const claimed = await keys.claim(tx, { key: key.trim(), person: account, now })
    const { prefix, holder, preview } = claimed
    const id = `clm_${randomBytes(12).toString('hex')}`
    if (claimed.isNew)
      await claimsIn(tx).insert({ id, account, prefix, holder, preview, at: now.toISOString() })
    return claimed
  })

export const listClaims = async (tx: Tx, account: string): Promise<AccountClaim[]> =>
  (await claimsIn(tx).find({ index: 'account', where: { account }, limit: 1000 })).rows

/** A person's profiles at services: part of the export, leading to nobody once the account is deleted. */
export const profilesPart = ({ store, keys }: { store: Store; keys: Ports['keys'] }): AccountPart => ({
  name: 'services',
  async read(account) {
    const own = await keys.listOf(store, account)
    const apiKeys = own.keys.map(({ id: _, ...key }) => key)
    return { profiles: own.profiles, api_keys: apiKeys, claims: await listClaims(store, account) } as Json
  },
  async remove(tx, account) {
    for (const { holder } of await listPersonalKeys({ keys }, tx, account))
      await keys.revoke(tx, { prefix: personalPrefix, holder })
    await keys.release(tx, account)
    for (const { id } of await listClaims(tx, account)) await claimsIn(tx).delete(id)
  },
})
