import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Tx } from '../../ports/store/port.ts'
import { type Status, statuses, type Task } from './task.ts'

/** How often values fell into buckets, by the number of the bucket; or how often each was there, by the value. */
type Histogram = Readonly<Record<string, number>>

/** Values that were counted: each by itself while few differ, in buckets afterwards. */
export type Distribution = { histogram: Histogram; values?: Histogram }

/** How many different values are kept as they are. */
const maxValues = 64

/** Eight buckets to a doubling: what is read back is off by 5 per cent at most. */
const perDoubling = 8

const bucketOf = (value: number): number => (value < 1 ? -1 : Math.floor(Math.log2(value) * perDoubling))

/** The middle of a bucket. */
const middleOf = (bucket: number): number => (bucket < 0 ? 0 : 2 ** ((bucket + 0.5) / perDoubling))

const increment = (counts: Histogram, key: number, by = 1): Histogram => ({
  ...counts,
  [key]: (counts[key] ?? 0) + by,
})

/** The distribution with a whole number more. */
export const withValue = ({ histogram, values }: Distribution, value: number): Distribution => {
  if (!values && Object.keys(histogram).length > 0)
    return { histogram: increment(histogram, bucketOf(value)) }
  const counted = increment(values ?? {}, value)
  if (Object.keys(counted).length <= maxValues) return { histogram, values: counted }
  return {
    histogram: Object.entries(counted).reduce<Histogram>(
      (buckets, [each, count]) => increment(buckets, bucketOf(Number(each)), count),
      {},
    ),
  }
}

/** True where a quantile of these is within 5 per cent, and not exact. */
export const isApproximate = (distributions: readonly Distribution[]): boolean =>
  distributions.some(({ histogram }) => Object.keys(histogram).length > 0)

/**
 * The value that `part` (0 to 1) of all values do not pass, between the two that it falls between in equal parts; null where there
 * is none.
 */
export const quantile = (distributions: readonly Distribution[], part: number): number | null => {
  const points = distributions
    .flatMap(({ histogram, values = {} }) => [
      ...Object.entries(histogram).map(([bucket, count]) => [middleOf(Number(bucket)), count] as const),
      ...Object.entries(values).map(([value, count]) => [Number(value), count] as const),
    ])
    .sort(([one], [other]) => one - other)
  const rank = part * points.reduce((sum, [, count]) => sum + count, 0)
  let sum = 0
  for (const [at, [value, count]] of points.entries()) {
    sum += count
    if (sum > rank) return value
    if (sum === rank) return (value + (points[at + 1]?.[0] ?? value)) / 2
  }
  return null
}

/** The steps whose time is measured. */
const steps = ['to_first_application', 'to_assign', 'to_submit', 'to_review'] as const

type Step = (typeof steps)[number]

type Timing = Distribution & { count: number; sum: number }

/** Counts of one day: of one publisher, or of a part of all tasks. Money in millionths of a dollar, as text. */
export type Stats = {
  id: string
  /** `all`, or the account of a publisher. */
  scope: string
  /** `2026-11-22` */
  day: string
  reached: Readonly<Record<string, number>>
  categories: Readonly<Record<string, { published: number; completed: number }>>
  times: Readonly<Partial<Record<Step, Timing>>>
  bounty: Distribution & { count: number; sum: string; min: string | null; max: string | null }
  released: string
  refunded: string
  fees: string
}

const table = { name: 'tasks.stats', indexes: [{ name: 'scope', fields: ['scope', 'day'] }] } as const

export const statsIn = collection<Stats>({
  name: table.name,
  indexes: table.indexes,
  budget: {
    what: 'days of publishers',
    counts: ({ scope }) => scope !== 'all',
    network: { rows: 20_000, bytes: 20 << 20 },
    allBytes: 64 << 20,
    ends: 'They stay. A funded task counts beyond the bound.',
  },
})

const emptyStats = (id: string, scope: string, day: string): Stats => ({
  id,
  scope,
  day,
  reached: {},
  categories: {},
  times: {},
  bounty: { count: 0, sum: '0', min: null, max: null, histogram: {} },
  released: '0',
  refunded: '0',
  fees: '0',
})

/** All tasks count in so many parts a day, so that one document is not where everybody waits. */
const stripes = 16

const stripeOf = (id: string): number => Number.parseInt(id.slice(-4), 16) % stripes

const countIn = async (tx: Tx, task: Task, now: Date, change: (stats: Stats) => Stats): Promise<void> => {
  const day = now.toISOString().slice(0, 10)
  const scopes = [
    { scope: 'all', id: `all ${day} ${stripeOf(task.id)}` },
    { scope: task.publisher, id: `${task.publisher} ${day}` },
  ]
  for (const { scope, id } of scopes) {
    const stats = (await statsIn(tx).get(id)) ?? emptyStats(id, scope, day)
    await statsIn(tx).put(change(stats))
  }
}

const secondsBetween = (from: string, to: Date): number =>
  Math.max(0, (to.getTime() - Date.parse(from)) / 1000)

const withStep = (stats: Stats, step: Step, seconds: number): Stats => {
  const before = stats.times[step] ?? { count: 0, sum: 0, histogram: {} }
  const { count, sum } = before
  const timing = { count: count + 1, sum: sum + seconds, ...withValue(before, Math.round(seconds)) }
  return { ...stats, times: { ...stats.times, [step]: timing } }
}

const withBounty = (stats: Stats, micro: string): Stats => {
  const { count, sum, min, max } = stats.bounty
  const value = BigInt(micro)
  return {
    ...stats,
    bounty: {
      count: count + 1,
      sum: (BigInt(sum) + value).toString(),
      min: min === null || value < BigInt(min) ? micro : min,
      max: max === null || value > BigInt(max) ? micro : max,
      ...withValue(stats.bounty, Number(value)),
    },
  }
}

const withMoney = (stats: Stats, before: Task | undefined, { funds }: Task): Stats => {
  const grown = (total: string, one: string | undefined, other: string) =>
    (BigInt(total) + BigInt(other) - BigInt(one ?? '0')).toString()
  return {
    ...stats,
    released: grown(stats.released, before?.funds.released, funds.released),
    refunded: grown(stats.refunded, before?.funds.refunded, funds.refunded),
    fees: grown(stats.fees, before?.funds.taken, funds.taken),
  }
}

const withCategory = (stats: Stats, { terms, status }: Task, isNew: boolean): Stats => {
  if (!isNew || (status !== 'published' && status !== 'completed')) return stats
  const before = stats.categories[terms.category] ?? { published: 0, completed: 0 }
  const after = { ...before, [status]: before[status] + 1 }
  return { ...stats, categories: { ...stats.categories, [terms.category]: after } }
}

/** The step that ends with a move, and when it began. */
const endedStep = (before: Task | undefined, to: Status): { step: Step; since: string } | undefined => {
  if (!before) return undefined
  const { status, reached } = before
  if (to === 'accepted' && reached.published) return { step: 'to_assign', since: reached.published }
  if (to === 'submitted' && !reached.submitted && reached.accepted)
    return { step: 'to_submit', since: reached.accepted }
  if (status === 'submitted' && to !== 'cancelled' && before.submitted_at)
    return { step: 'to_review', since: before.submitted_at }
  return undefined
}

/** Counts a move of a task, for analytics that need not look at every task. */
export const countMove = (tx: Tx, before: Task | undefined, after: Task, now: Date): Promise<void> =>
  countIn(tx, after, now, stats => {
    const { status } = after
    const ended = endedStep(before, status)
    const isNew = before?.reached[status] === undefined
    const reached = isNew ? { ...stats.reached, [status]: (stats.reached[status] ?? 0) + 1 } : stats.reached
    const counted = withMoney(withCategory({ ...stats, reached }, after, isNew), before, after)
    const timed = ended ? withStep(counted, ended.step, secondsBetween(ended.since, now)) : counted
    return before ? timed : withBounty(timed, after.funds.bounty)
  })

/** Counts money that moved while a task went on. */
export const countMoney = (tx: Tx, before: Task, after: Task, now: Date): Promise<void> =>
  countIn(tx, after, now, stats => withMoney(stats, before, after))

/** Counts how long a task waited for its first application. */
export const countFirstApplication = (tx: Tx, task: Task, now: Date): Promise<void> =>
  countIn(tx, task, now, stats =>
    withStep(stats, 'to_first_application', secondsBetween(task.created_at, now)),
  )

const rate = (what: string) => z.number().nullable().describe(`${what}, 0 to 1; null without any`)
const seconds = (what: string) => z.number().nullable().describe(`${what}, in seconds; null without any`)
const money = (what: string) => z.string().nullable().describe(`${what}; null without any`)

const approximate = z
  .boolean()
  .describe('Of so many different values that median and 90 per cent are only within 5 per cent')

const TimingOut = z.object({
  n: z.number().int().describe('How many were measured'),
  median_seconds: seconds('Median'),
  p90_seconds: seconds('90 per cent are quicker'),
  mean_seconds: seconds('Mean'),
  approximate,
})

const counts = Object.fromEntries(
  statuses.map(status => [status, z.number().int().describe(`Came to be ${status}`)]),
) as Record<Status, z.ZodNumber>

const times = {
  to_first_application: TimingOut.describe('From publishing to the first application'),
  to_assign: TimingOut.describe('From publishing to assignment'),
  to_submit: TimingOut.describe('From assignment to the first submission'),
  to_review: TimingOut.describe('From a submission to its review'),
} satisfies Record<Step, unknown>

export const AnalyticsOut = z.object({
  scope: z.enum(['mine', 'all']).describe('Whose tasks'),
  from: z.string().describe('First day'),
  to: z.string().describe('Last day'),
  tasks: z.object(counts).describe('How many tasks came into each state in the window'),
  completion_rate: rate('Completed of all that ended'),
  dispute_rate: rate('Disputed of all that were submitted'),
  categories: z
    .record(
      z.string(),
      z.object({
        published: z.number().int().describe('Published'),
        completed: z.number().int().describe('Completed'),
      }),
    )
    .describe('By category'),
  times: z.object(times).describe('How long each step took'),
  bounty: z
    .object({
      count: z.number().int().describe('How many'),
      sum_usd: z.string().describe('Sum'),
      mean_usd: money('Mean'),
      median_usd: money('Median'),
      min_usd: money('Smallest'),
      max_usd: money('Largest'),
      approximate,
    })
    .describe('Bounties of what was published'),
  spend: z
    .object({
      released_usd: z.string().describe('Paid to workers'),
      refunded_usd: z.string().describe('Given back'),
      fees_usd: z.string().describe('Fees'),
    })
    .describe('Money that moved'),
})

const sumStats = (stats: readonly Stats[], read: (stats: Stats) => number): number =>
  stats.reduce((sum, one) => sum + read(one), 0)

const moneyOf = (stats: readonly Stats[], read: (stats: Stats) => string): bigint =>
  stats.reduce((sum, one) => sum + BigInt(read(one)), 0n)

const ratio = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000

const round = (value: number | null): number | null => (value === null ? null : Math.round(value))

const toTiming = (stats: readonly Stats[], step: Step): z.output<typeof TimingOut> => {
  const timings = stats.flatMap(({ times }) => times[step] ?? [])
  const n = timings.reduce((sum, { count }) => sum + count, 0)
  const total = timings.reduce((sum, timing) => sum + timing.sum, 0)
  return {
    n,
    median_seconds: round(quantile(timings, 0.5)),
    p90_seconds: round(quantile(timings, 0.9)),
    mean_seconds: n === 0 ? null : round(total / n),
    approximate: isApproximate(timings),
  }
}

const toBounty = (stats: readonly Stats[]) => {
  const count = sumStats(stats, ({ bounty }) => bounty.count)
  const sum = moneyOf(stats, ({ bounty }) => bounty.sum)
  const extremes = stats.flatMap(({ bounty: { min, max } }) =>
    min !== null && max !== null ? [min, max] : [],
  )
  const sorted = extremes.map(BigInt).sort((one, other) => (one < other ? -1 : 1))
  const [least, most] = [sorted[0], sorted.at(-1)]
  const bounties = stats.map(({ bounty }) => bounty)
  const isRough = isApproximate(bounties)
  const median = quantile(bounties, 0.5)
  /** Rough ones to the cent, and never beyond what was there. */
  const toMedian = (value: number): bigint => {
    if (!isRough) return BigInt(Math.round(value))
    const rounded = BigInt(Math.round(value / 10_000)) * 10_000n
    if (least !== undefined && rounded < least) return least
    return most !== undefined && rounded > most ? most : rounded
  }
  return {
    count,
    sum_usd: formatUsd(sum),
    mean_usd: count === 0 ? null : formatUsd(sum / BigInt(count)),
    median_usd: median === null ? null : formatUsd(toMedian(median)),
    min_usd: least === undefined ? null : formatUsd(least),
    max_usd: most === undefined ? null : formatUsd(most),
    approximate: isRough,
  }
}

const toCategories = (stats: readonly Stats[]) => {
  const sum: Record<string, { published: number; completed: number }> = {}
  for (const { categories } of stats)
    for (const [name, { published, completed }] of Object.entries(categories)) {
      const before = sum[name] ?? { published: 0, completed: 0 }
      sum[name] = { published: before.published + published, completed: before.completed + completed }
    }
  return sum
}

/** Counts of days as one: nothing is made up, what was not counted is null. */
export const toAnalytics = (stats: readonly Stats[]) => {
  const tasks = Object.fromEntries(
    statuses.map(status => [status, sumStats(stats, ({ reached }) => reached[status] ?? 0)]),
  ) as Record<Status, number>
  return {
    tasks,
    completion_rate: ratio(tasks.completed, tasks.completed + tasks.cancelled + tasks.expired),
    dispute_rate: ratio(tasks.disputed, tasks.submitted),
    categories: toCategories(stats),
    times: Object.fromEntries(steps.map(step => [step, toTiming(stats, step)])) as Record<
      Step,
      z.output<typeof TimingOut>
    >,
    bounty: toBounty(stats),
    spend: {
      released_usd: formatUsd(moneyOf(stats, ({ released }) => released)),
      refunded_usd: formatUsd(moneyOf(stats, ({ refunded }) => refunded)),
      fees_usd: formatUsd(moneyOf(stats, ({ fees }) => fees)),
    },
  }
}
