import type { Ports } from '../../../ports/index.ts'
import { type Member, membersIn } from './member.ts'

/** Notes that a member is there: once a day is enough to tell it from one that is gone. */
export const noteUse = async (
  { store, clock }: Pick<Ports, 'store' | 'clock'>,
  { id, seen_at }: Member,
): Promise<void> => {
  const now = clock.now().toISOString()
  if (seen_at?.slice(0, 10) === now.slice(0, 10)) return
  await membersIn(store).update(id, row => ({ ...row, seen_at: now }))
}
