import { randomBytes } from 'node:crypto'
import { collection } from '../../../kernel/collection.ts'
import { ToolError } from '../../../kernel/error.ts'
import { findPerson, listWallets } from '../../../kernel/person.ts'
import { link, profile } from '../../../kernel/service.ts'
import type { Context } from '../../../kernel/tool.ts'
import { canonicalAddress } from '../../../lib/chain-address.ts'
import { newId } from '../../../lib/new-id.ts'
import type { NewKey } from '../../../ports/keys/port.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
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

/** A registration that came with a key and can be repeated; `id` is a digest of the client and its key. */
type Registration = { id: string; account: string }

export const registrationsIn = collection<Registration>({
  name: 'broker.registrations',
  bounded: 'One for each account that a repeatable registration made.',
})

/** The accounts that payments of these wallets opened. */
export const findWalletAccounts = async (
  tx: Pick<Tx, 'collection'>,
  wallets: readonly string[],
): Promise<string[]> => {
  const pages = await Promise.all(
    wallets.map(name => {
      const wallet = name.slice(name.lastIndexOf(':') + 1)
      return accountsIn(tx).find({ index: 'wallet', where: { wallet }, limit: 1 })
    }),
  )
  return pages.flatMap(({ rows }) => rows.map(({ id }) => id))
}

const personProfile = profile({
  prefix: keyPrefix,
  via: 'apiKey',
  has: async (tx, id) => (await accountsIn(tx).get(id)) !== undefined,
  async create(tx, { keys, clock }, person) {
    for (const holder of await findWalletAccounts(tx, await listWallets(tx, person))) {
      const owner = await findPerson(tx, { prefix: keyPrefix, holder })
      if (owner === undefined || owner === person) return holder
    }
    return (await openAccount(tx, keys, { now: clock.now(), isPerson: true })).account.id
  },
})

/**
 * Account of a signed-in person here: the one that they have, else one that a payment of their wallet opened. They have a key when they
 * make one, or claim one. A wallet that opened an account before pays for that one.
 */
export const linkAccount = link({ needs: personProfile.needs, terms: '/terms' }).run(
  async (ports, person) => {
    const [own] = person.wallet === undefined ? [] : await findWalletAccounts(ports.store, [person.wallet])
    return own === undefined ? personProfile.run(ports, person) : { id: own, via: 'apiKey' }
  },
)

const notAgain = (account: Account | undefined): ToolError =>
  account
    ? new ToolError('conflict', `The key of ${account.id} has been used, so it is not shown again.`, {
        reason: 'key_in_use',
        hint: 'What was paid is in that account: send its key as Authorization: Bearer or X-API-Key. The old key makes a new one.',
        next: ['rotate_key'],
        params: { account_id: account.id },
      })
    : new ToolError('conflict', 'This payment was answered, and the answer is kept no longer.', {
        reason: 'answer_not_kept',
        hint: 'The call has run; its receipt tells when.',
      })

/**
 * A new key for the account that a payment opened, in place of one that nobody has used: whoever lost the answer has lost
 * the key. Throws `conflict` once the key was used.
 */
export const reissueKey = async (
  tx: Tx,
  { receipt, keys, clock }: Context<'keys' | 'clock'>,
): Promise<{ account: Account; api_key: string }> => {
  const wallet = canonicalAddress(receipt?.payer ?? '')
  const { rows } = await accountsIn(tx).find({ index: 'wallet', where: { wallet }, limit: 1 })
  const account = rows.find(({ opened_by }) => opened_by === receipt?.id)
  const holder = { prefix: keyPrefix, holder: account?.id ?? '' }
  const [key] = await keys.list(tx, holder)
  if (!account || key?.used_on !== null) throw notAgain(account)
  await keys.revoke(tx, holder)
  const { api_key } = await keys.issue(tx, { ...holder, now: clock.now() })
  return { account, api_key }
}
