import { job } from '../../../kernel/job.ts'
import { dayMs } from '../../../lib/time.ts'
import { ago } from '../origin.ts'
import { declaredIn, keyPrefix, membersIn, unusedDays } from './member.ts'

/** Forgets members whose key nobody has used for 90 days, and what they declared. */
export const expireMembers = job({
  name: 'expire-members',
  every: 3600,
  needs: ['store', 'clock', 'keys'],
}).run(async ({ store, clock, keys, signal }) => {
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
        const holder = { prefix: keyPrefix, holder: id }
        const [key] = await keys.list(tx, holder)
        // A day that has not ended yet may have been used to its end.
        const usedUntil = key?.used_on ? new Date(Date.parse(key.used_on) + dayMs - 1).toISOString() : ''
        if (usedUntil > lte) {
          await membersIn(tx).put({ ...member, seen_at: usedUntil })
          return
        }
        for (const capability of member.capabilities) await declaredIn(tx).delete(`${capability} ${id}`)
        await membersIn(tx).delete(id)
        await keys.revoke(tx, holder)
      })
  }
})
