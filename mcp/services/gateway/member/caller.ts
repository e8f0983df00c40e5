import { identify } from '../../../kernel/service.ts'
import { keyPrefix, membersIn } from './member.ts'

/** Tells whose agent key a Bearer credential is. */
export const identifyMember = identify({ needs: ['store', 'keys', 'clock'], prefix: keyPrefix }).run(
  async ({ store, keys, clock }, { value }) => {
    if (!value.startsWith(`${keyPrefix}_`)) return undefined
    const where = { key_hash: keys.hash(value) }
    const { rows } = await membersIn(store).find({ index: 'key', where, limit: 1 })
    const [member] = rows
    if (!member) return undefined
    // Once a day is enough to tell a member that is there from one that is gone.
    const now = clock.now().toISOString()
    if (member.seen_at?.slice(0, 10) !== now.slice(0, 10))
      await membersIn(store).update(member.id, row => ({ ...row, seen_at: now }))
    return { id: member.id, via: 'bearer' }
  },
)
