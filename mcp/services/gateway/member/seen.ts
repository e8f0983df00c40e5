import type { Ports } from '../../../ports/ports.ts'
import { membersIn } from './member.ts'

/** Notes that a member is there: once a day is enough to tell it from one that is gone. */
export const noteUse = async (
  { store, clock }: Pick<Ports, 'store' | 'clock'>,
  id: string,
): Promise<void> => {
  const now = clock.now().toISOString()
  const member = await membersIn(store).get(id)
  if (member?.seen_at?.slice(0, 10) === now.slice(0, 10)) return
  await membersIn(store).update(id, row => ({ ...row, seen_at: now }))
}
