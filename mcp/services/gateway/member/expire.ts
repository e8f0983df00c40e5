import { job } from '../../../kernel/job.ts'
import { ago, dayMs } from '../origin.ts'
import { declaredIn, membersIn, unusedDays } from './member.ts'

/** Forgets members whose key nobody has used for 90 days, and what they declared. */
export const expireMembers = job({ name: 'expire-members', every: 3600, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const now = clock.now()
    const lte = ago(now, unusedDays * dayMs)
    while (!signal.aborted) {
      const { rows } = await membersIn(store).find({ index: 'seen', where: { seen_at: { lte } }, limit: 100 })
      if (rows.length === 0) return
      for (const { id } of rows)
        await store.transaction(async tx => {
          const member = await membersIn(tx).get(id)
          if (!member) return
          // Who joined before this was counted has its time from now on.
          if (member.seen_at === undefined) {
            await membersIn(tx).put({ ...member, seen_at: now.toISOString() })
            return
          }
          if (member.seen_at > lte) return
          for (const capability of member.capabilities) await declaredIn(tx).delete(`${capability} ${id}`)
          await membersIn(tx).delete(id)
        })
    }
  },
)
