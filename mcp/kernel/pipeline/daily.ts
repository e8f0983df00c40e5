import type { Clock, Ports, Store } from '../../ports/index.ts'
import { ToolError } from '../error.ts'
import { job } from '../job.ts'
import type { Service } from '../service.ts'
import type { AnyTool, Quota } from '../tool.ts'
import { limitKey } from './limits.ts'

type Used = { id: string; used: number; until: string }

const days = 'daily-quotas'
const indexes = [{ name: 'until', fields: ['until'] }]

const dayMs = 86_400_000

/** The end of the UTC day that `now` is in. */
const endOfDay = (now: Date): Date => new Date(Math.floor(now.getTime() / dayMs) * dayMs + dayMs)

export type Daily = { quota: Quota; ok: boolean; giveBack(): Promise<void> }

/** Counts uses of a known caller against its quota of the UTC day, once over all replicas. */
export const takeDaily = async (
  store: Store,
  clock: Clock,
  owner: string,
  { limit, uses }: { limit: number; uses: number },
): Promise<Daily> => {
  const until = endOfDay(clock.now()).toISOString()
  const id = `${owner} ${until.slice(0, 10)}`
  const add = (by: number) =>
    store.transaction(async tx => {
      const counted = tx.collection<Used>(days, indexes)
      const { used = 0 } = (await counted.get(id)) ?? {}
      const next = used + by
      if (next < 0 || (by > 0 && next > limit)) return undefined
      await counted.put({ id, used: next, until })
      return next
    })
  const used = await add(uses)
  return {
    quota: { tier: 'ally', limit, remaining: limit - (used ?? limit), resetAt: until },
    ok: used !== undefined,
    giveBack: async () => void (await add(-uses)),
  }
}

/**
 * Counts a call against the limits by the day that its tool declares. Returns the way to give it back, for a call that
 * did nothing. Throws `too_many_requests` until the day is over.
 */
export const takeDays = async (
  { store, clock }: Partial<Ports>,
  service: Service,
  tool: AnyTool,
  client: string,
  input: object,
): Promise<(() => Promise<void>) | undefined> => {
  const taken: Daily[] = []
  const giveBack = async () => {
    for (const day of taken) await day.giveBack()
  }
  for (const limit of tool.limits ?? []) {
    if (!('perDay' in limit)) continue
    if (!store || !clock)
      throw new ToolError('unavailable', `${tool.name} needs "store", which is not configured here.`)
    const day = await takeDaily(store, clock, `limit ${limitKey(service, tool, limit, client, input)}`, {
      limit: limit.perDay,
      uses: 1,
    })
    if (day.ok) {
      taken.push(day)
      continue
    }
    await giveBack()
    const whose = limit.per === 'client' ? ' of one caller' : ''
    throw new ToolError(
      'too_many_requests',
      `${tool.name} takes ${limit.perDay} calls${whose} a day; they are used up.`,
      {
        retryAfter: (Date.parse(day.quota.resetAt) - clock.now().getTime()) / 1000,
        hint: `Come back after ${day.quota.resetAt}.`,
      },
    )
  }
  return taken.length > 0 ? giveBack : undefined
}

/** Drops the counts of days that are over. */
export const sweepDaily = job({ name: 'daily-quota-sweep', every: 3600, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const rows = store.collection<Used>(days, indexes)
    while (!signal.aborted) {
      const where = { until: { lt: clock.now().toISOString() } }
      const old = await rows.find({ index: 'until', where, limit: 500 })
      for (const { id } of old.rows) await rows.delete(id)
      if (old.next === undefined) return
    }
  },
)
