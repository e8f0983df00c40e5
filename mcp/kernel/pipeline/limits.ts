import { createHash } from 'node:crypto'
import { ToolError } from '../error.ts'
import type { Service } from '../service.ts'
import type { AnyTool, Limit } from '../tool.ts'

/** Where a client stands in its current window. */
export type Standing = { quota: number; remaining: number; resetSeconds: number; ok: boolean }

export type Limits = {
  /** Counts `uses` of `key` in a window of `seconds`; the window starts with its first use. */
  take(key: string, quota: number, uses?: number, seconds?: number): Standing
}

type Window = { used: number; ends: number }

const maxKeys = 100_000
const longestKey = 128

/** Fixed windows in memory, one set per replica; the oldest windows go first when there are too many. */
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
        if (windows.size > maxKeys) windows.delete(windows.keys().next().value ?? key)
      }
      window.used += uses
      return {
        quota,
        remaining: Math.max(0, quota - window.used),
        resetSeconds: Math.ceil((window.ends - at) / 1000),
        ok: window.used <= quota,
      }
    },
  }
}

/** The refusal of a used-up window. */
export const overLimit = (what: string, { quota, resetSeconds }: Standing): ToolError =>
  new ToolError('too_many_requests', `${what} allows ${quota} calls a minute; they are used up.`, {
    retryAfter: resetSeconds,
    hint: `Retry in ${resetSeconds} s.`,
    headers: {
      'RateLimit-Policy': `"default";q=${quota};w=60`,
      RateLimit: `"default";r=0;t=${resetSeconds}`,
    },
  })

/** What a declared limit counts by; what the input aims at may be long, and is kept as a digest then. */
export const limitKey = (
  { slug }: Service,
  { name }: AnyTool,
  { per }: Limit,
  client: string,
  input: object,
): string => {
  const key = per === 'client' ? client : `→${per(input as never)}`
  const short = key.length > longestKey ? createHash('sha256').update(key).digest('base64url') : key
  return `${slug}.${name}:${short}`
}

/** Counts a call against the limits by the minute that its tool declares, per client or per target. */
export const takeLimits = (
  limits: Limits,
  service: Service,
  tool: AnyTool,
  client: string,
  input: object,
): void => {
  for (const limit of tool.limits ?? []) {
    if ('perDay' in limit) continue
    const standing = limits.take(limitKey(service, tool, limit, client, input), limit.perMinute)
    if (!standing.ok) throw overLimit(tool.name, standing)
  }
}
