import type { Store } from '../../ports/store/port.ts'
import { collection, deleteRows } from '../collection.ts'
import { job } from '../job.ts'
import { dropOldest, type Limits, type RateLimitStatus } from './limits.ts'

/** The book of replicas' shares of a window. */
export type Windows = {
  /**
   * Books `need` uses of a window, and up to `extra` more, out of `quota`. Resolves to how many were booked: none where less than
   * `need` is left.
   */
  book(window: string, quota: number, need: number, extra: number, ends: number): Promise<number>
}

type WindowRow = { id: string; used: number; until: string }

const indexes = [{ name: 'until', fields: ['until'] }]

const windowsIn = collection<WindowRow>({
  name: 'call.windows',
  indexes,
  bounded: 'One for each window that a tenth was used of; dropped when it is over.',
})

/** Windows in the store that all replicas have. */
export const storeWindows = (store: Store): Windows => ({
  book: async (id, quota, need, extra, ends) => {
    const until = new Date(ends).toISOString()
    const counting = { max: { used: quota }, set: { until }, apart: true }
    if (await windowsIn(store).add(id, { used: need + extra }, counting)) return need + extra
    return store.transaction(async tx => {
      const { used = 0 } = (await windowsIn(tx).get(id)) ?? {}
      const left = quota - used
      const booked = left < need ? 0 : Math.min(left, need + extra)
      if (booked > 0) await windowsIn(tx).put({ id, used: used + booked, until })
      return booked
    })
  },
})

/** One replica's share of a window at a time: a tenth of it. It is also what a replica may use before it asks. */
export const computeShare = (quota: number): number => Math.max(1, Math.floor(quota / 10))

/** This replica's part of one window. */
type Part = {
  id: string
  ends: number
  used: number
  /** Booked for this replica; undefined before it has asked, when it may use one share unasked. */
  booked: number | undefined
  /** So many more uses were not to be had: neither are as many or more. */
  refused: number
  booking: Promise<void> | undefined
}

/**
 * Limits that hold over all replicas, counted in memory: each replica books its part of a window a tenth at a time, in the background,
 * before it has used it up, and waits only when it has none left. Windows begin at the same time everywhere. All replicas
 * together admit the quota and at most one share for every further replica, which each may use before it has asked; what one
 * has booked and not used is lost to the others for the window. While the store is away, each replica counts for itself.
 */
export const openSharedLimits = (windows: Windows, now: () => number = Date.now): Limits => {
  const parts = new Map<string, Part>()

  const partFor = (key: string, seconds: number): Part => {
    const at = now()
    const before = parts.get(key)
    if (before && before.ends > at) return before
    const ends = (Math.floor(at / (seconds * 1000)) + 1) * seconds * 1000
    const part: Part = {
      id: `${key} ${ends / 1000}`,
      ends,
      used: 0,
      booked: undefined,
      refused: Number.POSITIVE_INFINITY,
      booking: undefined,
    }
    parts.delete(key)
    parts.set(key, part)
    dropOldest(parts)
    return part
  }

  /** The part's uses without asking. */
  const capacity = ({ booked }: Part, quota: number): number => booked ?? computeShare(quota)

  /** Books what is used and `uses` more, with a share on top. */
  const book = (part: Part, quota: number, uses: number): Promise<void> => {
    const before = part.booked ?? 0
    const need = Math.max(0, part.used + uses - before)
    part.booking ??= windows
      .book(part.id, quota, need, computeShare(quota), part.ends)
      .then(
        booked => {
          part.booked = before + booked
          if (booked < need || booked === 0) part.refused = Math.min(part.refused, Math.max(1, uses))
        },
        () => {
          part.booked = Math.min(quota, Math.max(before, part.used) + Math.max(uses, computeShare(quota)))
        },
      )
      .finally(() => {
        part.booking = undefined
      })
    return part.booking
  }

  const toStanding = ({ used, ends }: Part, quota: number, ok: boolean): RateLimitStatus => ({
    quota,
    remaining: ok ? Math.max(0, quota - used) : 0,
    resetSeconds: Math.ceil((ends - now()) / 1000),
    ok,
  })

  /** Counts, if the part has room; books ahead when little of it is left. */
  const tryTake = (part: Part, quota: number, uses: number): RateLimitStatus | undefined => {
    if (part.used + uses > quota) return toStanding(part, quota, false)
    const room = capacity(part, quota) - part.used
    if (room < uses) return uses >= part.refused ? toStanding(part, quota, false) : undefined
    part.used += uses
    const isLow = room - uses < computeShare(quota) / 2
    if (isLow && part.refused > 1 && !part.booking && part.used < quota) void book(part, quota, 0)
    return toStanding(part, quota, true)
  }

  const takeAsking = async (
    key: string,
    part: Part,
    quota: number,
    uses: number,
    seconds: number,
  ): Promise<RateLimitStatus> => {
    await (part.booking ?? book(part, quota, uses))
    const current = partFor(key, seconds)
    return tryTake(current, quota, uses) ?? takeAsking(key, current, quota, uses, seconds)
  }

  return {
    take(key, quota, uses = 1, seconds = 60) {
      const part = partFor(key, seconds)
      return tryTake(part, quota, uses) ?? takeAsking(key, part, quota, uses, seconds)
    },
    giveBack(key, uses = 1, seconds = 60) {
      const part = partFor(key, seconds)
      part.used = Math.max(0, part.used - uses)
    },
  }
}

/** Drops windows that are over. */
export const sweepWindows = job({ name: 'limit-window-sweep', every: 300, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const where = { until: { lt: clock.now().toISOString() } }
    await deleteRows(windowsIn(store), { index: 'until', where }, signal)
  },
)
