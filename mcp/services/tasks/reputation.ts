import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { betaQuantile } from '../../lib/distributions.ts'
import { dayMs } from '../../lib/time.ts'
import type { Tx } from '../../ports/store/port.ts'
import { isSameWallet } from './account.ts'
import type { Role, Status, Task } from './task.ts'

/** Record of an account, as a worker and as a publisher. Money in millionths of a dollar, as text. */
export type ReputationScore = {
  id: string
  /** Weighted outcomes, good and bad, beyond the prior. */
  good: number
  bad: number
  /** How many outcomes. */
  n: number
  last_at: string | null
  assigned: number
  submitted: number
  on_time: number
  completed: number
  approved: number
  rejected: number
  abandoned: number
  /** Tasks that ended in hand with nothing handed in; absent for none. */
  expired?: number
  disputes_lost: number
  ratings: number
  ratings_sum: number
  /** Seconds from assignment to the end, of the last 50 completed. */
  durations: readonly number[]
  earned: string
  published: number
  publisher_completed: number
  publisher_ratings: number
  publisher_ratings_sum: number
  spent: string
  /** Sort key of leaderboards: the score without decay; null before the first outcome. */
  rank: number | null
}

const table = { name: 'tasks.scores', indexes: [{ name: 'rank', fields: ['rank'] }] } as const

export const scoresIn = collection<ReputationScore>({
  name: table.name,
  indexes: table.indexes,
  budget: {
    what: 'scores',
    network: { rows: 2000, bytes: 2 << 20 },
    allBytes: 64 << 20,
    ends: 'One for each account, and it stays.',
  },
})

const emptyScore = (id: string): ReputationScore => ({
  id,
  good: 0,
  bad: 0,
  n: 0,
  last_at: null,
  assigned: 0,
  submitted: 0,
  on_time: 0,
  completed: 0,
  approved: 0,
  rejected: 0,
  abandoned: 0,
  disputes_lost: 0,
  ratings: 0,
  ratings_sum: 0,
  durations: [],
  earned: '0',
  published: 0,
  publisher_completed: 0,
  publisher_ratings: 0,
  publisher_ratings_sum: 0,
  spent: '0',
  rank: null,
})

export const loadScore = async (tx: Tx, account: string): Promise<ReputationScore> =>
  (await scoresIn(tx).get(account)) ?? emptyScore(account)

/** Two good and two bad outcomes that everybody begins with. */
const prior = 2

const graceDays = 14
const halfLifeDays = 30
const neutral = 50
const floor = 10

/** How much an outcome counts by its bounty in millionths: 1 USD a tenth, 10 USD once, 100 USD twice, five times at most. */
const valueWeight = (bounty: bigint): number => {
  const usd = Number(bounty) / 1e6
  if (usd <= 10) return usd / 10
  if (usd <= 100) return 1 + (usd - 10) / 90
  return Math.min(5, 2 + (usd - 100) / 300)
}

/** An abandoned task counts so much more than a bad one. */
const abandonmentWeight = 1.5

/** The score with an outcome: `success` is 1 for a good one, 0 for a bad one, between for one that was split. */
const withOutcome = (
  score: ReputationScore,
  { weight, success, at }: { weight: number; success: number; at: string },
): ReputationScore => {
  const good = score.good + weight * success
  const bad = score.bad + weight * (1 - success)
  const rank = (100 * (prior + good)) / (2 * prior + good + bad)
  return { ...score, good, bad, n: score.n + 1, last_at: at, rank }
}

const decay = (raw: number, lastAt: string | null, now: Date): number => {
  if (lastAt === null) return raw
  const days = (now.getTime() - Date.parse(lastAt)) / dayMs - graceDays
  const fading = days > 0 ? 0.5 ** (days / halfLifeDays) : 1
  return Math.max(floor, neutral + (raw - neutral) * fading)
}

const round = (value: number): number => Math.round(value * 10) / 10

const reputationTiers = ['New', 'Rising', 'Trusted', 'Expert', 'Elite'] as const

const toTier = (score: number, n: number): (typeof reputationTiers)[number] => {
  if (n < 3) return 'New'
  if (n >= 100 && score >= 90) return 'Elite'
  if (n >= 30 && score >= 80) return 'Expert'
  return n >= 10 && score >= 70 ? 'Trusted' : 'Rising'
}

/** The reputation of a worker: the mean of the posterior in 0 to 100, and where it lies with 90 per cent. */
export const ReputationOut = z.object({
  score: z.number().describe('0 to 100; 50 for somebody new'),
  ci90: z
    .object({
      low: z.number().describe('It is above this with 95 per cent'),
      high: z.number().describe('It is below this with 95 per cent'),
    })
    .describe('Where the score lies with 90 per cent'),
  n: z.number().int().describe('Outcomes it is made of'),
  tier: z.enum(reputationTiers).describe('New, Rising, Trusted, Expert or Elite'),
})

export const toReputation = ({ good, bad, n, last_at }: ReputationScore, now: Date) => {
  const [a, b] = [prior + good, prior + bad]
  const at = (value: number) => round(decay(100 * value, last_at, now))
  const score = at(a / (a + b))
  return {
    score,
    ci90: { low: at(betaQuantile(0.05, a, b)), high: at(betaQuantile(0.95, a, b)) },
    n,
    tier: toTier(score, n),
  }
}

/** One rating for each side of a task. */
export type Rating = {
  /** `<task>.<side that is rated>` */
  id: string
  task: string
  about: string
  by: string
  score: number
  comment: string
  at: string
}

export const ratingsIn = collection<Rating>({
  name: 'tasks.ratings',
  indexes: [{ name: 'about', fields: ['about', 'at'] }],
  archive: { afterHours: 24 },
  bounded: 'One for each side of a task that somebody worked on.',
})

type NewRating = { side: 'worker' | 'publisher'; by: string; score: number; comment: string; now: Date }

/** Rates one side of a task that is over, once. Throws `conflict` before it is over, and the second time. */
export const rate = async (
  tx: Tx,
  task: Task,
  { side, by, score, comment, now }: NewRating,
): Promise<Rating> => {
  const { worker } = task
  if (!task.ended || worker === null)
    throw new ToolError('conflict', 'A task can be rated once it is over and somebody has worked on it.', {
      reason: 'not_over',
      params: { status: task.status },
    })
  const about = side === 'worker' ? worker : task.publisher
  if (isSameWallet(about, by))
    throw new ToolError('forbidden', 'A wallet cannot rate itself.', { reason: 'self_rating' })
  const rating = { id: `${task.id}.${side}`, task: task.id, about, by, score, comment, at: now.toISOString() }
  if (!(await ratingsIn(tx).insert(rating)))
    throw new ToolError('conflict', 'You have rated this already.', { reason: 'already_rated' })
  const before = await loadScore(tx, about)
  await scoresIn(tx).put(
    side === 'worker'
      ? { ...before, ratings: before.ratings + 1, ratings_sum: before.ratings_sum + score }
      : {
          ...before,
          publisher_ratings: before.publisher_ratings + 1,
          publisher_ratings_sum: before.publisher_ratings_sum + score,
        },
  )
  return rating
}

export const RatingOut = z.object({
  task_id: z.string().describe('The task'),
  about: z.string().describe('Account that is rated'),
  by: z.string().describe('Account that rates'),
  score: z.number().int().describe('0 to 100'),
  comment: z.string().describe('Why'),
  at: z.iso.datetime().describe('When'),
})

export const toPublicRating = ({ task: task_id, about, by, score, comment, at }: Rating) => ({
  task_id,
  about,
  by,
  score,
  comment,
  at,
})

type Ending = { to: Status; role: Role; workerPercent: number; now: Date }

type Outcome = { kind: 'approved' | 'decided' | 'rejected' | 'abandoned'; success: number; factor: number }

/** Outcome of an end for the worker; undefined where there is none, as when the publisher gave up. */
const outcomeFor = ({ status }: Task, { to, role, workerPercent }: Ending): Outcome | undefined => {
  if (status === 'disputed') return { kind: 'decided', success: workerPercent / 100, factor: 1 }
  if (to === 'completed') return { kind: 'approved', success: 1, factor: 1 }
  if (to === 'expired' && status === 'verifying') return { kind: 'rejected', success: 0, factor: 1 }
  const isLeft = to === 'expired' && (status === 'accepted' || status === 'in_progress')
  if (isLeft || (to === 'cancelled' && role === 'assigned'))
    return { kind: 'abandoned', success: 0, factor: abandonmentWeight }
  return undefined
}

const secondsSince = (from: string | undefined, now: Date): number[] =>
  from === undefined ? [] : [Math.round((now.getTime() - Date.parse(from)) / 1000)]

const withEnd = (
  score: ReputationScore,
  before: Task,
  after: Task,
  end: Ending,
  outcome: Outcome,
): ReputationScore => {
  const { kind, success, factor } = outcome
  const weight = valueWeight(BigInt(before.funds.bounty)) * factor
  const counted = withOutcome(score, { weight, success, at: end.now.toISOString() })
  const paid = BigInt(after.funds.released) - BigInt(before.funds.released)
  const isCompleted = end.to === 'completed'
  return {
    ...counted,
    completed: counted.completed + (isCompleted ? 1 : 0),
    approved: counted.approved + (kind === 'approved' ? 1 : 0),
    rejected: counted.rejected + (kind === 'rejected' ? 1 : 0),
    abandoned: counted.abandoned + (kind === 'abandoned' ? 1 : 0),
    expired: (counted.expired ?? 0) + (end.to === 'expired' && !before.reached.submitted ? 1 : 0),
    disputes_lost: counted.disputes_lost + (kind === 'decided' && success < 0.5 ? 1 : 0),
    durations: isCompleted
      ? [...counted.durations, ...secondsSince(before.reached.accepted, end.now)].slice(-50)
      : counted.durations,
    earned: (BigInt(counted.earned) + paid).toString(),
  }
}

/** Counts the end of a task in the reputation of its worker and its publisher. */
export const countEnd = async (tx: Tx, before: Task, after: Task, end: Ending): Promise<void> => {
  const outcome = outcomeFor(before, end)
  const spent = BigInt(after.funds.released) - BigInt(before.funds.released)
  if (before.worker !== null && (outcome || spent > 0n)) {
    const score = await loadScore(tx, before.worker)
    // A kill fee is earned, and says nothing of the worker.
    const paid = { ...score, earned: (BigInt(score.earned) + spent).toString() }
    await scoresIn(tx).put(outcome ? withEnd(score, before, after, end, outcome) : paid)
  }
  if (end.to !== 'completed' && spent === 0n) return
  const score = await loadScore(tx, before.publisher)
  await scoresIn(tx).put({
    ...score,
    publisher_completed: score.publisher_completed + (end.to === 'completed' ? 1 : 0),
    spent: (BigInt(score.spent) + spent).toString(),
  })
}
