import { link } from '../../../kernel/service.ts'
import type { Ports, Tx } from '../../../ports/index.ts'
import { type Account, accountsIn, newAccountId } from './account.ts'

const findByPerson = async (tx: Pick<Tx, 'collection'>, person: string): Promise<Account | undefined> =>
  (await accountsIn(tx).find({ index: 'person', where: { person }, limit: 1 })).rows[0]

/** An account without a key. Of two first calls the second finds what the first has made. */
const open = ({ store, clock }: Pick<Ports, 'store' | 'clock'>, person: string) =>
  store.transaction(async tx => {
    const before = await findByPerson(tx, person)
    if (before) return before
    const account: Account = {
      id: newAccountId(),
      label: null,
      person,
      created_at: clock.now().toISOString(),
    }
    if (!(await accountsIn(tx).insert(account))) throw new Error('an account id came up twice')
    return account
  })

/** Who a signed-in person is here. What was paid ahead with a key of this service stays with that key's account. */
export const linkAccount = link({ needs: ['store', 'clock'] }).run(async (ports, { account }) => {
  const { id } = (await findByPerson(ports.store, account)) ?? (await open(ports, account))
  return { id, via: 'bearer' }
})
