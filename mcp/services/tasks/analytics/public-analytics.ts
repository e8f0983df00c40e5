import { z } from 'zod'
import { formatUsd } from '../../../lib/usd.ts'
import { type Status, statuses } from '../task/status.ts'
import { isApproximate, quantile } from './histogram.ts'
import { type Stats, type Step, steps } from './stats.ts'

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
