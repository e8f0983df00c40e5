import { identify } from '../../../kernel/service.ts'
import { keyPrefix, membersIn } from './member.ts'
import { noteUse } from './seen.ts'

/** Tells whose agent key a Bearer credential is. */
export const identifyMember = identify({ needs: ['store', 'keys', 'clock'], prefix: keyPrefix }).run(
  async ({ store, keys, clock }, { value }) => {
    if (!value.startsWith(`${keyPrefix}_`)) return undefined
    const where = { key_hash: keys.hash(value) }
    const { rows } = await membersIn(store).find({ index: 'key', where, limit: 1 })
    const [member] = rows
    if (!member) return undefined
    await noteUse({ store, clock }, member)
    return { id: member.id, via: 'bearer' }
  },
)
