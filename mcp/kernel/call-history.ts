import type { CallRecord } from './call.ts'
import { failureStatus } from './error.ts'

/** How calls of a time ended, and in how many milliseconds half of them and 95 of 100 were answered; null of none. */
export type CallSums = {
  calls: number
  refused: number
  failed: number
  p50: number | null
  p95: number | null
}

/** Calls of the last 24 hours on this replica. */
export type CallHistory = {
  note(entry: CallRecord): void
  /** When it began: no hour before has anything. */
  since: Date
  /** The last 24 hours, the oldest first, by their beginning. */
  hours(): (CallSums & { hour: string })[]
  /** The same by tool, the most called first. */
  tools(): (CallSums & { service: string; tool: string })[]
  /** The same by service. */
  services(): (CallSums & { service: string })[]
  /** Refusals by their finer reason, or their code, the most frequent first. */
  refusals(): { service: string; reason: string; calls: number }[]
}

const hourMs = 3_600_000
const hourCount = 24

/** Upper bounds of times grow by a fifth from 0.1 ms on, to ten minutes: a percentile is that close. */
const growth = 1.2
const firstBoundMs = 0.1
const bucketCount = Math.ceil(Math.log(600_000 / firstBoundMs) / Math.log(growth)) + 1

const toBucket = (ms: number): number =>
  ms <= firstBoundMs
    ? 0
    : Math.min(bucketCount - 1, Math.ceil(Math.log(ms / firstBoundMs) / Math.log(growth)))

type Tally = { calls: number; refused: number; failed: number; within: Uint32Array }

const newTally = (): Tally => ({ calls: 0, refused: 0, failed: 0, within: new Uint32Array(bucketCount) })

type Hour = { start: number; tools: Map<string, Tally>; reasons: Map<string, number> }

/** Tools and reasons are words of the program; nobody's text makes more of them. */
const maxNames = 1000

const percentile = (within: Uint32Array, share: number): number | null => {
  const wanted = within.reduce((sum, count) => sum + count, 0) * share
  if (wanted === 0) return null
  let below = 0
  const at = within.findIndex(count => {
    below += count
    return below >= wanted
  })
  return Number((firstBoundMs * growth ** at).toPrecision(2))
}

const sumUp = (tallies: Iterable<Tally>): CallSums => {
  const all = newTally()
  for (const { calls, refused, failed, within } of tallies) {
    all.calls += calls
    all.refused += refused
    all.failed += failed
    for (let at = 0; at < bucketCount; at++) all.within[at] = (all.within[at] ?? 0) + (within[at] ?? 0)
  }
  const { within, ...counts } = all
  return { ...counts, p50: percentile(within, 0.5), p95: percentile(within, 0.95) }
}

/** Counts calls by hour and tool, for pages: some kilobytes for each tool, and nothing that callers wrote. */
export const openCallHistory = (now: () => Date): CallHistory => {
  const since = now()
  let hours: Hour[] = []

  const currentHour = (): Hour => {
    const start = Math.floor(now().getTime() / hourMs) * hourMs
    const newest = hours.at(-1)
    if (newest?.start === start) return newest
    const hour: Hour = { start, tools: new Map(), reasons: new Map() }
    hours = [...hours, hour]
    return hour
  }

  const lastHours = (): Hour[] => {
    const oldest = Math.floor(now().getTime() / hourMs) * hourMs - (hourCount - 1) * hourMs
    hours = hours.filter(({ start }) => start >= oldest)
    return hours
  }

  const sumUpBy = (toGroup: (name: string) => string): [string, CallSums][] => {
    const groups = new Map<string, Tally[]>()
    for (const { tools } of lastHours())
      for (const [name, tally] of tools)
        groups.set(toGroup(name), [...(groups.get(toGroup(name)) ?? []), tally])
    return [...groups]
      .map(([group, tallies]): [string, CallSums] => [group, sumUp(tallies)])
      .sort(([, one], [, other]) => other.calls - one.calls)
  }

  return {
    since,
    note({ service, tool, code, reason, ms }) {
      const { tools, reasons } = currentHour()
      if (tools.size === 0) lastHours()
      const name = `${service} ${tool}`
      const tally = tools.get(name) ?? newTally()
      if (tools.size < maxNames) tools.set(name, tally)
      const at = toBucket(ms)
      tally.within[at] = (tally.within[at] ?? 0) + 1
      tally.calls++
      if (code === 'ok') return
      if (failureStatus(code) >= 500) tally.failed++
      else tally.refused++
      const why = `${service} ${reason ?? code}`
      if (reasons.size < maxNames) reasons.set(why, (reasons.get(why) ?? 0) + 1)
    },
    hours() {
      const byStart = new Map(lastHours().map(hour => [hour.start, hour]))
      const first = Math.floor(now().getTime() / hourMs) * hourMs - (hourCount - 1) * hourMs
      return Array.from({ length: hourCount }, (_, at) => {
        const start = first + at * hourMs
        return { hour: new Date(start).toISOString(), ...sumUp(byStart.get(start)?.tools.values() ?? []) }
      })
    },
    tools: () =>
      sumUpBy(name => name).map(([name, sums]) => {
        const [service = '', tool = ''] = name.split(' ')
        return { service, tool, ...sums }
      }),
    services: () =>
      sumUpBy(name => name.split(' ')[0] ?? '').map(([service, sums]) => ({ service, ...sums })),
    refusals() {
      const sums = new Map<string, number>()
      for (const { reasons } of lastHours())
        for (const [why, calls] of reasons) sums.set(why, (sums.get(why) ?? 0) + calls)
      return [...sums]
        .map(([why, calls]) => {
          const [service = '', reason = ''] = why.split(' ')
          return { service, reason, calls }
        })
        .sort((one, other) => other.calls - one.calls)
    },
  }
}
