import type { Tx } from '../../../ports/store/port.ts'
import type { Status } from '../task/status.ts'
import type { Task } from '../task/task.ts'
import { withValue } from './histogram.ts'
import { emptyStats, type Stats, type Step, statsIn } from './stats.ts'

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
