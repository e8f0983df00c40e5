import { isWithinShare, minShare } from '../../lib/fair-share.ts'
import { dayMs } from '../../lib/time.ts'
import type { Clock } from '../../ports/clock/port.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Store, Tx } from '../../ports/store/port.ts'
import { collection, deleteRows } from '../collection.ts'
import { ToolError } from '../error.ts'
import { job } from '../job.ts'
import { registrationsPerDay, toNetwork } from '../origin.ts'
import type { Service } from '../service.ts'
import type { AnyTool, Quota } from '../tool.ts'
import { type Client, limitKeys } from './limits.ts'

type DailyCount = { id: string; used: number; until: string }

const daysIn = collection<DailyCount>({
  name: 'daily-quotas',
  indexes: [{ name: 'until', fields: ['until'] }],
  bounded: 'One for each limit and address or caller of a day; dropped when the day is over.',
})

/** The end of the UTC day that `now` is in. */
const endOfDay = (now: Date): Date => new Date(Math.floor(now.getTime() / dayMs) * dayMs + dayMs)

const dayId = (owner: string, until: string): string => `${owner} ${until.slice(0, 10)}`

/** Adds to the count of a UTC day and returns it. Undefined, and nothing counted, where it would leave the limit or fall below zero. */
export const countDay = async (
  tx: Pick<Tx, 'collection'>,
  owner: string,
  now: Date,
  { by, limit, apart = false }: { by: number; limit: number; apart?: boolean },
): Promise<number | undefined> => {
  const until = endOfDay(now).toISOString()
  const id = dayId(owner, until)
  const counters = daysIn(tx)
  if (by >= 0)
    return (await counters.add(id, { used: by }, { max: { used: limit }, set: { until }, apart }))?.used
  const { used = 0 } = (await counters.get(id)) ?? {}
  if (used + by < 0) return undefined
  await counters.put({ id, used: used + by, until })
  return used + by
}

export type Daily = { quota: Quota; ok: boolean; giveBack(): Promise<void> }

/** Counts uses of a known caller against its quota of the UTC day, once over all replicas. */
export const takeDaily = async (
  store: Store,
  clock: Clock,
  owner: string,
  { limit, uses }: { limit: number; uses: number },
): Promise<Daily> => {
  const now = clock.now()
  const until = endOfDay(now).toISOString()
  const used = await countDay(store, owner, now, { by: uses, limit, apart: true })
  return {
    quota: { tier: 'ally', limit, remaining: limit - (used ?? limit), resetAt: until },
    ok: used !== undefined,
    giveBack: async () =>
      void (await daysIn(store).add(dayId(owner, until), { used: -uses }, { set: { until }, apart: true })),
  }
}

/** Counts a use of what all networks share in a UTC day, unless the network of an address has its share. */
const takeShared = async (
  store: Store,
  clock: Clock,
  owner: string,
  { address, all }: { address: string; all: number },
): Promise<Daily> => {
  const now = clock.now()
  const until = endOfDay(now).toISOString()
  const ownOwner = `${owner} ${toNetwork(address)}`
  const add = (tx: Tx, by: 1 | -1) =>
    Promise.all(
      [owner, ownOwner].map(each => countDay(tx, each, now, { by, limit: Number.POSITIVE_INFINITY })),
    )
  const ok = await store.transaction(async tx => {
    const counters = daysIn(tx)
    const read = async (each: string) => (await counters.get(dayId(each, until)))?.used ?? 0
    const used = await read(owner)
    if (!isWithinShare({ own: await read(ownOwner), used, all }, minShare(all))) return false
    await add(tx, 1)
    return true
  })
  return {
    quota: { tier: 'ally', limit: all, remaining: 0, resetAt: until },
    ok,
    giveBack: async () => void (await store.transaction(tx => add(tx, -1))),
  }
}

/** True when a tool declares limits by the day. */
export const hasDays = ({ limits }: AnyTool): boolean => limits?.some(limit => 'perDay' in limit) === true

/**
 * Counts a call against the limits by the day that its tool declares. Returns the way to give it back, for a call that
 * did nothing. Throws `too_many_requests` until the day is over.
 */
export const takeDays = async (
  { store, clock }: Partial<Ports>,
  service: Service,
  tool: AnyTool,
  client: Client,
  input: object,
): Promise<(() => Promise<void>) | undefined> => {
  const takes: Daily[] = []
  const giveBack = async () => {
    for (const day of takes) await day.giveBack()
  }
  for (const limit of tool.limits ?? []) {
    if (!('perDay' in limit)) continue
    if (!store || !clock)
      throw new ToolError('unavailable', `${tool.name} needs "store", which is not configured here.`)
    const keys =
      limit.per === 'all'
        ? [`${service.slug}.${tool.name}:all`]
        : limitKeys(service, tool, limit, client, input)
    for (const key of keys) {
      const day =
        limit.per === 'all'
          ? await takeShared(store, clock, `limit ${key}`, { address: client.address, all: limit.perDay })
          : await takeDaily(store, clock, `limit ${key}`, { limit: limit.perDay, uses: 1 })
      if (day.ok) {
        takes.push(day)
        continue
      }
      await giveBack()
      const whose = limit.per === 'client' ? ' of one caller' : ''
      throw new ToolError(
        'too_many_requests',
        limit.per === 'all'
          ? `This network has had its share of the ${limit.perDay} calls that ${tool.name} takes a day.`
          : `${tool.name} takes ${limit.perDay} calls${whose} a day; they are used up.`,
        untilTomorrow(day.quota.resetAt, clock.now()),
      )
    }
  }
  return takes.length > 0 ? giveBack : undefined
}

const untilTomorrow = (resetAt: string, now: Date) => ({
  retryAfter: (Date.parse(resetAt) - now.getTime()) / 1000,
  hint: `Come back after ${resetAt}.`,
})

/** Counts somebody who becomes known, in the transaction that makes them so. Throws `too_many_requests` past what one network address may do in a day. */
export const takeRegistration = async (tx: Tx, address: string, now: Date): Promise<void> => {
  const until = endOfDay(now).toISOString()
  const id = dayId(`register ${address}`, until)
  const counting = { max: { used: registrationsPerDay }, set: { until } }
  if (!(await daysIn(tx).add(id, { used: 1 }, counting)))
    throw new ToolError(
      'too_many_requests',
      `This network address has registered ${registrationsPerDay} times today, as often as it may.`,
      { reason: 'registrations_of_the_day', ...untilTomorrow(until, now) },
    )
}

/** Counts an answer that makes somebody known, in the transaction that does so: what is refused or fails counts nothing. */
export const countRegistration = async (
  tx: Tx,
  tool: AnyTool,
  output: object,
  address: string,
  now: Date,
) => {
  const { registers } = tool
  if (!(typeof registers === 'function' ? registers(output) : registers)) return
  await takeRegistration(tx, address, now)
}

/** Drops the counts of days that are over. */
export const sweepDaily = job({ name: 'daily-quota-sweep', every: 3600, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const where = { until: { lt: clock.now().toISOString() } }
    await deleteRows(daysIn(store), { index: 'until', where }, signal)
  },
)
