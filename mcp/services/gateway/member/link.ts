import { randomBytes } from 'node:crypto'
import { link, profile } from '../../../kernel/service.ts'
import type { Ports } from '../../../ports/ports.ts'
import { keyPrefix, membersIn } from './member.ts'

/** Notes that a member is there: once a day is enough to tell it from one that is gone. */
const noteUse = async ({ store, clock }: Pick<Ports, 'store' | 'clock'>, id: string): Promise<void> => {
  const now = clock.now().toISOString()
  const member = await membersIn(store).get(id)
  if (member?.seen_at?.slice(0, 10) === now.slice(0, 10)) return
  await membersIn(store).update(id, row => ({ ...row, seen_at: now }))
}

/** A member that declares nothing, so that nobody discovers it. */
const memberProfile = profile({
  prefix: keyPrefix,
  via: 'bearer',
  has: async (tx, id) => (await membersIn(tx).get(id)) !== undefined,
  async create(tx, { clock }) {
    const id = `agt_${randomBytes(12).toString('hex')}`
    const now = clock.now().toISOString()
    const member = { id, external_id: id, name: 'A person', capabilities: [], agent_card_url: null }
    if (!(await membersIn(tx).insert({ ...member, joined_at: now, seen_at: now })))
      throw new Error('a member id came up twice')
    return id
  },
})

/** A signed-in person's member here. */
export const linkMember = link({ needs: ['store', 'keys', 'clock'] }).run(async (ports, person) => {
  const caller = await memberProfile.run(ports, person)
  if (caller) await noteUse(ports, caller.id)
  return caller
})
