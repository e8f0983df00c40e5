import { link } from '../../../kernel/service.ts'
import type { Ports, Store } from '../../../ports/index.ts'
import { type Account, accountsIn } from './account.ts'
import { openAccount } from './open-account.ts'

const findByPerson = async (store: Pick<Store, 'collection'>, person: string): Promise<Account | undefined> =>
  (await accountsIn(store as Store).find({ index: 'person', where: { person }, limit: 1 })).rows[0]

/** The account of a person, new with the first call. Of two at once the second finds what the first has made. */
const loadAccount = async (
  { store, keys, clock }: Pick<Ports, 'store' | 'keys' | 'clock'>,
  person: string,
): Promise<Account> =>
  (await findByPerson(store, person)) ??
  (await store.transaction(
    async tx =>
      (await findByPerson(tx, person)) ?? (await openAccount(tx, keys, { now: clock.now(), person })).account,
  ))

/** Who a signed-in person is here. Its key is nobody's until they rotate it. */
export const linkAccount = link({ needs: ['store', 'keys', 'clock'], terms: '/terms' }).run(
  async (ports, { account }) => {
    const { id } = await loadAccount(ports, account)
    return { id, via: 'apiKey' }
  },
)
