import { profile } from '../../../kernel/service.ts'
import { accountsIn, keyPrefix } from './account.ts'
import { openAccount } from './open-account.ts'

/** Account of a signed-in person here. They have a key when they make one, or claim one. */
export const linkAccount = profile({
  prefix: keyPrefix,
  via: 'apiKey',
  terms: '/terms',
  has: async (tx, id) => (await accountsIn(tx).get(id)) !== undefined,
  create: async (tx, { keys, clock }) =>
    (await openAccount(tx, keys, { now: clock.now(), isPerson: true })).account.id,
})
