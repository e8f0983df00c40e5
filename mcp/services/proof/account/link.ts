import { link } from '../../../kernel/service.ts'
import type { Ports, Tx } from '../../../ports/index.ts'
import { type Account, accountsIn, makeKey, newAccountId } from './account.ts'

const findByPerson = async (tx: Pick<Tx, 'collection'>, person: string): Promise<Account | undefined> =>
  (await accountsIn(tx).find({ index: 'person', where: { person }, limit: 1 })).rows[0]

/** An account whose key nobody has. Of two first calls the second finds what the first has made. */
const open = ({ store, keys, clock }: Pick<Ports, 'store' | 'keys' | 'clock'>, person: string) =>
  store.transaction(async tx => {
    const before = await findByPerson(tx, person)
    if (before) return before
    const { api_key: _, ...key } = makeKey(keys)
    const now = clock.now().toISOString()
    const account: Account = {
      id: newAccountId(),
      label: null,
      ...key,
      person,
      created_at: now,
      // A person has an account for longer than a key that nobody ever used.
      used_on: now.slice(0, 10),
    }
    if (!(await accountsIn(tx).insert(account))) throw new Error('an account id or key came up twice')
    return account
  })

/** Who a signed-in person is here. What was paid ahead with a key of this service stays with that key's account. */
export const linkAccount = link({ needs: ['store', 'keys', 'clock'] }).run(async (ports, { account }) => {
  const { id } = (await findByPerson(ports.store, account)) ?? (await open(ports, account))
  return { id, via: 'bearer' }
})
