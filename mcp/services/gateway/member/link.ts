import { randomBytes } from 'node:crypto'
import { link, profile } from '../../../kernel/service.ts'
import { keyPrefix, membersIn } from './member.ts'
import { noteUse } from './seen.ts'

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
