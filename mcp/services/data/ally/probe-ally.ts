import { job } from '../../../kernel/job.ts'
import { isTargetLimit } from '../../../lib/target-limit.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import { alliesIn } from './ally.ts'

const probeAlly = async (fetch: Fetch, url: string, signal: AbortSignal) => {
  const began = performance.now()
  try {
    const { status } = await fetch(url, { maxBytes: 1024, deadlineMs: 8000, signal })
    return { ok: status < 400, ms: Math.round(performance.now() - began) }
  } catch (error) {
    return isTargetLimit(error) ? undefined : { ok: false, ms: null }
  }
}

/** Looks once a day at the addresses that allies gave, the longest unseen first, so that the network page tells who answers. */
export const lookAtAllies = job({
  name: 'ally-look',
  every: 3600,
  needs: ['store', 'clock', 'fetch'],
  timeout: 600,
}).run(async ({ store, clock, fetch, signal }) => {
  const rows = alliesIn(store)
  const before = new Date(clock.now().getTime() - 86_400_000).toISOString()
  let after: string | undefined
  do {
    const page = await rows.find({ index: 'registered', order: 'desc', limit: 200, ...(after && { after }) })
    after = page.next
    for (const { id, url, seen } of page.rows) {
      if (signal.aborted) return
      if (url === null || (seen && seen.at > before)) continue
      const result = await probeAlly(fetch, url, signal)
      if (!result) continue
      await rows.update(id, ally => ({ ...ally, seen: { at: clock.now().toISOString(), ...result } }))
    }
  } while (after !== undefined && !signal.aborted)
})
