import { profile } from '../../../kernel/service.ts'
import { accountsIn, keyPrefix, newAccountId } from './account.ts'

/** A signed-in person's account. What was paid ahead with a key stays with that key's account, which they may claim. */
export const linkAccount = profile({
  prefix: keyPrefix,
  via: 'bearer',
  has: async (tx, id) => (await accountsIn(tx).get(id)) !== undefined,
  async create(tx, { clock }) {
    const account = { id: newAccountId(), label: null, created_at: clock.now().toISOString() }
    if (!(await accountsIn(tx).insert(account))) throw new Error('an account id came up twice')
    return account.id
  },
})
