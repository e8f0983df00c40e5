import type { CallRecord } from './call.ts'
import { scrub } from './log.ts'

/** A call as the operator looks it up. `cause` is what a stranger's exception said, without credentials. */
export type RecentCall = Pick<CallRecord, 'service' | 'tool' | 'channel' | 'code' | 'ms'> & {
  at: string
  reason: string | null
  request: string | null
  ref: string | null
  receipt: string | null
  cause: string | null
}

type Entry = { at: Date; call: CallRecord }

/** Calls that are looked up by an id, and those that failed by an exception, which others must not push out. */
const lastCalls = 2000
const lastFaults = 200

const maxCause = 2000

const toText = (cause: unknown): string =>
  scrub(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)).slice(0, maxCause)

const toRecent = ({ at, call }: Entry): RecentCall => {
  const { service, tool, channel, code, ms, reason, request, ref, receipt, cause } = call
  return {
    at: at.toISOString(),
    service,
    tool,
    channel,
    code,
    ms,
    reason: reason ?? null,
    request: request ?? null,
    ref: ref ?? null,
    receipt: receipt ?? null,
    cause: cause === undefined ? null : toText(cause),
  }
}

const openRing = (size: number) => {
  const entries: Entry[] = []
  let next = 0
  return {
    add(entry: Entry) {
      entries[next % size] = entry
      next++
    },
    newestFirst: (): Entry[] => {
      const start = next % size
      return [...entries.slice(start), ...entries.slice(0, start)].reverse()
    },
  }
}

/** The last calls on this replica, by the ids that callers are told. A note takes no copy of anything. */
export const openRecentCalls = (now: () => Date) => {
  const calls = openRing(lastCalls)
  const faults = openRing(lastFaults)
  return {
    note(call: CallRecord): void {
      const entry = { at: now(), call }
      calls.add(entry)
      if (call.ref !== undefined) faults.add(entry)
    },
    /** Calls with a `ref`, request, trace or receipt of this id, the newest first; without an id the last that failed by an exception. */
    find(id?: string): RecentCall[] {
      if (id === undefined) return faults.newestFirst().slice(0, 20).map(toRecent)
      const isOf = ({ call: { ref, request, trace, receipt } }: Entry) =>
        [ref, request, trace, receipt].includes(id)
      const all = new Set([...calls.newestFirst(), ...faults.newestFirst()])
      return [...all].filter(isOf).slice(0, 50).map(toRecent)
    },
  }
}
