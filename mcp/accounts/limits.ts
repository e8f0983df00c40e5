import { collection } from '../kernel/collection.ts'

/**
 * What a client may spend of its person's balance: dollars as decimal strings. `id` is that of the grant. Null is no limit of that
 * kind but the balance itself; a client without limits of its own spends nothing.
 */
export type SpendingLimits = {
  id: string
  account: string
  client: { id: string; name: string }
  per_call: string | null
  per_day: string | null
  /** Slugs of the services that it may pay; null for all. */
  services: readonly string[] | null
  /** Of a key: whether it may do more than read. */
  access?: 'read' | 'write'
  updated_at: string
}

const indexes = [{ name: 'account', fields: ['account'] }]

export const limitsIn = collection<SpendingLimits>({
  name: 'accounts.limits',
  indexes,
  bounded: 'One for each client that a person let in.',
})
