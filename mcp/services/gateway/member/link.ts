import { randomBytes } from 'node:crypto'
import { link } from '../../../kernel/service.ts'
import type { Ports, Store } from '../../../ports/index.ts'
import { type Member, membersIn } from './member.ts'
import { noteUse } from './seen.ts'

const findByPerson = async (store: Pick<Store, 'collection'>, person: string): Promise<Member | undefined> =>
  (await membersIn(store as Store).find({ index: 'person', where: { person }, limit: 1 })).rows[0]

/** A member that declares nothing, so that nobody discovers it. Of two first calls the second finds what the first has made. */
const join = ({ store, clock }: Pick<Ports, 'store' | 'clock'>, person: string): Promise<Member> =>
  store.transaction(async tx => {
    const before = await findByPerson(tx, person)
    if (before) return before
    const id = `agt_${randomBytes(12).toString('hex')}`
    const now = clock.now().toISOString()
    const member: Member = {
      id,
      external_id: id,
      name: 'A person',
      capabilities: [],
      agent_card_url: null,
      person,
      joined_at: now,
      seen_at: now,
    }
    if (!(await membersIn(tx).insert(member))) throw new Error('a member id came up twice')
    return member
  })

/** Who a signed-in person is here. */
export const linkMember = link({ needs: ['store', 'clock'] }).run(async (ports, { account }) => {
  const member = (await findByPerson(ports.store, account)) ?? (await join(ports, account))
  await noteUse(ports, member)
  return { id: member.id, via: 'bearer' }
})
