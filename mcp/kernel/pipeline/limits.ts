import { createHash } from 'node:crypto'
import { ToolError } from '../error.ts'
import type { Service } from '../service.ts'
import type { AnyTool, Limit } from '../tool.ts'

/** Standing of a client in its current window. */
export type RateLimitStatus = { quota: number; remaining: number; resetSeconds: number; ok: boolean }

export type Limits = {
  /**
   * Counts `uses` of `key` in a window of `seconds`; what is refused uses nothing up. Answers from memory wherever it can, and is
   * a promise where other replicas must be asked.
   */
  take(
    key: string,
    quota: number,
    uses?: number,
    seconds?: number,
  ): RateLimitStatus | Promise<RateLimitStatus>
  /** Takes uses of the current window back. */
  giveBack(key: string, uses?: number, seconds?: number): void
}

type Window = { used: number; ends: number }

const maxKeys = 100_000
const maxKeyLength = 128

/** Drops the oldest entries of a map that has grown too large. */
export const dropOldest = (entries: Map<string, unknown>): void => {
  for (const key of entries.keys()) {
    if (entries.size <= maxKeys) return
    entries.delete(key)
  }
}

/** Fixed windows in memory, for one replica alone; the oldest windows go first when there are too many. */
export const openLimits = (now: () => number = Date.now): Limits => {
  const windows = new Map<string, Window>()
  return {
    take(key, quota, uses = 1, seconds = 60) {
      const at = now()
      let window = windows.get(key)
      if (!window || window.ends <= at) {
        windows.delete(key)
        window = { used: 0, ends: at + seconds * 1000 }
        windows.set(key, window)
        dropOldest(windows)
      }
      const ok = window.used + uses <= quota
      if (ok) window.used += uses
      return {
        quota,
        remaining: Math.max(0, quota - window.used),
        resetSeconds: Math.ceil((window.ends - at) / 1000),
        ok,
      }
    },
    giveBack(key, uses = 1) {
      const window = windows.get(key)
      if (window) window.used = Math.max(0, window.used - uses)
    },
  }
}

/** One window that a call counts in. */
export type QuotaWindow = { key: string; quota: number; uses?: number }

/** Gives back what was counted before a window that is used up. */
const giveBackTo = (limits: Limits, counted: readonly QuotaWindow[]): void => {
  for (const { key, uses } of counted) limits.giveBack(key, uses)
}

const lesser = (one: RateLimitStatus | undefined, other: RateLimitStatus): RateLimitStatus =>
  one && one.remaining <= other.remaining ? one : other

/** Goes on where other replicas must be asked about the window at `at`. */
const takeAsking = async (
  limits: Limits,
  counted: readonly QuotaWindow[],
  at: number,
  before: RateLimitStatus | undefined,
  asked: Promise<RateLimitStatus>,
): Promise<RateLimitStatus | undefined> => {
  const standing = await asked
  if (standing.ok) return takeFrom(limits, counted, at + 1, lesser(before, standing))
  giveBackTo(limits, counted.slice(0, at))
  return standing
}

const takeFrom = (
  limits: Limits,
  counted: readonly QuotaWindow[],
  from: number,
  before: RateLimitStatus | undefined,
): RateLimitStatus | undefined | Promise<RateLimitStatus | undefined> => {
  let least = before
  for (let at = from; at < counted.length; at++) {
    const { key, quota, uses } = counted[at] as QuotaWindow
    const standing = limits.take(key, quota, uses)
    if (standing instanceof Promise) return takeAsking(limits, counted, at, least, standing)
    if (!standing.ok) {
      giveBackTo(limits, counted.slice(0, at))
      return standing
    }
    least = lesser(least, standing)
  }
  return least
}

/**
 * Counts a call in all windows or in none: its network address and its key, so that neither many keys nor many addresses get
 * around a limit. The standing is that of the window with the least left. A promise only where other replicas must be asked.
 */
export const takeAll = (
  limits: Limits,
  counted: readonly QuotaWindow[],
): RateLimitStatus | undefined | Promise<RateLimitStatus | undefined> =>
  takeFrom(limits, counted, 0, undefined)

/** Client a call counts for: its network address, and the caller its credential proved. */
export type Client = { address: string; caller: string | undefined }

/** The names of both; the address alone where nobody is known. */
export const clientNames = ({ address, caller }: Client): string[] =>
  caller === undefined ? [address] : [address, caller]

/** The refusal of a used-up window. */
export const overLimit = (what: string, { quota, resetSeconds }: RateLimitStatus): ToolError =>
  new ToolError('too_many_requests', `${what} allows ${quota} calls a minute; they are used up.`, {
    retryAfter: resetSeconds,
    hint: `Retry in ${resetSeconds} s.`,
    headers: {
      'RateLimit-Policy': `"default";q=${quota};w=60`,
      RateLimit: `"default";r=0;t=${resetSeconds}`,
    },
  })

/** Lists the keys of a declared limit, one or two; what the input aims at may be long, and is kept as a digest then. */
export const limitKeys = (
  { slug }: Service,
  { name }: AnyTool,
  { per }: Exclude<Limit, { per: 'all' }>,
  who: Client,
  input: object,
): string[] => {
  const keys = per === 'client' ? clientNames(who) : [`→${per(input as never)}`]
  return keys.map(key => {
    const short = key.length > maxKeyLength ? createHash('sha256').update(key).digest('base64url') : key
    return `${slug}.${name}:${short}`
  })
}

/** True when a tool declares limits by the minute. */
export const hasLimits = ({ limits }: AnyTool): boolean =>
  limits?.some(limit => 'perMinute' in limit) === true

/** Counts a call against the limits by the minute that its tool declares, per client or per target: all, or none. */
export const takeLimits = async (
  limits: Limits,
  service: Service,
  tool: AnyTool,
  who: Client,
  input: object,
): Promise<void> => {
  const counted = (tool.limits ?? []).flatMap(limit =>
    'perDay' in limit
      ? []
      : limitKeys(service, tool, limit, who, input).map(key => ({ key, quota: limit.perMinute })),
  )
  if (counted.length === 0) return
  const standing = await takeAll(limits, counted)
  if (standing && !standing.ok) throw overLimit(tool.name, standing)
}
