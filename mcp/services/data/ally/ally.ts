import { collection } from '../../../kernel/collection.ts'
import { identifyByKey, link } from '../../../kernel/service.ts'

/** An agent that registered for the daily quota. Its key is kept as a hash only. */
export type Ally = {
  id: string
  name: string
  url: string | null
  /** For the operator only. */
  contact: string | null
  registered_at: string
  /** How its URL answered when it was last looked at; null before the first look. */
  seen: { at: string; ok: boolean; ms: number | null } | null
}

export const alliesIn = collection<Ally>({
  name: 'data.allies',
  indexes: [{ name: 'registered', fields: ['registered_at'] }],
  budget: {
    what: 'allies',
    network: { rows: 200, bytes: 1 << 20 },
    allBytes: 64 << 20,
    ends: 'An ally stays. Use the key that you have.',
  },
})

export const keyPrefix = 'ally'

/** Tells which ally an API key belongs to. */
export const identifyAlly = identifyByKey({ prefix: keyPrefix, via: 'apiKey' })

/** An ally as a caller. */
export const allyCaller = (id: string): string => `ally:${id}`

/** A signed-in person has the daily quota of an ally, and needs no registration for it: there is nothing to tell others. */
export const linkPerson = link({ needs: [] }).run(async (_, { account }) => ({
  id: allyCaller(account),
  via: 'apiKey',
}))
