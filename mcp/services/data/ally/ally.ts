import { collection } from '../../../kernel/collection.ts'
import { identify, link } from '../../../kernel/service.ts'

/** An agent that registered for the daily quota. Its key is kept as a hash only. */
export type Ally = {
  id: string
  name: string
  url: string | null
  /** For the operator only. */
  contact: string | null
  key_hash: string
  registered_at: string
  /** How its URL answered when it was last looked at; null before the first look. */
  seen: { at: string; ok: boolean; ms: number | null } | null
}

export const alliesIn = collection<Ally>({
  name: 'data.allies',
  indexes: [
    { name: 'key', fields: ['key_hash'], unique: true },
    { name: 'registered', fields: ['registered_at'] },
  ],
  budget: {
    what: 'allies',
    network: { rows: 200, bytes: 1 << 20 },
    allBytes: 64 << 20,
    ends: 'An ally stays. Use the key that you have.',
  },
})

export const keyPrefix = 'ally'

/** Tells which ally an API key belongs to. */
export const identifyAlly = identify({ needs: ['store', 'keys'], prefix: keyPrefix }).run(
  async ({ store, keys }, { value }) => {
    if (!value.startsWith(`${keyPrefix}_`)) return undefined
    const { rows } = await alliesIn(store).find({
      index: 'key',
      where: { key_hash: keys.hash(value) },
      limit: 1,
    })
    return rows[0] && { id: `ally:${rows[0].id}`, via: 'apiKey' }
  },
)

/** A signed-in person has the daily quota of an ally, and needs no registration for it: there is nothing to tell others. */
export const linkPerson = link({ needs: [] }).run(async (_, { account }) => ({
  id: `ally:${account}`,
  via: 'apiKey',
}))
