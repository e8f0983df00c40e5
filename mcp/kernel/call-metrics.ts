import type { Metric, Registry } from 'prom-client'
import type { CallRecord } from './call.ts'

type Labels = Readonly<Record<string, string>>
type Value = { labels: Labels; value: number; metricName?: string }

/** How many calls ended in one way. */
type Count = { labels: Labels; calls: number }

/** How long the calls of a service over a channel took. `within` counts those of each bucket, and of none last. */
type Times = { labels: Labels; within: number[]; sum: number; calls: number }

type Tally = { count: Count; times: Times }

/** Reasons are words of the program; nobody's text makes more of them. */
const maxReasons = 500

const buckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 30]

const bucketOf = (seconds: number): number => {
  let at = 0
  while (at < buckets.length && seconds > (buckets[at] ?? 0)) at++
  return at
}

const toValues = (name: string, { labels, within, sum, calls }: Times): Value[] => {
  let below = 0
  const cumulated = buckets.map((le, at) => {
    below += within[at] ?? 0
    return { labels: { le: String(le), ...labels }, value: below, metricName: `${name}_bucket` }
  })
  return [
    ...cumulated,
    { labels: { le: '+Inf', ...labels }, value: calls, metricName: `${name}_bucket` },
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: calls, metricName: `${name}_count` },
  ]
}

const inner = <V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> => {
  const existing = map.get(key)
  if (existing) return existing
  const created = new Map<string, V>()
  map.set(key, created)
  return created
}

type Facts = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  values: () => Value[] | Promise<Value[]>
}

/** A metric that is put together when it is read: what counts calls makes no object of one. */
export const registerLate = (register: Registry, { values, ...facts }: Facts): void => {
  const metric = { ...facts, aggregator: 'sum', get: async () => ({ ...facts, values: await values() }) }
  register.registerMetric(metric as unknown as Metric)
}

/** Counts calls by service, tool, channel and outcome, and their seconds by service and channel. */
export const openCallMetrics = (register: Registry): ((entry: CallRecord) => void) => {
  const tallies = new Map<string, Map<string, Tally[]>>()
  const counts: Count[] = []
  const times: Times[] = []

  const timesFor = (service: string, channel: string): Times => {
    const existing = times.find(({ labels }) => labels.service === service && labels.channel === channel)
    if (existing) return existing
    const labels = { service, channel }
    const created = { labels, within: [...buckets.map(() => 0), 0], sum: 0, calls: 0 }
    times.push(created)
    return created
  }

  const tallyFor = ({ service, tool, channel, code }: CallRecord): Tally => {
    const byTool = inner(tallies, service)
    const ways = byTool.get(tool) ?? []
    // A tool ends in few ways.
    for (const tally of ways) {
      const { labels } = tally.count
      if (labels.code === code && labels.channel === channel) return tally
    }
    const count = { labels: { service, tool, channel, code }, calls: 0 }
    const tally = { count, times: timesFor(service, channel) }
    counts.push(count)
    byTool.set(tool, [...ways, tally])
    return tally
  }

  const name = 'octagent_call_seconds'
  registerLate(register, {
    name: 'octagent_calls_total',
    help: 'Calls by service, tool, channel and outcome code',
    type: 'counter',
    values: () => counts.map(({ labels, calls }) => ({ labels, value: calls })),
  })
  registerLate(register, {
    name,
    help: 'Seconds from the request to the answer',
    type: 'histogram',
    values: () => times.flatMap(one => toValues(name, one)),
  })

  const refusals = new Map<string, Count>()
  registerLate(register, {
    name: 'octagent_refusals_total',
    help: 'Calls that were refused, by the finer reason of the refusal',
    type: 'counter',
    values: () => [...refusals.values()].map(({ labels, calls }) => ({ labels, value: calls })),
  })
  const countRefusal = (service: string, reason: string): void => {
    const key = `${service} ${reason}`
    const count = refusals.get(key) ?? { labels: { service, reason }, calls: 0 }
    count.calls++
    if (refusals.size < maxReasons) refusals.set(key, count)
  }

  return entry => {
    const { count, times } = tallyFor(entry)
    if (entry.reason !== undefined) countRefusal(entry.service, entry.reason)
    const seconds = entry.ms / 1000
    const at = bucketOf(seconds)
    count.calls++
    times.calls++
    times.sum += seconds
    times.within[at] = (times.within[at] ?? 0) + 1
  }
}
